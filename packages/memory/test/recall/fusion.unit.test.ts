import { describe, expect, test } from "vitest";
import { rarityWeights } from "../../src/recall/rarity.js";
import { fuseRankings } from "../../src/recall/rank-fusion.js";

const hit = (id: string, createdAt = "2024-01-01T00:00:00.000Z") =>
  ({ kind: "memory", row: { memoryId: id, createdAt } }) as const;
const ids = (hits: readonly { readonly row: { readonly memoryId: string } }[]) => hits.map(({ row }) => row.memoryId);

describe("fused rankings", () => {
  test("put what both found before what only one did", () => {
    const fused = fuseRankings([
      [hit("a"), hit("b")],
      [hit("c"), hit("b")],
    ]);

    expect(ids(fused)).toEqual(["b", "c", "a"]);
  });

  test("score 1 what is first in all of them, and half of that what is first in one of two", () => {
    expect(fuseRankings([[hit("a")], [hit("a")]]).map(({ score }) => score)).toEqual([1]);
    expect(fuseRankings([[hit("a")], []]).map(({ score }) => score)).toEqual([0.5]);
  });

  test("break ties by the newest, then by id", () => {
    const older = hit("z", "2023-01-01T00:00:00.000Z");

    expect(ids(fuseRankings([[older], [hit("a")]]))).toEqual(["a", "z"]);
    expect(ids(fuseRankings([[hit("a")], [hit("b")]]))).toEqual(["b", "a"]);
  });

  test("keep a memory and a derived row of one id apart", () => {
    const derived = { kind: "derived", row: { derivedId: "a", createdAt: "2024-01-01T00:00:00.000Z" } } as const;

    expect(fuseRankings<ReturnType<typeof hit> | typeof derived>([[hit("a")], [derived]])).toHaveLength(2);
  });
});

describe("weights by rarity", () => {
  test("are the greater the fewer rows hold a term, and never nothing", () => {
    const weights = rarityWeights(1000, [0, 1, 10, 500, 1000]);

    expect(weights).toEqual([...weights].sort((a, b) => b - a));
    expect(new Set(weights).size).toBe(5);
    expect(rarityWeights(1_000_000_000, [1_000_000_000])).toEqual([1]);
  });

  test("are whole numbers, so that a sum does not depend on its order", () => {
    expect(rarityWeights(77, [1, 5, 33]).every(Number.isSafeInteger)).toBe(true);
  });
});
