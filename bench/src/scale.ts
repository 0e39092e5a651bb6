import type { Scale } from "./cases/case.js";
import type { Rounds } from "./measure.js";
import type { StoreName } from "./stores/store.js";

/** To see that everything runs: the figures say nothing. */
export const QUICK: Scale = {
  name: "quick",
  batches: { rounds: 3, seconds: 3 },
  singles: { rounds: 10, seconds: 3 },
  sizes: { Postgres: [1000], PGlite: [1000], "in memory": [1000] },
};

export const DEFAULT: Scale = {
  name: "default",
  batches: { rounds: 7, seconds: 5 },
  singles: { rounds: 100, seconds: 5 },
  sizes: { Postgres: [1000, 10_000, 100_000], PGlite: [1000, 10_000], "in memory": [1000, 10_000, 100_000] },
};

export const FULL: Scale = {
  name: "full",
  batches: { rounds: 9, seconds: 40 },
  singles: { rounds: 200, seconds: 90 },
  sizes: {
    Postgres: [1000, 10_000, 100_000, 1_000_000],
    PGlite: [1000, 10_000, 100_000],
    "in memory": [1000, 10_000, 100_000],
  },
};

/** PGlite is several times slower than a server and not what a speed is promised for: it gets half the time. */
export function scaleFor(scale: Scale, store: StoreName): Scale {
  if (store !== "PGlite") return scale;
  const half = (rounds: Rounds): Rounds => ({ ...rounds, seconds: rounds.seconds / 2 });
  return { ...scale, batches: half(scale.batches), singles: half(scale.singles) };
}
