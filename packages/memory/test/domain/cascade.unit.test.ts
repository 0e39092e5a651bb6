import { describe, expect, test } from "vitest";
import { cascadeDerived, type ProvenanceEdge } from "../../src/domain/cascade.js";

const from = (derivedId: string, ...sources: string[]): ProvenanceEdge[] =>
  sources.map((sourceId) => ({
    derivedId,
    sourceKind: sourceId.startsWith("m") ? "memory" : "derived",
    sourceId,
  }));

describe("what an erased memory reaches", () => {
  test.each([
    ["nothing was derived", ["m1"], [], [], 0],
    ["a summary", ["m1"], from("d1", "m1"), ["d1"], 1],
    ["a summary of a summary", ["m1"], [...from("d1", "m1"), ...from("d2", "d1")], ["d1", "d2"], 2],
    ["a digest of several, in whatever position", ["m2"], from("d1", "m1", "m2", "m3"), ["d1"], 1],
    [
      "a diamond, where each row is reached once",
      ["m1"],
      [...from("d1", "m1"), ...from("d2", "m1"), ...from("d3", "d1", "d2")],
      ["d1", "d2", "d3"],
      2,
    ],
    ["the shortest path decides the depth", ["m1"], [...from("d1", "m1"), ...from("d2", "d1", "m1")], ["d1", "d2"], 1],
    ["a cycle forced in by hand ends", ["m1"], [...from("d1", "m1", "d2"), ...from("d2", "d1")], ["d1", "d2"], 2],
    ["what comes from others stays", ["m1"], from("d1", "m2"), [], 0],
  ] as const)("%s", (_case, memoryIds, edges, derivedIds, depth) => {
    expect(cascadeDerived({ memoryIds, edges })).toEqual({ derivedIds, depth });
  });

  test("a memory and a derived row of the same id are two rows", () => {
    const edges: ProvenanceEdge[] = [{ derivedId: "d1", sourceKind: "derived", sourceId: "x" }];

    expect(cascadeDerived({ memoryIds: ["x"], edges })).toEqual({ derivedIds: [], depth: 0 });
  });

  test("refuses what are no edges", () => {
    const bad = [null, {}, { memoryIds: "m1", edges: [] }, { memoryIds: ["m1"], edges: [{ derivedId: "d1" }] }];
    for (const input of bad) {
      expect(() => cascadeDerived(input as never)).toThrow(expect.objectContaining({ code: "ERR_INVALID_INPUT" }));
    }
  });
});
