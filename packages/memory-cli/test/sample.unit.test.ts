import { defaultRedactor, type Redaction } from "@demystify/memory";
import { describe, expect, test } from "vitest";
import { sampleLines } from "./support/sample.js";

const LINES = sampleLines();
const DAY = 86_400_000;

function identifiers(text: string): readonly (readonly [string, string])[] {
  return defaultRedactor
    .redact(text)
    .redactions.map(({ kind, start, end }: Redaction) => [kind, text.slice(start, end)]);
}

describe("the sample conversation", () => {
  test("has at least 120 different messages of at least 12 customers over at least six weeks", () => {
    const times = LINES.map(({ at }) => Date.parse(at));

    expect(new Set(LINES.map(({ text }) => text)).size).toBeGreaterThanOrEqual(120);
    expect(new Set(LINES.map(({ subject }) => subject)).size).toBeGreaterThanOrEqual(12);
    expect(Math.max(...times) - Math.min(...times)).toBeGreaterThan(42 * DAY);
  });

  test("is in order of time, in English, in Hindi, and in Hindi written in Latin letters", () => {
    expect(LINES.map(({ at }) => at)).toEqual(LINES.map(({ at }) => at).toSorted());
    expect(LINES.filter(({ text }) => /\p{Script=Devanagari}/u.test(text)).length).toBeGreaterThan(20);
    expect(LINES.filter(({ text }) => /\b(?:hai|nahi|kab|karo)\b/u.test(text)).length).toBeGreaterThan(20);
  });

  test("holds identifiers of every kind, each of them found and masked before a write", () => {
    const kinds = LINES.flatMap(({ text }) => identifiers(text)).map(([kind]) => kind);
    const counts = Object.fromEntries(
      [...new Set(kinds)].sort().map((kind) => [kind, kinds.filter((each) => each === kind).length]),
    );

    expect(counts).toEqual({ aadhaar: 6, bank_account: 7, email: 6, gstin: 2, ifsc: 2, pan: 5, phone_in: 12 });
  });

  test("names no e-mail domain that anybody could own", () => {
    const addresses = LINES.flatMap(({ text }) => identifiers(text)).flatMap(([kind, value]) =>
      kind === "email" ? [value] : [],
    );

    expect(addresses.filter((address) => !/@example\.(?:com|net|org)$/.test(address))).toEqual([]);
  });
});
