import type { Row } from "./row.js";

/** One invocation of the command, and what it ran on. */
export interface Run {
  readonly id: number;
  readonly command: string;
  readonly at: string;
  readonly versions: Readonly<Record<string, string>>;
  readonly machine: string;
}

/** What `docs/benchmarks.json` holds. */
export interface Report {
  readonly runs: readonly Run[];
  readonly rows: readonly Row[];
}

export const EMPTY: Report = { runs: [], rows: [] };

/**
 * The report after a run. What the run measured replaces what the report had of the same size. Of the other sizes of a
 * case in a store those rows stay that are larger, and those of a work that the run has measured too: a figure nobody
 * measures any more does not live on.
 */
export function merged(before: Report, run: Run, rows: readonly Row[]): Report {
  const measured = new Map<string, { sizes: Set<number>; works: Set<string> }>();
  for (const row of rows) {
    const { sizes, works } = measured.get(part(row)) ?? { sizes: new Set(), works: new Set() };
    measured.set(part(row), { sizes: sizes.add(row.size), works: works.add(row.work) });
  }
  const kept = before.rows.filter((row) => {
    const again = measured.get(part(row));
    if (again === undefined) return true;
    return !again.sizes.has(row.size) && (again.works.has(row.work) || row.size > Math.max(...again.sizes));
  });
  const all = [...kept, ...rows];
  const runs = [...before.runs.filter(({ id }) => id !== run.id), run];
  return { runs: runs.filter(({ id }) => all.some((row) => row.run === id)), rows: all };
}

/** A number no run of the report has. */
export function nextRun({ runs }: Report): number {
  return Math.max(0, ...runs.map(({ id }) => id)) + 1;
}

function part({ case: name, store }: Row): string {
  return JSON.stringify([name, store]);
}
