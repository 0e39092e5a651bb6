import type { Timing } from "./measure.js";

/** One line of the table: our time, the floor's in the same run, and their ratio. */
export interface Line {
  readonly work: string;
  readonly ours: string;
  readonly floor: string;
  readonly ratio: number | null;
  readonly target: string;
}

export function line(
  work: string,
  ours: Timing,
  floor: Timing | null,
  { per, target = "" }: { readonly per?: number; readonly target?: string | undefined } = {},
): Line {
  return {
    work,
    ours: shown(ours, per),
    floor: floor === null ? "" : `${floor.name}: ${shown(floor, per)}`,
    ratio: floor === null ? null : Number((ours.median / floor.median).toFixed(2)),
    target,
  };
}

function shown({ median, p95 }: Timing, per: number | undefined): string {
  if (per === undefined) return `${round(median)} ms (p95 ${round(p95)})`;
  return `${round(median)} ms, ${round((median * 1000) / per)} µs a row`;
}

function round(value: number): string {
  return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);
}
