import type { EmbedderPort } from "../../src/index.js";

export interface RecordingEmbedder extends EmbedderPort {
  /** Every text that was handed out, in order. */
  readonly seen: string[];
}

/** An embedder that keeps what it was given: a bag of letters, so that the same text gives the same vector. */
export function aRecordingEmbedder(dimensions = 32): RecordingEmbedder {
  const seen: string[] = [];
  return {
    model: "bag-of-letters",
    seen,
    embed(texts) {
      seen.push(...texts);
      return Promise.resolve(texts.map((text) => bagOfLetters(text, dimensions)));
    },
  };
}

/** An embedder that answers whatever it is told to, or throws it. */
export function anEmbedderThat(answer: (texts: readonly string[]) => unknown): EmbedderPort {
  return { embed: async (texts) => (await answer(texts)) as readonly ArrayLike<number>[] };
}

function bagOfLetters(text: string, dimensions: number): number[] {
  const vector = new Array<number>(dimensions).fill(0);
  for (const letter of text) {
    const place = (letter.codePointAt(0) ?? 0) % dimensions;
    vector[place] = (vector[place] ?? 0) + 1;
  }
  return vector;
}
