import { describe, expect, test } from "vitest";
import { readSources } from "../../src/domain/input/sources.js";

const id = (n: number) => `018f3c2a-7b1d-7c4e-9a5f-${n.toString(16).padStart(12, "0")}`;
const memory = (n: number) => ({ sourceKind: "memory", sourceId: id(n) });

describe("the sources of a derived row", () => {
  test("are kept in order, ids in lower case", () => {
    const upper = { sourceKind: "derived", sourceId: id(10).toUpperCase() };

    expect(readSources([memory(1), upper], "sources")).toEqual([
      memory(1),
      { sourceKind: "derived", sourceId: id(10) },
    ]);
  });

  test("may be a memory and a derived row of the same id", () => {
    expect(readSources([memory(1), { ...memory(1), sourceKind: "derived" }], "sources")).toHaveLength(2);
  });

  test.each([
    ["absent", undefined],
    ["empty", []],
  ])("are demanded where they are %s", (_case, sources) => {
    expect(() => readSources(sources, "sources")).toThrow(expect.objectContaining({ code: "ERR_PROVENANCE_REQUIRED" }));
  });

  test("may be 4,096; for more the way is to derive in two levels", () => {
    const most = Array.from({ length: 4096 }, (_, n) => memory(n));

    expect(readSources(most, "sources")).toHaveLength(4096);
    expect(() => readSources([...most, memory(5000)], "sources")).toThrow(
      expect.objectContaining({
        code: "ERR_INVALID_INPUT",
        help: expect.stringContaining("Derive in two levels") as string,
      }),
    );
  });

  test.each([
    ["no array", memory(1), "sources"],
    ["null", null, "sources"],
    ["an id alone", [id(1)], "sources[0]"],
    ["an unknown sort", [{ sourceKind: "summary", sourceId: id(1) }], "sources[0].sourceKind"],
    ["no id", [memory(2), { sourceKind: "memory" }], "sources[1].sourceId"],
    ["a field too many", [{ ...memory(1), weight: 1 }], "sources[0]"],
    ["the same row twice", [memory(1), memory(2), memory(1)], "sources[2]"],
    ["the same row in another case", [memory(10), { ...memory(10), sourceId: id(10).toUpperCase() }], "sources[1]"],
  ])("are refused where there is %s", (_case, sources, argument) => {
    expect(() => readSources(sources, "sources")).toThrow(
      expect.objectContaining({ code: "ERR_INVALID_INPUT", argument }),
    );
  });

  test("of malformed ids are unknown, and named by their places because their values may be anything", () => {
    const sources = [memory(1), { sourceKind: "memory", sourceId: "Ramesh" }, { sourceKind: "derived", sourceId: "" }];

    expect(() => readSources(sources, "sources")).toThrow(
      expect.objectContaining({
        code: "ERR_UNKNOWN_SOURCE",
        sourceIds: ["sources[1]", "sources[2]"],
        message: "unknown source: sources[1], sources[2]",
      }),
    );
  });
});
