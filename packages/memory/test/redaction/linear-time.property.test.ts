import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  createRedactor,
  DEFAULT_KINDS,
  defaultRedactor,
  OPTIONAL_KINDS,
  type RedactorPort,
} from "../../src/redaction/index.js";

const everything = createRedactor({ kinds: [...DEFAULT_KINDS, ...OPTIONAL_KINDS] });
const inputs = JSON.parse(readFileSync(new URL("stress-inputs.json", import.meta.url), "utf8")) as [string, string][];

/** Far above what a linear pass takes on a busy machine, and far below what a quadratic one does. */
const BOUND_MS = 2_500;

describe("time grows with the length of the text and nothing else", () => {
  test.each(inputs)("256 KB of %s", (_name, piece) => {
    expect(millisecondsFor(defaultRedactor, piece, 256 * 1024)).toBeLessThan(BOUND_MS);
  });

  test.each(inputs)("64 KB of %s with every kind on", (_name, piece) => {
    expect(millisecondsFor(everything, piece, 64 * 1024)).toBeLessThan(BOUND_MS);
  });

  test("64 KB of any short piece", () => {
    const units = fc.oneof(
      fc.constantFrom(...Array.from("0123456789 .-+@:/()[]_#,aA%&;\n\r\t\u00a0\u200b\u0301९")),
      fc.constantFrom(
        "a/c",
        "no",
        "is",
        "account",
        "call",
        "aadhaar",
        "ifsc",
        "dob",
        "MH12",
        "GB82",
        "₹",
        "😀",
        "\ud83d",
      ),
    );
    const pieces = fc.array(units, { minLength: 1, maxLength: 6 }).map((parts) => parts.join(""));
    fc.assert(
      fc.property(pieces, (piece) => {
        expect(millisecondsFor(everything, piece, 64 * 1024)).toBeLessThan(BOUND_MS);
      }),
      { numRuns: 60 },
    );
  });
});

function millisecondsFor(redactor: RedactorPort, piece: string, size: number): number {
  const text = piece.repeat(Math.ceil(size / piece.length));
  const start = process.cpuUsage();
  redactor.redact(text);
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}
