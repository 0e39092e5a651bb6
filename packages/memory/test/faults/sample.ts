/** Whether this run is the long one, with the stated numbers; else it takes a seeded sample. */
export const LONG = process.env["LONG"] === "1";

/** The seed of this run's samples: `FAULT_SEED`, to see again what failed; else the same for every run. */
export const SEED = Number(process.env["FAULT_SEED"] ?? "1");

/** All of them in the long run; else as many as asked for, spread over the whole and the last one always among them. */
export function sampleOf<Item>(items: readonly Item[], wanted: number): readonly Item[] {
  if (LONG || items.length <= wanted) return items;
  const random = randomFrom(SEED);
  const size = items.length / wanted;
  return Array.from({ length: wanted }, (_, part) =>
    part === wanted - 1 ? items.at(-1)! : items[Math.floor(part * size + random() * size)]!,
  );
}

/** Mulberry32: small, and the same sequence for the same seed everywhere. */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
