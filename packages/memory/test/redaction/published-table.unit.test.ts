import { describe, expect, test } from "vitest";
import {
  createRedactor,
  DEFAULT_KINDS,
  defaultRedactor,
  noRedactor,
  OPTIONAL_KINDS,
  redact,
  type RedactionKind,
  scanPii,
  strictRedactor,
} from "../../src/redaction/index.js";

describe("the published table of kinds", () => {
  test.each([
    ["aadhaar", "aadhaar 2341 2341 2346", "aadhaar [AADHAAR:****2346]"],
    ["pan", "PAN ABCPD1234F", "PAN [PAN:****234F]"],
    ["gstin", "27AAPFU0939F1ZV", "[GSTIN:****1ZV]"],
    ["ifsc", "IFSC SBIN0001234", "IFSC [IFSC:****1234]"],
    ["phone_in", "call 9876543210", "call [PHONE:****3210]"],
    ["email", "write to neha@example.com", "write to [EMAIL:****]"],
    ["bank_account", "a/c 50100123456789", "a/c [ACCOUNT:****6789]"],
  ])("%s is masked as published", (kind, text, masked) => {
    const result = redact(text);

    expect(result.text).toBe(masked);
    expect(result.redactions.map((redaction) => redaction.kind)).toEqual([kind]);
  });

  test("a finding is kind, start, end and replacement, with offsets of the input", () => {
    expect(redact("Ramesh at 9876543210 disputed invoice INV-42")).toEqual({
      text: "Ramesh at [PHONE:****3210] disputed invoice INV-42",
      redactions: [{ kind: "phone_in", start: 10, end: 20, replacement: "[PHONE:****3210]" }],
    });
  });

  test("offsets count UTF-16 units", () => {
    expect(scanPii("😀 call 9876543210")).toEqual([
      { kind: "phone_in", start: 8, end: 18, replacement: "[PHONE:****3210]" },
    ]);
  });

  test("twelve digits that fail the check digit are kept", () => {
    const text = "invoice total 234567890123 paise";

    expect(redact(text)).toEqual({ text, redactions: [] });
  });

  test("a GSTIN is one finding; the PAN inside it is not reported and none of it is kept", () => {
    expect(scanPii("27AAPFU0939F1ZV")).toEqual([{ kind: "gstin", start: 0, end: 15, replacement: "[GSTIN:****1ZV]" }]);
  });

  test("what looks like a mask but holds a number is no shield", () => {
    expect(redact("[PHONE:9876543210]").text).toBe("[PHONE:[PHONE:****3210]]");
  });
});

describe("the ready-made redactors", () => {
  test("the strict one masks any bare run of 9 to 18 digits, whatever is written beside it", () => {
    expect(strictRedactor.redact("order 123456789, batch 123456789012345678, 12345678, 1234567890123456789").text).toBe(
      "order [ACCOUNT:****6789], batch [ACCOUNT:****5678], 12345678, 1234567890123456789",
    );
    expect(createRedactor({ bareAccountNumbers: true }).redact("delivery note 30112233445566").text).toBe(
      "delivery note [ACCOUNT:****5566]",
    );
  });

  test("the strict one lets no label, no unknown bank and no wrong check digit keep a value", () => {
    expect(strictRedactor.redact("order 9876543210").text).toBe("order [PHONE:****3210]");
    expect(strictRedactor.redact("UTR 234123412346").text).toBe("UTR [AADHAAR:****2346]");
    expect(strictRedactor.redact("ORDR0123456").text).toBe("[IFSC:****3456]");
    expect(strictRedactor.redact("aadhaar 2341 2341 2347").text).toBe("aadhaar [AADHAAR:****2347]");
    expect(strictRedactor.redact("GSTIN 27AAPFU0939F1ZO").text).toBe("GSTIN [GSTIN:****1ZO]");
  });

  test("the strict one still keeps decimals, UUIDs and tokens", () => {
    const text = "28.9876543210 47223179-9330-4259-b66c-f2db26efb20c ghp_a1B2c39876543210xYz";

    expect(strictRedactor.redact(text)).toEqual({ text, redactions: [] });
  });

  test("the one that redacts nothing redacts nothing", () => {
    expect(noRedactor.redact("call 9876543210")).toEqual({ text: "call 9876543210", redactions: [] });
  });
});

describe("choosing kinds", () => {
  test("exactly the named kinds are masked", () => {
    expect(redact("9876543210 neha@example.com", { kinds: ["email"] }).text).toBe("9876543210 [EMAIL:****]");
    expect(redact("9876543210 neha@example.com", { kinds: ["phone_in"] }).text).toBe(
      "[PHONE:****3210] neha@example.com",
    );
  });

  test("the default kinds are the seven of the table and none of the optional ones", () => {
    expect(DEFAULT_KINDS).toHaveLength(7);
    expect(OPTIONAL_KINDS.filter((kind) => (DEFAULT_KINDS as readonly string[]).includes(kind))).toEqual([]);
  });

  test("an unknown kind, an empty list and a wrong type are refused before anything is redacted", () => {
    const refused = { name: "InvalidInputError", code: "ERR_INVALID_INPUT" };

    expect(() => createRedactor({ kinds: ["fax" as RedactionKind] })).toThrow(
      expect.objectContaining({ ...refused, argument: "kinds[0]" }),
    );
    expect(() => createRedactor({ kinds: [] })).toThrow(expect.objectContaining({ ...refused, argument: "kinds" }));
    expect(() => createRedactor({ kinds: "pan" as never })).toThrow(expect.objectContaining(refused));
    expect(() => createRedactor({ bareAccountNumbers: 1 as never })).toThrow(expect.objectContaining(refused));
    expect(() => createRedactor(null as never)).toThrow(expect.objectContaining(refused));
    expect(() => defaultRedactor.redact(42 as never)).toThrow(
      expect.objectContaining({ ...refused, argument: "text" }),
    );
  });
});
