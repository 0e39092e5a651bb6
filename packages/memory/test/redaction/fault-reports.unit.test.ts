import { describe, expect, test } from "vitest";
import {
  createRedactor,
  DEFAULT_KINDS,
  defaultRedactor,
  redact,
  redactMetadataStrings,
} from "../../src/redaction/index.js";

/** Public fault reports of other redactors, by their number in the research notes. Inputs are synthetic. */
const KEPT: readonly (readonly [number, string, string])[] = [
  [1, "ten mixed characters are not a PAN", "A1111DFSFS in stock"],
  [2, "a word is not a PAN", "I shifted to Javascript"],
  [3, "N is no holder type", "ABCND1234Z"],
  [5, "D is no holder type, and the check character fails", "27ABCDE1234F1Z5"],
  [5, "D is no holder type, second sample", "07PQRST6789K1Z2"],
  [6, "epoch milliseconds pass Luhn", "1748503543012 please check"],
  [7, "part of a UUID", "110bcd25-a55d-453a-8046-929790100271"],
  [8, "a card is not on by default, and no part of it is an Aadhaar", "card 6011 5776 3171 1174"],
  [9, "a word in capitals", "INTRODUCTORY"],
  [10, "a model number", "model J8369854"],
  [11, "a card with a domain ending run on", "4151 3217 6243 3448.com"],
  [13, "a London number", "+44 20 7946 0958"],
  [15, "digits of a decimal", "0.250750683890174"],
  [16, "a fiscal year", "FY2025 Q3"],
  [30, "a mask", "[PHONE:****3210]"],
  [32, "a time", "created_at 1755302400"],
  [32, "a product", "product_id 3074185296"],
  [32, "a purchase order", "PO1234567"],
  [33, "epoch milliseconds in a log", "1700000000000 start 1700000012345 end"],
  [34, "a time in JSON", '{"at":1748503543012}'],
  [35, "a UUID whose first groups are digits", "47223179-9330-4259-b66c-f2db26efb20c"],
  [36, "a file name", "20260823000001_reap.sql"],
  [37, "a decimal in a style sheet", "translate(-0.5309136012499991%)"],
  [39, "a long run of digits", "41111111111111112222"],
  [40, "a trace id that happens to be numeric", "9876543210123456"],
  [42, "full stops", "......."],
  [43, "the credentials of a URL (decision D5)", "http://test:my%20pass@example.com"],
  [44, "a form number", "OMB No. 1545-0008"],
  [45, "an order number (decision D2)", "Order number 8123456789"],
  [48, "a phone number inside a token", "ghp_a1B2c39876543210dEf4"],
  [50, "twelve digits that fail Verhoeff", "aadhaar 2341 2341 2347"],
];

const MASKED: readonly (readonly [number, string, string, string])[] = [
  [4, "colons between groups", "2341:2341:2346", "[AADHAAR:****2346]"],
  [4, "hyphens between groups", "2341-2341-2346", "[AADHAAR:****2346]"],
  [14, "an address after many dots", "a.a.a. x@example.com", "a.a.a. [EMAIL:****]"],
  [17, "the words around are kept", "reached at 98765 43210 (office)", "reached at [PHONE:****3210] (office)"],
  [18, "a zero-width space inside", "a@\u200bexample.com", "[EMAIL:****]"],
  [19, "a full-width at sign", "bob＠example.org", "[EMAIL:****]"],
  [19, "a Cyrillic first letter leaves no orphan", "\u0430lice@example.org", "[EMAIL:****]"],
  [20, "full-width digits, the rest not normalised", "Ａ ９８７６５４３２１０ ｂ", "Ａ [PHONE:****3210] ｂ"],
  [21, "a combining mark inside", "98765\u030143210", "[PHONE:****3210]"],
  [22, "Devanagari digits", "९८७६५४३२१०", "[PHONE:****3210]"],
  [23, "combining marks on every digit", "2\u03013\u03014\u0301123412346", "[AADHAAR:****2346]"],
  [25, "no tail left after an emoji", "Hi 😀 neha@example.com, Dani", "Hi 😀 [EMAIL:****], Dani"],
  [27, "a value beside a label of another kind", "password: a@b.co", "password: [EMAIL:****]"],
  [46, "ten digits that begin with 91", "call 9123456789", "call [PHONE:****6789]"],
  [
    50,
    "Devanagari and Roman labels",
    "आधार 2341 2341 2346, aadhaar 2341 2341 2346",
    "आधार [AADHAAR:****2346], aadhaar [AADHAAR:****2346]",
  ],
  [53, "a labelled account of ten digits", "Bank account: 9876543210", "Bank account: [ACCOUNT:****3210]"],
];

