import { InvalidInputError } from "../../errors.js";

const ISO_8601 = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?(?:Z|([+-])(\d{2}):?(\d{2}))$/;
const YEAR_1 = -62_135_596_800_000;
const YEAR_10000 = 253_402_300_800_000;
const PROBLEM = "must be a Date or an ISO 8601 date and time with a zone, such as 2024-05-01T09:30:00Z";

/**
 * An instant as an ISO 8601 string in UTC with milliseconds; finer digits are cut off. A string without a zone is
 * refused: it would mean something else on another machine.
 */
export function readInstant(value: unknown, path: string): string {
  const time = typeof value === "string" ? parseIso(value) : timeOf(value);
  if (time === null || Number.isNaN(time)) throw new InvalidInputError(path, PROBLEM);
  if (time < YEAR_1 || time >= YEAR_10000) throw new InvalidInputError(path, "must lie in the years 0001 to 9999");
  return new Date(time).toISOString();
}

/** As `readInstant`; `null` where the field is absent. */
export function readOptionalInstant(value: unknown, path: string): string | null {
  return value === undefined ? null : readInstant(value, path);
}

function timeOf(value: unknown): number | null {
  try {
    // Also works for a Date of another realm, and for nothing else.
    return Date.prototype.getTime.call(value);
  } catch {
    return null;
  }
}

function parseIso(text: string): number | null {
  const match = ISO_8601.exec(text);
  if (match === null) return null;
  const part = (group: number): number => Number(match[group] ?? 0);
  const [year, month, day] = [part(1), part(2), part(3)];
  const [hour, minute, second] = [part(4), part(5), part(6)];
  const millisecond = Number((match[7] ?? "").padEnd(3, "0").slice(0, 3));
  const [offsetHours, offsetMinutes] = [part(9), part(10)];
  if (hour > 23 || minute > 59 || second > 59 || offsetHours > 23 || offsetMinutes > 59) return null;

  // Date.UTC would take the years 0 to 99 for 1900 to 1999.
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  // 30 February rolls over into March: a date that does not read back is none.
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return null;
  date.setUTCHours(hour, minute, second, millisecond);

  const offset = (offsetHours * 60 + offsetMinutes) * 60_000;
  return date.getTime() - (match[8] === "-" ? -offset : offset);
}
