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
 * The report after a run. Of what the run covered (a case in a store, up to its largest size) nothing older stays, so
 * that a figure nobody measures any more does not live on; larger sizes and other cases keep the rows they had.
 */
export function merged(before: Report, run: Run, rows: readonly Row[]): Report {
  const largest = new Map<string, number>();
  for (const row of rows) {
    const key = part(row);
    largest.set(key, Math.max(largest.get(key) ?? 0, row.size));
  }
  const kept = before.rows.filter((row) => row.size > (largest.get(part(row)) ?? -1));
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
