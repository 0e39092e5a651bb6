import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  createRedactor,
  DEFAULT_KINDS,
  defaultRedactor,
  OPTIONAL_KINDS,
  strictRedactor,
} from "../../src/redaction/index.js";
import { readExamples } from "./labelled-examples.js";

const everything = createRedactor({ kinds: [...DEFAULT_KINDS, ...OPTIONAL_KINDS], labelledTypos: true });
const redactors = [defaultRedactor, strictRedactor, everything];

const identifiers = [
  "2341 2341 2346",
  "234123412346",
  "ABCPD1234F",
  "abcpd1234f",
  "27AAPFU0939F1ZV",
  "SBIN0001234",
  "ORDR0123456",
  "9876543210",
  "98765 43210",
  "987 654 3210",
  "+91 98765-43210",
  "919876543210",
  "+44 20 7946 0958",
  "neha@example.com",
  "ramesh@okaxis",
  "50100123456789",
  "1234 5678 9012",
  "4111 1111 1111 1111",
  "2341 2341 2341 2341",
  "022-27654321",
  "12/03/1990",
  "123-45-6789",
  "GB82 WEST 1234 5698 7654 32",
  "MH12AB1234",
  "[PHONE:****3210]",
  "[ACCOUNT:****6789]",
  "[IFSC:****1234]",
  "[AADHAAR:****2346]",
  "९८७६५४३२१०",
  "98765\u030143210",
  "9876\u200b543210",
  "12345",
  "98765",
  "2341",
  "1748503543012",
  "20240501123045",
];
const words = [
  "a/c",
  "account",
  "no",
  "number",
  "is",
  "my",
  "khata",
  "खाता",
  "ifsc",
  "call",
  "mobile",
  "aadhaar",
  "pan",
  "vid",
  "card",
  "order",
  "ref",
  "UTR",
  "NEFT",
  "Rs",
  "₹",
  "balance",
  "dob",
  "ssn",
  "uan",
  "and",
  "or",
  "to",
  "at",
  "#",
  ":",
  ",",
  ".",
  ";",
  "-",
  "/",
  "(",
  ")",
  "\n",
  "\r\n",
  "[",
  "]",
  "@",
  "+",
  "=",
  "_",
  "%40",
  "😀",
  "\ud83d",
  "\u0301",
  "\u200b",
  "है",
  "rupees",
  "/-",
  "the parcel",
  "X",
];

/** Text that is dense with identifiers, labels and what is between them. */
const denseText = fc
  .array(
    fc.tuple(
      fc.oneof(fc.constantFrom(...identifiers), fc.constantFrom(...words)),
      fc.constantFrom("", " ", " ", "-", "\n"),
    ),
    {
      maxLength: 14,
    },
  )
  .map((parts) => parts.map(([part, gap]) => part + gap).join(""));
const anyText = fc.oneof(
  denseText,
  fc.string({ unit: "binary", maxLength: 60 }),
  fc.string({ unit: fc.constantFrom(...Array.from("0123456789 -+.@:/()[]a\n९")), maxLength: 60 }),
);

describe("whatever the text", () => {
  test("redacting twice changes nothing more and finds nothing more", () => {
    fc.assert(
      fc.property(anyText, fc.constantFrom(...redactors), (text, redactor) => {
        const once = redactor.redact(text).text;

        expect(redactor.redact(once)).toEqual({ text: once, redactions: [] });
      }),
      { numRuns: 4000 },
    );
  });

  test("findings are sorted, disjoint and in bounds, and the rest of the text is the input's, unit for unit", () => {
    fc.assert(
      fc.property(anyText, fc.constantFrom(...redactors), (text, redactor) => {
        const { text: masked, redactions } = redactor.redact(text);

        let rebuilt = "";
        let reached = 0;
        for (const { start, end, replacement, ...rest } of redactions) {
          expect(start).toBeGreaterThanOrEqual(reached);
          expect(end).toBeGreaterThan(start);
          expect(Object.keys(rest)).toEqual(["kind"]);
          rebuilt += text.slice(reached, start) + replacement;
          reached = end;
        }
        expect(reached).toBeLessThanOrEqual(text.length);
        expect(masked).toBe(rebuilt + text.slice(reached));
      }),
      { numRuns: 2000 },
    );
  });

  test("a mask is ASCII, keeps at most four characters and needs no escaping in JSON", () => {
    fc.assert(
      fc.property(denseText, (text) => {
        for (const { replacement } of everything.redact(text).redactions) {
          expect(replacement).toMatch(/^\[[A-Z_]+:\*{4}[0-9A-Z]{0,4}\]$/);
        }
      }),
      { numRuns: 1000 },
    );
  });

  test("harmless text around a grouped identifier never hides it", () => {
    const harmless = readExamples()
      .filter(({ spans, text }) => spans.length === 0 && !/[\p{Nd}@[]/u.test(text))
      .map(({ text }) => text);
    const grouped = [
      "2341 2341 2346",
      "2341-2341-2346",
      "98765 43210",
      "+91 98765 43210",
      "27AAPFU0939F1ZV",
      "neha@example.com",
    ];
    fc.assert(
      fc.property(
        fc.constantFrom(...harmless),
        fc.constantFrom(...grouped),
        fc.constantFrom(...harmless),
        fc.constantFrom(" ", "\n", ", ", ". "),
        (before, identifier, after, gap) => {
          const text = before + gap + identifier + gap + after;
          const start = before.length + gap.length;

          expect(defaultRedactor.redact(text).redactions).toContainEqual(
            expect.objectContaining({ start, end: start + identifier.length }),
          );
        },
      ),
      { numRuns: 1500 },
    );
  });

  test("a long text is masked like its lines, wherever it is cut into blocks", () => {
    const lines = readExamples().map(({ text }) => text);
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...lines), { minLength: 800, maxLength: 1200 }), (chosen) => {
        // A line that holds nothing between two others keeps labels from reaching across.
        const text = chosen.join("\n.\n\n");

        expect(defaultRedactor.redact(text).text).toBe(
          chosen.map((line) => defaultRedactor.redact(line).text).join("\n.\n\n"),
        );
      }),
      { numRuns: 15 },
    );
  });
});
