import { describe, expect, test } from "vitest";
import { isWithin, meetsConditions } from "../../src/domain/row-filter.js";

describe("conditions on metadata", () => {
  test.each([
    [{ exists: true }, { a: null }, true],
    [{ exists: true }, {}, false],
    [{ exists: false }, {}, true],
    [{ exists: false }, { a: 0 }, false],
    [{ in: [1, "x"] }, { a: "x" }, true],
    [{ in: [1, "x"] }, { a: "1" }, false],
    [{ in: [null] }, { a: null }, true],
    [{ in: [null] }, {}, false],
    [{ gte: 2, lt: 3 }, { a: 2 }, true],
    [{ gte: 2, lt: 3 }, { a: 3 }, false],
    [{ gt: 2 }, { a: 2 }, false],
    [{ lte: 2 }, { a: 2 }, true],
    [{ gt: 2 }, { a: "3" }, false],
    [{ gt: "a" }, { a: "b" }, true],
    [{ gt: "a" }, { a: "a" }, false],
    [{ lt: "ab" }, { a: "a" }, true],
    [{ gt: 0 }, { a: [1] }, false],
    [{ gt: 0 }, {}, false],
  ])("%j of %j: %j", (condition, metadata, expected) => {
    expect(meetsConditions(metadata, { a: condition })).toBe(expected);
  });

  test("must all hold", () => {
    expect(meetsConditions({ a: 1, b: 2 }, { a: { in: [1] }, b: { gt: 5 } })).toBe(false);
    expect(meetsConditions({ a: 1, b: 6 }, { a: { in: [1] }, b: { gt: 5 } })).toBe(true);
  });

  test("order strings by code point, as Postgres does, and not by UTF-16 unit", () => {
    expect(meetsConditions({ a: "\u{1F600}" }, { a: { gt: "\uFFFD" } })).toBe(true);
  });

  test("see an own key called __proto__, and no inherited one", () => {
    const where = JSON.parse('{"__proto__": {"exists": true}}') as never;

    expect(meetsConditions(JSON.parse('{"__proto__": 1}') as never, where)).toBe(true);
    expect(meetsConditions({}, where)).toBe(false);
  });
});

describe("a period", () => {
  const day = { from: "2024-01-01T00:00:00.000Z", to: "2024-01-02T00:00:00.000Z" };

  test("includes its beginning and not its end", () => {
    expect(isWithin(day, day.from)).toBe(true);
    expect(isWithin(day, day.to)).toBe(false);
  });

  test("may have no end, or no beginning", () => {
    expect(isWithin({ from: day.from, to: null }, "2999-01-01T00:00:00.000Z")).toBe(true);
    expect(isWithin({ from: null, to: day.to }, "1999-01-01T00:00:00.000Z")).toBe(true);
  });

  test("holds no instant that is not known; without a period none is asked for", () => {
    expect(isWithin(day, null)).toBe(false);
    expect(isWithin(null, null)).toBe(true);
  });
});
