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

export const VOCABULARY = 20_000;
export const DIMENSIONS = 384;

/** The number of a word in a vocabulary in which few words are common and most are rare, as in speech. */
export function wordNumber(random: () => number): number {
  return Math.floor(VOCABULARY ** random());
}

export function word(number: number): string {
  return `word${String(number).padStart(5, "0")}`;
}

/** A message of 25 to 54 words. */
export function messageFrom(random: () => number): string {
  return Array.from({ length: 25 + Math.floor(random() * 30) }, () => word(wordNumber(random))).join(" ");
}

/** A query of three different words, common ones as likely as they are in messages. */
export function queryFrom(random: () => number): readonly number[] {
  const words = new Set<number>();
  while (words.size < 3) words.add(wordNumber(random));
  return [...words];
}

const CENTRES = 200;
const centres = Array.from({ length: CENTRES }, (_, n) => spread(randomFrom(1000 + n), 1));

/** Vectors in clusters, as those of texts are. */
export function vectorFrom(random: () => number): Float32Array {
  const centre = centres[Math.floor(random() * CENTRES)]!;
  const noise = spread(random, 0.35);
  return centre.map((value, place) => value + noise[place]!);
}

function spread(random: () => number, width: number): Float32Array {
  return Float32Array.from({ length: DIMENSIONS }, () => (random() - 0.5) * width);
}
