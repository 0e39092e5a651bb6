import { UsageError } from "../cli-error.js";

const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/**
 * `90s`, `30m`, `24h` or `7d` in milliseconds.
 *
 * @throws {UsageError}
 */
export function readDuration(text: string, option: string): number {
  const [, amount = "", unit = ""] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  const factor = UNITS[unit];
  if (factor === undefined) throw new UsageError(`${option} is not a duration`, "Give it as 90s, 30m, 24h or 7d.");
  return Number(amount) * factor;
}
