import { expect, test } from "vitest";
import { frozenCopy, jsonContains } from "../../src/adapters/in-memory/json.js";
import type { JsonValue, Metadata } from "../../src/index.js";

// Each line was answered by PostgreSQL: select left @> right.
test.each<[JsonValue, JsonValue, boolean]>([
  [{}, {}, true],
  [{ a: 1 }, {}, true],
  [{ a: 1, b: 2 }, { b: 2 }, true],
  [{ a: 1 }, { a: 1, b: 2 }, false],
  [{ a: { b: 1, c: 2 } }, { a: { c: 2 } }, true],
  [{ a: { b: { c: 1 } } }, { b: { c: 1 } }, false],
  [[1, 2, 3], [3, 1], true],
  [[1, 2], [1, 1, 2], true],
  [[1], [1, 2], false],
  [[], [], true],
  [[1], {}, false],
  [{}, [], false],
  [[[1, 2]], [1], false],
  [[[1, 2]], [[1]], true],
  [[{ a: 1, b: 2 }], [{ b: 2 }], true],
  [["a", "b"], "a", true],
  ["a", ["a"], false],
  ["a", "a", true],
  [{ l: ["a"] }, { l: "a" }, false],
  [[["a"]], ["a"], false],
  [null, null, true],
  [{ a: null }, { a: null }, true],
  [{}, { a: null }, false],
  [{ a: 0 }, { a: false }, false],
  [{ a: "1" }, { a: 1 }, false],
])("%j contains %j: %s", (whole, part, contained) => {
  expect(jsonContains(whole, part)).toBe(contained);
});

test("a key that every object inherits is contained only where it was given", () => {
  expect(jsonContains({}, { constructor: 1 })).toBe(false);
  expect(
    jsonContains(JSON.parse('{"__proto__": {"a": 1}}') as JsonValue, JSON.parse('{"__proto__": {}}') as JsonValue),
  ).toBe(true);
});

test("a frozen copy is equal, shares nothing and cannot be changed at any depth", () => {
  const original = { list: [1, { deep: "x" }], object: { key: null } };

  const copy = frozenCopy(original) as { list: [number, Metadata]; object: Metadata };

  expect(copy).toEqual(original);
  expect([copy, copy.list, copy.list[1], copy.object].map((part) => Object.isFrozen(part))).toEqual([
    true,
    true,
    true,
    true,
  ]);
  original.list.push(2);
  expect(copy.list).toHaveLength(2);
});
