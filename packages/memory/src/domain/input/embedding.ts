import { InvalidInputError } from "../../errors.js";

/** The longest vector: what pgvector can hold. */
export const MAX_DIMENSIONS = 16_000;

/**
 * A vector as it is stored (32-bit floats), or the reason why it cannot be one: it must be finite in 32 bits, not
 * empty and not all zero, because a zero vector has no direction to compare.
 */
export function toVector(value: unknown): Float32Array | string {
  if (typeof value !== "object" || value === null) return "must be an array of numbers";
  try {
    return fill(value as ArrayLike<unknown>);
  } catch {
    return "could not be read";
  }
}

/** As `toVector`, with an `InvalidInputError` for the reason. */
export function readEmbedding(value: unknown, path: string): Float32Array {
  const vector = toVector(value);
  if (typeof vector === "string") throw new InvalidInputError(path, vector);
  return vector;
}

/** As `readEmbedding`; `null` where the field is absent. */
export function readOptionalEmbedding(value: unknown, path: string): Float32Array | null {
  return value === undefined ? null : readEmbedding(value, path);
}

function fill(source: ArrayLike<unknown>): Float32Array | string {
  const length = source.length;
  if (!Number.isInteger(length) || length < 0) return "must be an array of numbers";
  if (length === 0) return "must not be empty";
  if (length > MAX_DIMENSIONS) return `must hold at most ${MAX_DIMENSIONS} numbers`;

  const vector = new Float32Array(length);
  let largest = 0;
  for (let i = 0; i < length; i++) {
    const number = source[i];
    if (typeof number !== "number") return "must hold numbers only";
    vector[i] = number;
    const magnitude = Math.abs(Math.fround(number));
    if (!(magnitude < Infinity)) return "must hold finite numbers that fit in 32 bits";
    if (magnitude > largest) largest = magnitude;
  }
  return largest === 0 ? "must not be all zero" : vector;
}
