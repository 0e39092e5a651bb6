import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { blockEnds } from "../../src/redaction/blocks.js";
import { detect } from "../../src/redaction/detect.js";
import { fold } from "../../src/redaction/folding/fold.js";
import { DEFAULT_KINDS, redact } from "../../src/redaction/index.js";
import { readExamples } from "./labelled-examples.js";

const DEFAULTS = {
  kinds: new Set(DEFAULT_KINDS),
  bareAccountNumbers: false,
  ignoreLabels: false,
  anyBankCode: false,
  labelledTypos: false,
};

describe("long texts", () => {
  test("are cut before lines that hold nothing", () => {
    const text = "call 9876543210\nthank you\n".repeat(10_000);
    const ends = blockEnds(text);

    expect(ends.length).toBeGreaterThan(3);
    expect(ends.at(-1)).toBe(text.length);
    for (const end of ends.slice(0, -1)) expect(text.slice(end, end + 10)).toBe("thank you\n");
  });

  test.each([
    ["begins with its number", "9876543210 is mine\n"],
    ["begins with a label", "call Ramesh 9876543210\n"],
    ["begins with a word that ties a label to a number", "is that 9876543210\n"],
    ["begins with a word that may be part of a code", "Ramesh 9876543210\n"],
    ["has an IFSC", "Ramesh pays to HDFC0001234 from 50100123456789\n"],
    ["has an IFSC in two parts", "Ramesh pays to HDFC 0001234 from 50100123456789\n"],
    ["has a mask", "Ramesh pays to [IFSC:****1234] from 50100123456789\n"],
    ["may hold digits of another script", "Ramesh pays to ९ 50100123456789\n"],
  ])("stay whole where every line %s", (_why, line) => {
    const text = line.repeat(4_000);

    expect(blockEnds(text)).toEqual([text.length]);
  });

  test("are cut before a line that begins with words of its own", () => {
    const text = "call 9876543210\nRamesh sends 9876543210\n".repeat(4_000);
    const ends = blockEnds(text);

    expect(ends.length).toBeGreaterThan(3);
    for (const end of ends.slice(0, -1)) expect(text.slice(end, end + 6)).toBe("Ramesh");
  });

  test("are masked as one block would be, whatever the order of their lines", () => {
    const lines = readExamples().map(({ text }) => text);
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...lines), { minLength: 1400, maxLength: 1600 }), (chosen) => {
        const text = chosen.join("\n");
        const uncut = detect(fold(text), DEFAULTS);

        expect(blockEnds(text).length).toBeGreaterThan(1);
        expect(redact(text).redactions).toEqual(uncut);
      }),
      { numRuns: 10 },
    );
  });

  test("leave out what nobody looks at", () => {
    const view = fold("thank you\n".repeat(10_000) + "Account No\n12345678901\n");

    expect(view.slice(0, view.length)).toBe("thank you\nAccount No\n12345678901\n");
    expect(view.inputStart(view.length - 12)).toBe(100_011);
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
