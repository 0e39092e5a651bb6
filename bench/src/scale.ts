import type { Scale } from "./cases/case.js";

/** To see that everything runs: the figures say nothing. */
export const QUICK: Scale = {
  name: "quick",
  batches: { rounds: 3, seconds: 3 },
  singles: { rounds: 10, seconds: 3 },
  sizes: { Postgres: [1000], PGlite: [1000], "in memory": [1000] },
};

export const DEFAULT: Scale = {
  name: "default",
  batches: { rounds: 7, seconds: 8 },
  singles: { rounds: 100, seconds: 8 },
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
