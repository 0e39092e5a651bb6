import { InvalidInputError } from "../../errors.js";

const CODE = /^[a-z][a-z0-9_.:-]{0,63}$/;
const FIVE_DIGITS = /\d{5}/;
const REFERENCE = /^[A-Z]{2,8}-\d{1,8}$/;

/**
 * Whether a string may stand where evidence is kept: short, lower-case, and with no run of digits long enough to be
 * a phone, account or identity number.
 */
export function isCode(value: string): boolean {
  return CODE.test(value) && !FIVE_DIGITS.test(value);
}

/** A kind, or another open code. */
export function readCode(value: unknown, path: string, fallback?: string): string {
  if (value === undefined && fallback !== undefined) return fallback;
  if (value === undefined) throw new InvalidInputError(path, "is required");
  if (typeof value !== "string") throw new InvalidInputError(path, "must be a string");
  if (!isCode(value)) {
    throw new InvalidInputError(path, "must match ^[a-z][a-z0-9_.:-]{0,63}$ and hold no run of five digits");
  }
  return value;
}

/** A reference to a record elsewhere, such as `CASE-1042`: letters and a number, with no room for a sentence. */
export function readReference(value: unknown, path: string): string {
  if (value === undefined) throw new InvalidInputError(path, "is required");
  if (typeof value !== "string") throw new InvalidInputError(path, "must be a string");
  if (!REFERENCE.test(value)) throw new InvalidInputError(path, "must match ^[A-Z]{2,8}-[0-9]{1,8}$");
  return value;
}

/** One value of a closed list. */
export function readOneOf<Value extends string>(
  value: unknown,
  path: string,
  allowed: readonly Value[],
  fallback?: Value,
): Value {
  if (value === undefined && fallback !== undefined) return fallback;
  if (value === undefined) throw new InvalidInputError(path, "is required");
  const found = allowed.find((candidate) => candidate === value);
  if (found === undefined) throw new InvalidInputError(path, `must be one of ${allowed.join(", ")}`);
  return found;
}