describe("fault reports of other redactors", () => {
  test.each(KEPT)("report %i: %s is kept", (_report, _why, text) => {
    expect(defaultRedactor.redact(text)).toEqual({ text, redactions: [] });
  });

  test.each(MASKED)("report %i: %s", (_report, _why, text, masked) => {
    expect(redact(text).text).toBe(masked);
  });

  test("report 5: state codes 38, 97 and 99 are accepted", () => {
    for (const gstin of ["38AAPFU0939F1ZS", "97AAPFU0939F1ZO", "99AAPFU0939F1ZK"])
      expect(redact(gstin).text).toMatch(/^\[GSTIN:/);
  });

  test("reports 8, 11, 12, 28: with cards on, a card is one finding and what follows it is kept", () => {
    const redactor = createRedactor({ kinds: [...DEFAULT_KINDS, "card"] });

    expect(redactor.redact("card 6011 5776 3171 1174 ok").text).toBe("card [CARD:****1174] ok");
    expect(redactor.redact("4151 3217 6243 3448.com").text).toBe("[CARD:****3448].com");
    expect(redactor.redact("4111 1111 1111 1111 ").text).toBe("[CARD:****1111] ");
  });

  test("reports 12, 26, 28: a value that is of two kinds is one finding", () => {
    expect(redact("account 234123412346").redactions).toHaveLength(1);
  });

  test("report 24: offsets are UTF-16 units", () => {
    expect(redact("😀 call 9876543210").redactions[0]).toMatchObject({ start: 8, end: 18 });
  });

  test("reports 6, 33, 39: with cards on, times and long runs are kept", () => {
    const text = "1748503543012 1700000000000 41111111111111112222";

    expect(createRedactor({ kinds: [...DEFAULT_KINDS, "card"] }).redact(text)).toEqual({ text, redactions: [] });
  });

  test("report 29: with two values, both offsets are those of the input", () => {
    const text = "9876543210 and 9123456780";

    expect(redact(text).redactions.map(({ start, end }) => text.slice(start, end))).toEqual([
      "9876543210",
      "9123456780",
    ]);
  });

  test("report 31: the same text gives the same answer after any other call", () => {
    const first = redact("call 9876543210");
    redact("account neha@example.com 12345678901 ".repeat(50));

    expect(redact("call 9876543210")).toEqual(first);
  });

  test("report 34: JSON whose strings are masked still parses", () => {
    const text = JSON.stringify({ phone: "9876543210", mail: 'say "hi" to neha@example.com', at: 1748503543012 });

    expect(JSON.parse(redact(text).text)).toEqual({
      phone: "[PHONE:****3210]",
      mail: 'say "hi" to [EMAIL:****]',
      at: 1748503543012,
    });
  });

  test("report 36: a span ends at the last digit", () => {
    expect(redact("98765 43210 ").redactions[0]).toMatchObject({ start: 0, end: 11 });
  });

  test("report 38: fifteen-digit and fourteen-digit cards are found when cards are on", () => {
    const redactor = createRedactor({ kinds: ["card"] });

    expect(redactor.redact("3782 822463 10005 / 3056 930902 5904").text).toBe("[CARD:****0005] / [CARD:****5904]");
  });

  test("report 41: an address with thirty thousand labels is answered in linear time", () => {
    const text = `x${".a".repeat(30_000)}@`;

    expect(redact(text)).toEqual({ text, redactions: [] });
  });

  test("report 47: a virtual Aadhaar id is a kind of its own", () => {
    expect(createRedactor({ kinds: ["aadhaar_vid"] }).redact("VID 2341 2341 2341 2341").text).toBe(
      "VID [VID:****2341]",
    );
    expect(createRedactor({ kinds: ["aadhaar_vid"] }).redact("VID 2341 2341 2341 2342").redactions).toEqual([]);
  });

  test("report 49: spans are those of the text, not of a normalised one", () => {
    const text = "Jose\u0301 9876543210";

    expect(redact(text).text).toBe("Jose\u0301 [PHONE:****3210]");
  });

  test("report 51: numbers of metadata are left alone", () => {
    expect(redactMetadataStrings({ phone: 9876543210, note: "9876543210" }, defaultRedactor).metadata).toEqual({
      phone: 9876543210,
      note: "[PHONE:****3210]",
    });
  });

  test("report 52: a mask in a URL and in JSON needs no escaping", () => {
    const masked = redact("https://wa.me/919876543210").text;

    expect(masked).toBe("https://wa.me/[PHONE:****3210]");
    expect(JSON.stringify(masked)).toBe(`"${masked}"`);
  });
});
