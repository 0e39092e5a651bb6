import { describe, expect, test } from "vitest";
import { FINDING_CODES } from "../../src/domain/reconciliation.js";
import { verdictOf } from "../../src/domain/verdict.js";

const LOOKED = {
  memories: 5,
  derived: 5,
  placements: 5,
  tombstones: 5,
  persons: 5,
  personsUnchecked: 0,
  contentUnchecked: 0,
};
const finding = (code: (typeof FINDING_CODES)[number]) => ({ code, kind: "memory", id: "id" }) as const;

describe("the verdict of a sweep", () => {
  test("is clean where nothing was found and everything was looked at", () => {
    expect(verdictOf([], LOOKED, true)).toBe("clean");
    expect(verdictOf([], LOOKED, false)).toBe("clean");
  });

  test.each(FINDING_CODES.filter((code) => code !== "provenance_unknown"))("is residue for %s", (code) => {
    expect(verdictOf([finding("provenance_unknown"), finding(code)], LOOKED, true)).toBe("residue");
    expect(verdictOf([finding(code)], { ...LOOKED, personsUnchecked: 1 }, false)).toBe("residue");
  });

  test("is unchecked where derivations are unknown, or a person could not be compared", () => {
    expect(verdictOf([finding("provenance_unknown")], LOOKED, false)).toBe("unchecked");
    expect(verdictOf([], { ...LOOKED, personsUnchecked: 1 }, false)).toBe("unchecked");
  });

  test("is unchecked for rows without tags where there is a pepper to make them with, and not without one", () => {
    expect(verdictOf([], { ...LOOKED, contentUnchecked: 1 }, true)).toBe("unchecked");
    expect(verdictOf([], { ...LOOKED, contentUnchecked: 1 }, false)).toBe("clean");
  });
});
