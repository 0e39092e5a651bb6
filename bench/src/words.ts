/** Mulberry32: the same numbers for the same seed everywhere. */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const VOCABULARY = 20_000;

/** A word of a vocabulary in which few words are common and most are rare, as in speech. */
export function wordFrom(random: () => number): string {
  return `word${String(Math.floor(VOCABULARY ** random())).padStart(5, "0")}`;
}

/** A message of 25 to 54 words. */
export function messageFrom(random: () => number): string {
  return Array.from({ length: 25 + Math.floor(random() * 30) }, () => wordFrom(random)).join(" ");
}

export function vectorFrom(random: () => number, dimensions: number): Float32Array {
  return Float32Array.from({ length: dimensions }, () => random() - 0.5);
}
