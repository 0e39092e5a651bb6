import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { distinctTerms } from "../../src/recall/terms.js";

describe("the terms of a text", () => {
  test.each([
    ["words in lower case, once each", "The invoice, the INVOICE!", ["the", "invoice"]],
    ["letters and digits apart from punctuation", "INV-42 paid_by a/c", ["inv", "42", "paid", "by", "a", "c"]],
    ["letters with digits in one word", "upi2pay v2", ["upi2pay", "v2"]],
    ["an apostrophe that divides", "customer's", ["customer", "s"]],
    ["nothing where there is no letter or digit", " !!! … 🙂 — ", []],
    ["nothing of an empty text", "", []],
  ])("are %s", (_case, text, expected) => {
    expect(distinctTerms(text)).toEqual(expected);
  });

  test.each([
    ["vowel signs and virama stay in a Hindi word", "ग्राहक की शिकायत, क्या?", ["ग्राहक", "की", "शिकायत", "क्या"]],
    ["a danda divides Hindi sentences", "पैसे मिले।धन्यवाद", ["पैसे", "मिले", "धन्यवाद"]],
    ["Devanagari digits count by value", "बिल ४२ और ९०", ["बिल", "42", "और", "90"]],
    ["Arabic digits count by value", "٠١٢٣٤٥٦٧٨٩ ۰۱۲۳۴۵۶۷۸۹", ["0123456789"]],
    ["Bengali and Tamil digits count by value", "১২৩ ௪௫௬", ["123", "456"]],
    ["Tamil and Telugu words stay whole", "வணக்கம் నమస్తే", ["வணக்கம்", "నమస్తే"]],
    ["Latin letters keep their marks, composed or not", "Café cafe\u0301", ["café"]],
    ["full-width letters are the same letters", "ＩＮＶ－４２", ["inv", "42"]],
    ["ligatures are the letters they join", "o\uFB03ce", ["office"]],
    ["German sharp s is ss, in any case", "STRASSE straße", ["strasse"]],
    ["Greek final sigma is sigma", "ΟΔΟΣ οδος", ["οδοσ"]],
    ["Cyrillic is folded too", "Привет ПРИВЕТ", ["привет"]],
    ["letters beyond the basic plane are letters", "𝔘nicode 𐐔", ["unicode", "𐐼"]],
  ])("%s", (_case, text, expected) => {
    expect(distinctTerms(text)).toEqual(expected);
  });

  test("an invisible joiner or soft hyphen does not divide a word, an invisible space does", () => {
    expect(distinctTerms("क्\u200Dष in\u00ADvoice")).toEqual(["क्ष", "invoice"]);
    expect(distinctTerms("ก\u200Bข")).toEqual(["ก", "ข"]);
  });

  test("a nukta letter is the same composed and decomposed", () => {
    expect(distinctTerms("\u0958लम")).toEqual(distinctTerms("क\u093Cलम"));
  });

  test("scripts without spaces give characters and neighbouring pairs", () => {
    expect(distinctTerms("東京都")).toEqual(["東", "京", "東京", "都", "京都"]);
    expect(distinctTerms("タワー")).toEqual(["タ", "ワ", "タワ", "ー", "ワー"]);
    expect(distinctTerms("ที่")).toEqual(["ที่"]);
  });

  test("a run of mixed scripts is divided where the script changes", () => {
    expect(distinctTerms("東京2020年abc")).toEqual(["東", "京", "東京", "2020", "年", "abc"]);
  });

  test("Korean words are words", () => {
    expect(distinctTerms("계좌 번호")).toEqual(["계좌", "번호"]);
  });

  test("are distinct, hold no space or capital, and are the same when taken twice", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 200, size: "max" }), (text) => {
        const terms = distinctTerms(text);

        expect(new Set(terms).size).toBe(terms.length);
        for (const term of terms) expect(term).not.toMatch(/[\s\p{P}]/u);
        expect(distinctTerms(terms.join(" "))).toEqual(expect.arrayContaining(terms as string[]));
      }),
    );
  });

  test("do not depend on case", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme-ascii", maxLength: 200, size: "max" }), (text) => {
        expect(distinctTerms(text.toUpperCase())).toEqual(distinctTerms(text.toLowerCase()));
      }),
    );
  });

  test("of hostile texts take time in proportion to their length", () => {
    const hostile = [
      "a".repeat(1 << 20),
      "é".repeat(1 << 20),
      "क्".repeat(1 << 19),
      "東".repeat(1 << 19),
      "\u0301".repeat(1 << 20),
    ];
    for (const text of hostile) {
      const start = performance.now();
      distinctTerms(text);
      expect(performance.now() - start).toBeLessThan(3000);
    }
  });
});
