import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fold, LiteralIndex } from "../src/proof/literal-index.js";

const word = fc.string({
  unit: fc.constantFrom("a", "b", "A", " ", "1", "ह", "ि", '"', "\\"),
  minLength: 1,
  maxLength: 30,
});

function found(needles: readonly string[], haystack: string, whole = false): readonly number[] {
  const seen = new Set<number>();
  new LiteralIndex(needles.map((value) => ({ value, whole }))).search(haystack, (needle) => seen.add(needle));
  return [...seen].sort((a, b) => a - b);
}

describe("looking for many strings at once", () => {
  test("finds exactly what looking for each of them finds", () => {
    fc.assert(
      fc.property(fc.array(word, { maxLength: 8 }), fc.array(word, { maxLength: 20 }), (needles, words) => {
        const haystack = words.join("");
        const expected = needles.flatMap((needle, number) => {
          const forms = [fold(needle), JSON.stringify(fold(needle)).slice(1, -1)];
          return forms.some((form) => fold(haystack).includes(form)) ? [number] : [];
        });
        expect(found(needles, haystack)).toEqual(expected);
      }),
    );
  });

  test("finds every string it was planted with, at any place of a long text", () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: "grapheme", minLength: 12, maxLength: 60 }), { minLength: 1, maxLength: 50 }),
        word,
        (needles, glue) => {
          const haystack = needles.map(fold).join(fold(glue));
          expect(found(needles, haystack)).toEqual(needles.map((_, number) => number));
        },
      ),
      { numRuns: 50 },
    );
  });
});

describe("a string is found", () => {
  test("in another case, and composed otherwise", () => {
    expect(found(["Café au Lait in Pondicherry"], "cafe\u0301 AU LAIT in pondicherry")).toEqual([0]);
  });

  test("as it stands within JSON and within an array", () => {
    expect(found([`he said "call me" twice`], JSON.stringify({ note: `he said "call me" twice` }))).toEqual([0]);
  });

  test("as the bytes of a binary column", () => {
    expect(found(["नमस्ते जी, कैसे हैं"], `\\x00${Buffer.from("नमस्ते जी, कैसे हैं").toString("hex")}ff`)).toEqual([0]);
  });

  test("alone only, where that was asked for", () => {
    expect(found(["customer:1"], "customer:12", true)).toEqual([]);
    expect(found(["customer:1"], "{customer:1,customer:12}", true)).toEqual([0]);
    expect(found(["नमस्"], "नमस्ते", true)).toEqual([]);
    expect(found(["customer:ramesh-iyer"], "customer:ramesh-iyers customer:ramesh-iyer.", true)).toEqual([0]);
  });
});
