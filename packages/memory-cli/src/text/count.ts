import { UsageError } from "../cli-error.js";

/** A whole number within bounds. @throws {UsageError} */
export function readCount(
  text: string,
  option: string,
  bounds: { readonly min: number; readonly max: number },
): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= bounds.min && value <= bounds.max) return value;
  throw new UsageError(
    `${option} is not such a number`,
    `Give a whole number from ${bounds.min} to ${bounds.max.toLocaleString("en")}.`,
  );
}
