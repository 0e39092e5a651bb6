import { InvalidInputError } from "../../errors.js";

/** The largest page and the largest number of hits. */
export const MAX_LIMIT = 1000;

/** A whole number within bounds, or `fallback` where the field is absent. */
export function readInteger(
  value: unknown,
  path: string,
  bounds: { readonly min: number; readonly max: number; readonly fallback?: number },
): number {
  if (value === undefined && bounds.fallback !== undefined) return bounds.fallback;
  if (typeof value !== "number" || !Number.isInteger(value) || value < bounds.min || value > bounds.max) {
    throw new InvalidInputError(path, `must be a whole number from ${bounds.min} to ${bounds.max}`);
  }
  return value;
}

/** A page size or a number of hits. */
export function readLimit(value: unknown, path: string, fallback: number): number {
  return readInteger(value, path, { min: 1, max: MAX_LIMIT, fallback });
}

/** The longest time a caller may name, in seconds: a leap year. */
const MAX_SECONDS = 31_622_400;

/** A length of time in seconds, 0 and fractions included. */
export function readSeconds(value: unknown, path: string): number {
  if (typeof value !== "number" || !(value >= 0 && value <= MAX_SECONDS)) {
    throw new InvalidInputError(path, `must be a number of seconds from 0 to ${MAX_SECONDS}`);
  }
  return value;
}

/** The least score of a hit; 0 where the field is absent. */
export function readMinScore(value: unknown, path: string): number {
  if (value === undefined) return 0;
  if (typeof value !== "number" || !(value >= 0 && value <= 1)) {
    throw new InvalidInputError(path, "must be a number from 0 to 1");
  }
  return value;
}
