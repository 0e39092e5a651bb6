import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readEmbedding, readOptionalEmbedding, toVector } from "../../src/domain/input/embedding.js";

describe("an embedding", () => {
  test.each([
    ["an array", [1, -2.5]],
    ["32-bit floats", Float32Array.of(1, -2.5)],
    ["64-bit floats", Float64Array.of(1, -2.5)],
    ["an array-like object", { length: 2, 0: 1, 1: -2.5 }],
  ])("may be %s", (_case, given) => {
    expect(readEmbedding(given, "embedding")).toEqual(Float32Array.of(1, -2.5));
  });

  test("is a copy", () => {
    const given = Float32Array.of(1, 2);
    const read = readEmbedding(given, "embedding");
    given[0] = 9;

    expect(read[0]).toBe(1);
  });

  test.each([
    ["null", null, "must be an array of numbers"],
    ["a string", "12", "must be an array of numbers"],
    ["an object without a length", {}, "must be an array of numbers"],
    ["a negative length", { length: -1 }, "must be an array of numbers"],
    ["a length that is no number", { length: "2" }, "must be an array of numbers"],
    ["empty", [], "must not be empty"],
    ["too long", new Float32Array(16_001), "must hold at most 16000 numbers"],
    ["of endless length", { length: 2 ** 53 }, "must hold at most 16000 numbers"],
    ["of strings", ["1"], "must hold numbers only"],
    ["of big integers", BigInt64Array.of(1n), "must hold numbers only"],
    ["with a hole", new Array(2), "must hold numbers only"],
    ["not a number", [1, Number.NaN], "must hold finite numbers that fit in 32 bits"],
    ["infinite", [-Infinity], "must hold finite numbers that fit in 32 bits"],
    ["too large for 32 bits", [1e39], "must hold finite numbers that fit in 32 bits"],
    ["all zero", [0, -0], "must not be all zero"],
    ["all zero in 32 bits", [1e-50, -1e-60], "must not be all zero"],
  ])("is refused where it is %s", (_case, given, problem) => {
    expect(() => readEmbedding(given, "items[0].embedding")).toThrow(
      expect.objectContaining({ code: "ERR_INVALID_INPUT", message: `items[0].embedding: ${problem}` }),
    );
  });

  test("that cannot be read is refused without what it threw", () => {
    const hostile = {
      get length(): number {
        throw new Error("Ramesh");
      },
    };

    expect(toVector(hostile)).toBe("could not be read");
  });

  test("of any finite 32-bit numbers, not all zero, is kept to the bit", () => {
    const numbers = fc.float32Array({ noNaN: true, noDefaultInfinity: true, minLength: 1, maxLength: 40, size: "max" });
    fc.assert(
      fc.property(numbers, (vector) => {
        fc.pre(vector.some((number) => number !== 0));
        expect(readEmbedding(Array.from(vector), "embedding")).toEqual(vector);
      }),
    );
  });

  test("may be left out", () => {
    expect(readOptionalEmbedding(undefined, "embedding")).toBeNull();
    expect(readOptionalEmbedding([1], "embedding")).toEqual(Float32Array.of(1));
  });
});
