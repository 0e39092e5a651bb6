import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { InvalidInputError } from "../../src/errors.js";
import { cosine, vectorLength } from "../../src/recall/cosine.js";
import { compareRanked } from "../../src/recall/ranking-order.js";
import { cosineSimilarity, lexicalScore } from "../../src/recall/scores.js";

describe("lexicalScore", () => {
  test.each([
    ["every term present", "late invoice", "The invoice came late", 1],
    ["half of them", "late invoice", "an invoice", 0.5],
    ["a term named twice counts once", "late late invoice", "late", 0.5],
    ["no stemming: invoices is not invoice", "invoices", "invoice", 0],
    ["no synonyms", "bill", "invoice", 0],
    ["a query without terms", "!!!", "anything!!!", 0],
    ["a Hindi word as written", "शिकायत", "ग्राहक की शिकायत", 1],
    ["another vowel sign is another word", "शिकायतें", "शिकायत", 0],
    ["a Japanese word inside a longer run", "東京", "東京タワー", 1],
  ])("%s", (_case, query, text, expected) => {
    expect(lexicalScore(query, text)).toBe(expected);
  });

  test("refuses anything but strings", () => {
    expect(() => lexicalScore(1 as never, "a")).toThrow(InvalidInputError);
    expect(() => lexicalScore("a", null as never)).toThrow(InvalidInputError);
  });
});

describe("cosineSimilarity", () => {
  test.each([
    ["the same direction", [1, 2], [2, 4], 1],
    ["the opposite one", [1, 2], [-1, -2], -1],
    ["a right angle", [1, 0], [0, 5], 0],
    ["half a right angle", [1, 0], [1, 1], Math.SQRT1_2],
  ])("of %s", (_case, a, b, expected) => {
    expect(cosineSimilarity(a, b)).toBeCloseTo(expected, 12);
  });

  test("takes typed arrays, and never leaves -1 to 1", () => {
    expect(cosineSimilarity(Float64Array.of(1, 0), Float32Array.of(1, 0))).toBe(1);
    const numbers = fc.array(fc.float({ noNaN: true, noDefaultInfinity: true, min: -1000, max: 1000 }), {
      minLength: 3,
      maxLength: 3,
    });
    fc.assert(
      fc.property(numbers, (vector) => {
        fc.pre(vector.some((number) => Math.fround(number) !== 0));
        const similarity = cosineSimilarity(vector, vector);
        expect(similarity).toBeLessThanOrEqual(1);
        expect(similarity).toBeGreaterThan(0.999);
      }),
    );
  });

  test.each([
    ["other lengths", [1], [1, 2], "b"],
    ["an empty vector", [], [], "a"],
    ["a zero vector", [1], [0], "b"],
    ["infinity", [Infinity], [1], "a"],
  ])("refuses %s", (_case, a, b, argument) => {
    expect(() => cosineSimilarity(a, b)).toThrow(expect.objectContaining({ code: "ERR_INVALID_INPUT", argument }));
  });
});

describe("cosine, for stores", () => {
  test("is 0 where a vector has no direction, and takes a length computed before", () => {
    const query = Float32Array.of(3, 4);

    expect(vectorLength(query)).toBe(5);
    expect(cosine(query, Float32Array.of(0, 0))).toBe(0);
    expect(cosine(query, Float32Array.of(3, 4), 5)).toBe(1);
  });
});

describe("the order of hits", () => {
  test("is the score, then the newest, then the id descending", () => {
    const row = (score: number, createdAt: string, id: string) => ({ score, createdAt, id });
    const sorted = [
      row(0.9, "2024-01-01T00:00:00.000Z", "a"),
      row(0.5, "2024-01-02T00:00:00.000Z", "a"),
      row(0.5, "2024-01-01T00:00:00.000Z", "b"),
      row(0.5, "2024-01-01T00:00:00.000Z", "a"),
    ];

    expect([...sorted].reverse().sort(compareRanked)).toEqual(sorted);
    expect(compareRanked(row(1, "x", "a"), row(1, "x", "a"))).toBe(0);
  });
});
