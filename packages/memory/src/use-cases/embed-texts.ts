import { toVector } from "../domain/input/embedding.js";
import type { EmbedderPort } from "../ports/embedder.js";

/** Why a text has no vector. */
export type NotEmbedded = "no_embedder" | "embedder_failed" | "bad_vector";

/**
 * One vector, or the reason for none, for each text: `embedder_failed` where the embedder threw, `bad_vector` where it
 * answered something unusable (a wrong count spoils the whole batch: nobody knows which vector is whose). Never
 * throws; the embedder's own error is dropped, because it may quote the text.
 *
 * @param texts redacted texts only; they are about to leave the process
 */
export async function embedTexts(
  embedder: EmbedderPort | null,
  texts: readonly string[],
): Promise<readonly (Float32Array | NotEmbedded)[]> {
  if (embedder === null) return texts.map(() => "no_embedder");
  if (texts.length === 0) return [];
  let answer: unknown;
  try {
    answer = await embedder.embed([...texts]);
  } catch {
    return texts.map(() => "embedder_failed");
  }
  return readVectors(answer, texts.length) ?? texts.map(() => "bad_vector");
}

function readVectors(answer: unknown, count: number): readonly (Float32Array | NotEmbedded)[] | null {
  if (!Array.isArray(answer) || answer.length !== count) return null;
  return Array.from(answer, (value: unknown) => {
    const vector = toVector(value);
    return typeof vector === "string" ? "bad_vector" : vector;
  });
}
