import { describe, expect, test } from "vitest";
import {
  DEFAULT_KINDS,
  defaultRedactor,
  isValidAadhaar,
  isValidGstin,
  isValidIfsc,
  isValidPan,
} from "../../src/redaction/index.js";
import { readExamples, scoreRedactor } from "./labelled-examples.js";

const examples = readExamples();

describe("labelled examples of chat, finance and support text", () => {
  test("there are at least as many harmless lines as lines with an identifier", () => {
    const harmless = examples.filter(({ spans }) => spans.length === 0).length;

    expect(examples.length).toBeGreaterThanOrEqual(400);
    expect(harmless).toBeGreaterThanOrEqual(examples.length - harmless);
    expect(new Set(examples.map(({ text }) => text)).size).toBe(examples.length);
  });

  test("every default kind is found and every finding is right, in at least the promised share of the lines", () => {
    const score = scoreRedactor(defaultRedactor, examples);

    console.table(
      score.kinds.map(({ kind, spans, precision, recall }) => ({
        kind,
        spans,
        precision: percent(precision),
        recall: percent(recall),
      })),
    );
    console.log(
      `exact: core ${percent(score.exact.core)}, hard ${percent(score.exact.hard)}; harmless kept ${percent(score.harmlessKept)}`,
    );
    expect(score.kinds.map(({ kind }) => kind).sort()).toEqual([...DEFAULT_KINDS].sort());
    expect(score.wrong).toEqual([]);
    expect(score.falseAlarms).toBe(0);
  });

  test.each(["aadhaar", "pan", "gstin", "ifsc"] as const)("the labelled %s values carry real check digits", (kind) => {
    const validators = { aadhaar: isValidAadhaar, pan: isValidPan, gstin: isValidGstin, ifsc: isValidIfsc };
    const values = examples.flatMap(({ text, spans }) =>
      spans.filter((span) => span.kind === kind).map(({ start, end }) => text.slice(start, end)),
    );

    // Spaces, dashes, dots and what is invisible belong to the span, not to the value.
    const invalid = values.filter((value) => !validators[kind](value.replace(/[^\p{L}\p{Nd}]/gu, "")));

    expect(values.length).toBeGreaterThan(10);
    expect(invalid).toEqual([]);
  });

  test("a second pass over the masked text of every line changes nothing and finds nothing", () => {
    for (const { id, text } of examples) {
      const once = defaultRedactor.redact(text).text;

      expect({ id, ...defaultRedactor.redact(once) }).toEqual({ id, text: once, redactions: [] });
    }
  });

  test("no finding and no masked text of any line holds the value that was masked", () => {
    for (const { text, spans } of examples) {
      const result = defaultRedactor.redact(text);

      for (const { start, end } of spans)
        expect(JSON.stringify(result)).not.toContain(JSON.stringify(text.slice(start, end)).slice(1, -1));
    }
  });
});

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}
