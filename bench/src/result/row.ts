import type { Timing } from "../measure.js";

export type Unit = "ms" | "µs a row" | "MB/s" | "recall@10" | "round trips" | "rows left";

/** A line that a figure has to keep: of our figure, of its 95th percentile, or of its ratio to raw SQL. */
export interface Target {
  readonly of: "ours" | "p95" | "ratio";
  readonly atMost?: number;
  readonly atLeast?: number;
}

/** One figure. Rows are the same figure if case, work, store and size are. */
export interface Row {
  /** What it is selected by on the command line. */
  readonly case: string;
  readonly work: string;
  readonly store: string;
  /** Rows in the store when measuring began; of redaction, bytes. */
  readonly size: number;
  readonly state: "measured" | "failed" | "not run";
  readonly unit: Unit;
  readonly ours: number | null;
  readonly p95: number | null;
  readonly raw: number | null;
  /** What raw SQL did. */
  readonly floor: string | null;
  /** Our time over that of raw SQL, in the same run. */
  readonly ratio: number | null;
  readonly targets: readonly Target[];
  /** `null`: there is no target, or no figure. */
  readonly met: boolean | null;
  /** Why it failed or was not run, or what one must know to read it. */
  readonly note: string | null;
  /** Which of the runs it comes from. */
  readonly run: number;
}

/** A row as a case hands it over; the runner knows the rest. */
export interface Figure {
  readonly work: string;
  readonly size?: number;
  readonly unit: Unit;
  readonly ours: number;
  readonly p95?: number;
  readonly raw?: number;
  readonly floor?: string;
  readonly ratio?: number;
  readonly targets?: readonly Target[];
  readonly note?: string;
  /** The store, where it is another than the one measured: a peer. */
  readonly store?: string;
}

export interface TimedWork {
  readonly work: string;
  readonly size?: number;
  readonly ours: Timing;
  readonly raw?: Timing | undefined;
  /** How many rows one round is about: the figures are then microseconds a row. */
  readonly per?: number;
  readonly targets?: readonly Target[];
  readonly note?: string;
}

export function timed({ work, size, ours, raw, per, targets, note }: TimedWork): Figure {
  const scale = (ms: number) => (per === undefined ? ms : (ms * 1000) / per);
  return {
    work,
    unit: per === undefined ? "ms" : "µs a row",
    ours: scale(ours.median),
    p95: scale(ours.p95),
    ...(size === undefined ? {} : { size }),
    ...(raw === undefined ? {} : { raw: scale(raw.median), floor: raw.name, ratio: ours.median / raw.median }),
    ...(targets === undefined ? {} : { targets }),
    ...(note === undefined ? {} : { note }),
  };
}

export interface Place {
  readonly case: string;
  readonly store: string;
  readonly size: number;
  readonly run: number;
}

export function measured(place: Place, figure: Figure): Row {
  const rounded = {
    ours: round(figure.ours),
    p95: figure.p95 === undefined ? null : round(figure.p95),
    ratio: figure.ratio === undefined ? null : round(figure.ratio),
  };
  const targets = figure.targets ?? [];
  return {
    ...place,
    work: figure.work,
    store: figure.store ?? place.store,
    size: figure.size ?? place.size,
    state: "measured",
    unit: figure.unit,
    ...rounded,
    raw: figure.raw === undefined ? null : round(figure.raw),
    floor: figure.floor ?? null,
    targets,
    met: targets.length === 0 ? null : targets.every((target) => isMet(target, rounded[target.of])),
    note: figure.note ?? null,
  };
}

/** A case that gave no figure, and why. */
export function unmeasured(place: Place, state: "failed" | "not run", why: string): Row {
  const none = { ours: null, p95: null, raw: null, floor: null, ratio: null, met: null };
  return { ...place, work: `all of ${place.case}`, state, unit: "ms", ...none, targets: [], note: why };
}

// What was not measured keeps no promise.
function isMet({ atMost, atLeast }: Target, value: number | null): boolean {
  if (value === null || Number.isNaN(value)) return false;
  return (atMost === undefined || value <= atMost) && (atLeast === undefined || value >= atLeast);
}

function round(value: number): number {
  return Number(value.toPrecision(3));
}
