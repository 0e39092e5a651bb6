import { describe, expect, test } from "vitest";
import { EMPTY, merged, nextRun, type Report, type Run } from "../src/result/report.js";
import { markdown } from "../src/result/markdown.js";
import { aFailure, aRow } from "./figures.js";

const run = (id: number): Run => ({
  id,
  command: "npm run bench",
  at: "2026-01-01",
  versions: { Node: "20" },
  machine: "m",
});

describe("a report", () => {
  test("keeps the rows of cases and stores that a later run left out", () => {
    const before = merged(EMPTY, run(1), [aRow(), aRow({}, { case: "derive" }), aRow({}, { store: "PGlite" })]);

    const after = merged(before, run(2), [aRow({ ours: 5 }, { run: 2 })]);

    expect(shown(after)).toEqual(["derive Postgres 1000 4", "forget PGlite 1000 4", "forget Postgres 1000 5"]);
    expect(after.runs.map(({ id }) => id)).toEqual([1, 2]);
  });

  test("keeps larger sizes than those measured again, and forgets works that are measured no more", () => {
    const before = merged(EMPTY, run(1), [
      aRow({ work: "an old work" }),
      aRow({}, { size: 1_000_000 }),
      aRow({ work: "an old work" }, { size: 10 }),
    ]);

    const after = merged(before, run(2), [aRow({ ours: 5 }, { run: 2 })]);

    expect(shown(after)).toEqual(["forget Postgres 1000 5", "forget Postgres 1000000 4"]);
  });

  test("keeps smaller sizes of what a later run measured in a large store alone", () => {
    const before = merged(EMPTY, run(1), [aRow(), aRow({}, { size: 10_000 }), aRow({ work: "an old work" })]);

    const after = merged(before, run(2), [aRow({ ours: 5 }, { run: 2, size: 1_000_000 })]);

    expect(shown(after)).toEqual(["forget Postgres 1000 4", "forget Postgres 10000 4", "forget Postgres 1000000 5"]);
  });

  test("forgets a run of which no row is left", () => {
    const before = merged(EMPTY, run(1), [aRow()]);

    const after = merged(before, run(2), [aRow({}, { run: 2 })]);

    expect(after.runs.map(({ id }) => id)).toEqual([2]);
    expect(nextRun(after)).toBe(3);
  });

  test("grows row by row within a run", () => {
    const first = merged(EMPTY, run(1), [aRow()]);
    const again = merged(first, run(1), [aRow(), aRow({ work: "forget of 1,000" })]);

    expect(again.rows).toHaveLength(2);
    expect(again.runs).toHaveLength(1);
  });
});

describe("the page", () => {
  test("says that a case failed, and why, in the place of its figure", () => {
    const page = markdown(merged(EMPTY, run(1), [aFailure("no such table")]));

    expect(page).toContain("Failed: 1.");
    expect(page).toContain("| all of forget (no such table) | Postgres | 1,000 | **failed** |");
  });

  test("shows missed targets first, and again in their place", () => {
    const targets = [{ of: "ratio" as const, atMost: 1.3 }];
    const figure = { raw: 2, floor: "SELECT", ratio: 2, targets };

    const page = markdown(merged(EMPTY, run(1), [aRow(figure), aRow({ work: "met", ...figure, ratio: 1 })]));

    const line = "| forget of 10 | Postgres | 1,000 | 4 ms |  | 2: SELECT | 2 | ratio at most 1.3 | **no** | 1 |";
    expect(page).toContain(`## Targets not met\n\n| work`);
    expect(page.split(line)).toHaveLength(3);
    expect(page).toContain("Targets met: 1. Not met: 1.");
  });

  test("shows the sizes of a store in their order, whichever was measured last", () => {
    const before = merged(EMPTY, run(1), [aRow({}, { size: 1_000_000 }), aRow({}, { store: "PGlite" })]);

    const page = markdown(merged(before, run(2), [aRow({}, { run: 2 })]));

    expect(page.match(/(?<=^\| forget of 10 \| )[^|]+\| [\d,]+/gm)).toEqual([
      "Postgres | 1,000",
      "Postgres | 1,000,000",
      "PGlite | 1,000",
    ]);
  });

  test("cannot have its table broken by what a cell holds", () => {
    expect(markdown(merged(EMPTY, run(1), [aFailure("a | b")]))).toContain("(a \\| b)");
  });
});

function shown({ rows }: Report): readonly string[] {
  return rows.map((row) => `${row.case} ${row.store} ${String(row.size)} ${String(row.ours)}`).sort();
}
