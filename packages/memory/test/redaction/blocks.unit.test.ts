import { describe, expect, test } from "vitest";
import { blockEnds } from "../../src/redaction/blocks.js";
import { redact } from "../../src/redaction/index.js";

describe("long texts", () => {
  test("are cut before lines that hold nothing, and nowhere else", () => {
    const text = "call 9876543210\nthank you\n".repeat(10_000);
    const ends = blockEnds(text);

    expect(ends.length).toBeGreaterThan(3);
    expect(ends.at(-1)).toBe(text.length);
    for (const end of ends.slice(0, -1)) expect(text.slice(end, end + 10)).toBe("thank you\n");
  });

  test("stay whole where every line holds something", () => {
    const text = "call 9876543210\n".repeat(10_000);

    expect(blockEnds(text)).toEqual([text.length]);
  });

  test("keep a label on one line and its number on the next together", () => {
    const records = 8_000;
    const text = "A/c No\n12345678901\nbranch 12\n".repeat(records);

    expect(redact(text).text).toBe("A/c No\n[ACCOUNT:****8901]\nbranch 12\n".repeat(records));
  });

  test("report offsets of the whole text", () => {
    const text = "thank you\n\ncall 9876543210\n".repeat(5_000);

    for (const { start, end } of redact(text).redactions) expect(text.slice(start, end)).toBe("9876543210");
    expect(redact(text).redactions).toHaveLength(5_000);
  });
});
