/** One way to do a piece of work: what prepares a round is not timed, what it answers is. */
export interface Variant {
  readonly name: string;
  readonly prepare: (round: number) => Promise<() => Promise<unknown>> | (() => Promise<unknown>);
}

export interface Timing {
  readonly name: string;
  /** Median, in milliseconds. */
  readonly median: number;
  readonly p95: number;
  readonly rounds: number;
}

export interface Rounds {
  readonly rounds: number;
  /** After so many seconds no further round begins, once there are three. */
  readonly seconds: number;
  /** Off where a warm-up would cost as much as the measurement. */
  readonly warmUp?: boolean;
}

const FEWEST = 3;

/**
 * Times variants of one piece of work against each other: in turn, round after round, each round in another order, so
 * that whatever else the machine does falls on all of them. The first round warms up and is not counted.
 */
export async function alternate(
  { rounds, seconds, warmUp = true }: Rounds,
  variants: readonly Variant[],
): Promise<readonly Timing[]> {
  const times = variants.map((): number[] => []);
  const end = performance.now() + seconds * 1000;
  const first = warmUp ? 0 : 1;
  for (let round = first; round <= rounds; round++) {
    if (round > FEWEST && performance.now() > end) break;
    for (let turn = 0; turn < variants.length; turn++) {
      const which = (turn + round) % variants.length;
      const run = await variants[which]!.prepare(round);
      const begun = performance.now();
      await run();
      if (round > 0) times[which]!.push(performance.now() - begun);
    }
  }
  return variants.map(({ name }, which) => ({
    name,
    median: percentile(times[which]!, 0.5),
    p95: percentile(times[which]!, 0.95),
    rounds: times[which]!.length,
  }));
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}
