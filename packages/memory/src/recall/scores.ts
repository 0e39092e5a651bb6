import { readEmbedding } from "../domain/input/embedding.js";
import { InvalidInputError } from "../errors.js";
import { cosine } from "./cosine.js";
import { distinctTerms } from "./terms.js";

/**
 * Cosine of the angle between two vectors, from -1 to 1.
 *
 * @throws InvalidInputError where a vector is empty, not finite or all zero, or the lengths differ: vectors of
 * different lengths come from different models and cannot be compared
 */
export function cosineSimilarity(a: ArrayLike<number>, b: ArrayLike<number>): number {
  const first = readEmbedding(a, "a");
  const second = readEmbedding(b, "b");
  if (first.length !== second.length) throw new InvalidInputError("b", "must be as long as a");
  return cosine(first, second);
}

/**
 * The fraction, from 0 to 1, of the query's distinct terms that occur in the text: exact terms, no stemming, no
 * synonyms ("invoices" does not match "invoice"). It is the score of `recall` with strategy `lexical`.
 *
 * @throws InvalidInputError where either is not a string
 */
export function lexicalScore(query: string, text: string): number {
  if (typeof query !== "string") throw new InvalidInputError("query", "must be a string");
  if (typeof text !== "string") throw new InvalidInputError("text", "must be a string");
  const wanted = distinctTerms(query);
  if (wanted.length === 0) return 0;
  const present = new Set(distinctTerms(text));
  return wanted.filter((term) => present.has(term)).length / wanted.length;
}
