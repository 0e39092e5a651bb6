import { describe, expect, test } from "vitest";
import { timed } from "../src/result/row.js";
import { aFailure, aRow } from "./figures.js";

describe("a figure", () => {
  test("meets its targets only if it meets all of them", () => {
    const targets = [
      { of: "ours" as const, atMost: 35 },
      { of: "p95" as const, atMost: 100 },
    ];

    expect(aRow({ ours: 35, p95: 100, targets }).met).toBe(true);
    expect(aRow({ ours: 35, p95: 101, targets }).met).toBe(false);
    expect(aRow({ ours: 36, p95: 100, targets }).met).toBe(false);
  });

  test("meets no target of something that was not measured", () => {
    expect(aRow({ targets: [{ of: "ratio", atMost: 1.3 }] }).met).toBe(false);
    expect(aRow({ ours: Number.NaN, targets: [{ of: "ours", atLeast: 0.98 }] }).met).toBe(false);
  });

  test("without a target has neither met nor missed one, and so has a failure", () => {
    expect(aRow().met).toBeNull();
    expect(aFailure("no such table").met).toBeNull();
  });

  test("of several rows is shown by the row, and its ratio is of the times", () => {
    const timing = (median: number) => ({ name: "DELETE", median, p95: median, rounds: 3 });

    const figure = timed({ work: "forget", ours: timing(30), raw: timing(10), per: 1000 });

    expect(figure).toMatchObject({ unit: "µs a row", ours: 30, raw: 10, floor: "DELETE", ratio: 3 });
  });
});
