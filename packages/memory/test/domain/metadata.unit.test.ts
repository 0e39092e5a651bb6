import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readMetadata, readOptionalMetadata } from "../../src/domain/input/metadata.js";

const nested = (levels: number): unknown => (levels === 1 ? {} : { a: nested(levels - 1) });
const read = (value: unknown) => readMetadata(value, "metadata", 1000);

function cycle(): unknown {
  const value: Record<string, unknown> = {};
  value["self"] = value;
  return value;
}

/** 2^60 values in 60 small arrays. */
function bomb(): unknown {
  let value: unknown = [];
  for (let i = 0; i < 60; i++) value = [value, value];
  return { value };
}

describe("metadata", () => {
  test("is any JSON object, copied", () => {
    const given = { a: [1, "two", null, true, { b: [] }], "": -0.5 };
    const copy = read(given);
    given.a.push(2);

    expect(copy).toEqual({ a: [1, "two", null, true, { b: [] }], "": -0.5 });
  });

  test("may have no prototype, or that of another realm", () => {
    expect(read(Object.assign(Object.create(null) as object, { a: 1 }))).toEqual({ a: 1 });
    expect(read(runInNewContext("({ a: [1, { b: 2 }] })"))).toEqual({ a: [1, { b: 2 }] });
  });

  test("may hold a key named __proto__ without changing any prototype", () => {
    const copy = read(JSON.parse('{"__proto__": {"admin": true}}'));

    expect(JSON.stringify(copy)).toBe('{"__proto__":{"admin":true}}');
    expect((copy as { admin?: boolean }).admin).toBeUndefined();
  });

  test("has one zero, as JSON does", () => {
    expect(Object.is(read({ zero: -0 })["zero"], 0)).toBe(true);
  });

  test("may nest 64 levels and no more", () => {
    expect(read(nested(64))).toEqual(nested(64));
    expect(() => read(nested(65))).toThrow(
      expect.objectContaining({ message: "metadata: must not nest deeper than 64 levels" }),
    );
  });

  test("may be as large as the limit, to the byte", () => {
    expect(readMetadata({ a: "é" }, "metadata", 10)).toEqual({ a: "é" });
    expect(() => readMetadata({ a: "é" }, "metadata", 9)).toThrow(
      expect.objectContaining({ message: "metadata: must be at most 9 bytes of JSON" }),
    );
  });

  class Money {
    amount = 1;
  }

  test.each([
    ["null", null, "must be a plain JSON object"],
    ["an array", [], "must be a plain JSON object"],
    ["a string", "{}", "must be a plain JSON object"],
    ["a Date", new Date(), "must be a plain JSON object"],
    ["a Map", new Map(), "must be a plain JSON object"],
    ["a class instance", new Money(), "must be a plain JSON object"],
    ["a nested class instance", { a: new Money() }, "must hold JSON values only"],
    ["a nested Date", { a: new Date() }, "must hold JSON values only"],
    ["undefined inside", { a: undefined }, "must hold JSON values only"],
    ["a hole in an array", { a: new Array(1) }, "must hold JSON values only"],
    ["a function", { a: () => 1 }, "must hold JSON values only"],
    ["a method of its own that JSON would call", { toJSON: () => 1 }, "must hold JSON values only"],
    ["a big integer", { a: 1n }, "must hold JSON values only"],
    ["a symbol", { a: Symbol("a") }, "must hold JSON values only"],
    ["a symbol as a key", { [Symbol("a")]: 1 }, "must hold JSON values only"],
    ["NaN", { a: Number.NaN }, "must hold finite numbers only"],
    ["infinity", { a: [Infinity] }, "must hold finite numbers only"],
    ["a NUL in a value", { a: "\0" }, "contains a NUL character"],
    ["half a pair in a value", { a: ["\uD800"] }, "contains half a surrogate pair"],
    ["half a pair in a key", { "\uDC00": 1 }, "contains half a surrogate pair"],
    ["a cycle", cycle(), "must not nest deeper than 64 levels"],
    ["more values than bytes", bomb(), "holds too many values"],
    ["a longer array than there are bytes", { a: new Array(5000).fill(0) }, "holds too many values"],
  ])("is refused where it is or holds %s", (_case, value, problem) => {
    expect(() => read(value)).toThrow(
      expect.objectContaining({ code: "ERR_INVALID_INPUT", message: `metadata: ${problem}` }),
    );
  });

  test("that cannot be read is refused without what it threw", () => {
    const hostile = {
      get a(): string {
        throw new Error("Ramesh");
      },
    };

    expect(() => read(hostile)).toThrow(expect.objectContaining({ message: "metadata: could not be read" }));
  });

  test("of any JSON value is the same JSON", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 4 })), (value) => {
        const json = JSON.stringify(value);
        expect(JSON.stringify(readMetadata(JSON.parse(json), "metadata", 1_000_000))).toBe(json);
      }),
    );
  });

  test("may be left out", () => {
    expect(readOptionalMetadata(undefined, "metadata", 10)).toBeNull();
    expect(readOptionalMetadata({}, "metadata", 10)).toEqual({});
  });
});
