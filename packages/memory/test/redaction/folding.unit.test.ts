import { describe, expect, test } from "vitest";
import { DECIMAL_ZEROS } from "../../src/redaction/folding/decimal-digits.js";
import { characterEnd } from "../../src/redaction/folding/characters-of-input.js";
import { fold } from "../../src/redaction/folding/fold.js";
import { LABEL_WORDS } from "../../src/redaction/context/vocabulary.js";
import { lookUp } from "../../src/redaction/context/lexicon.js";

describe("the folded view", () => {
  test("knows every decimal digit that this engine knows, by value", () => {
    for (let codePoint = 0x80; codePoint <= 0x1ffff; codePoint++) {
      const character = String.fromCodePoint(codePoint);
      if (!/\p{Nd}/u.test(character)) continue;

      const zero = DECIMAL_ZEROS.find((candidate) => codePoint >= candidate && codePoint <= candidate + 9) ?? NaN;

      expect([codePoint, show(character)]).toEqual([codePoint, String(codePoint - zero)]);
    }
  });

  test.each([
    ["no-break and thin spaces", "1\u00a02\u2009 3\u3000", "1 2  3 "],
    ["dashes", "1\u20102\u20113\u20134\u20145\u2212", "1-2-3-4-5-"],
    ["full-width forms", "\uff21\uff20\uff0b\uff11", "A@+1"],
    ["zero-width and direction marks", "1\u200b2\u200d3\ufeff4\u202e5", "12345"],
    ["marks on digits", "1\u03012\ufe0f\u20e33", "123"],
    ["digits outside the basic plane", "\u{1d7ce}\u{1d7d9}\u{1d7e4}", "012"],
    ["written-out characters", "a%40b&#64;c&nbsp;1%2B2", "a@b@c 1+2"],
    ["an escaped line break before a number", "x\\n98\\y", "x\n98\\y"],
  ])("shows %s in ASCII", (_what, text, folded) => {
    expect(show(text)).toBe(folded);
  });

  test("keeps marks in words, lone surrogates, NUL and line ends", () => {
    const text = "की \ud83d x\u0301 \udc00 \0 \r\n";

    expect(show(text)).toBe(text);
  });

  test("leads each folded unit back to its place in the input", () => {
    const text = "a%40\u200bb\u{1d7d9}c";
    const view = fold(text);
    const places = Array.from({ length: view.length }, (_, index) => view.inputStart(index));

    expect(view.slice(0, view.length)).toBe("a@b1c");
    expect(places).toEqual([0, 1, 5, 6, 8]);
    expect(places.map((start) => characterEnd(text, start))).toEqual([1, 4, 6, 8, 9]);
  });

  test("a digit ends after the marks on it", () => {
    expect(characterEnd("1\ufe0f\u20e3 ", 0)).toBe(3);
  });
});

describe("the vocabulary", () => {
  test("finds each label by its own spelling, in either case", () => {
    for (const [label, words] of Object.entries(LABEL_WORDS)) {
      for (const word of words.split(/\s+/)) {
        for (const written of [word, word.toUpperCase()]) {
          const view = fold(written);

          expect([word, lookUp(view, 0, view.length)?.label]).toEqual([word, label]);
        }
      }
    }
  });

  test("reads Devanagari with and without its nukta dots", () => {
    for (const written of ["फोन", "फ़ोन", "\u095eोन"]) {
      const view = fold(written);

      expect(lookUp(view, 0, view.length)?.label).toBe("phone");
    }
  });
});

function show(text: string): string {
  const view = fold(text);
  return view.slice(0, view.length);
}
