import type { Message, RawFields } from "./message.js";

/** The limits of `@demystify/memory`, checked here so that the error can name a line. */
const MAX_KEY_BYTES = 512;
export const MAX_TEXT_BYTES = 1_048_576;

const ZONED_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})$/;

export type CheckedMessage = { readonly message: Message } | { readonly empty: true } | { readonly problem: string };

/** Turns the raw values of one line into a message, or says what was expected instead. */
export function checkMessage(
  line: number,
  fields: RawFields,
  names: { subject: string; text: string; time: string },
): CheckedMessage {
  const { subject, text, at } = fields;
  if (typeof subject !== "string") return { problem: wrongType(names.subject, subject) };
  if (subject.trim() === "")
    return { problem: `"${names.subject}" is blank; it must name the person the message is about` };
  const badKey = unstorable(subject, MAX_KEY_BYTES);
  if (badKey !== null) return { problem: `"${names.subject}" ${badKey}` };

  if (typeof text !== "string") return { problem: wrongType(names.text, text) };
  if (text.trim() === "") return { empty: true };
  const badText = unstorable(text, MAX_TEXT_BYTES);
  if (badText !== null) return { problem: `"${names.text}" ${badText}` };

  const time = checkTime(at);
  if (time === undefined) {
    return { problem: `"${names.time}" must be a time with a zone, such as 2025-08-04T09:12:00+05:30` };
  }
  return { message: { line, subjectKey: subject, at: time, text } };
}

/** `undefined`: not a time. `null`: none given. */
function checkTime(value: unknown): string | null | undefined {
  if (value === undefined || value === null || value === "") return null;
  // A time without a zone would be read in the zone of whatever machine runs this, and nobody would notice.
  if (typeof value !== "string" || !ZONED_TIME.test(value)) return undefined;
  const instant = new Date(value);
  if (Number.isNaN(instant.getTime()) || !isCalendarDay(value)) return undefined;
  const year = instant.getUTCFullYear();
  return year >= 1 && year <= 9999 ? instant.toISOString() : undefined;
}

/** `Date` rolls 30 February over into March instead of refusing it. */
function isCalendarDay(value: string): boolean {
  const [year = 0, month = 0, day = 0] = value.slice(0, 10).split("-").map(Number);
  const date = new Date(Date.UTC(2000, month - 1, day));
  date.setUTCFullYear(year, month - 1, day);
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
}

/** What a database could not keep unchanged, in words, or `null`. */
function unstorable(value: string, maxBytes: number): string | null {
  if (value.includes("\0")) return "holds a NUL character, which a database cannot store";
  if (!value.isWellFormed()) return "holds half of a surrogate pair, which is not a character";
  const bytes = Buffer.byteLength(value);
  return bytes > maxBytes
    ? `is ${bytes.toLocaleString("en")} bytes long; at most ${maxBytes.toLocaleString("en")} are kept`
    : null;
}

function wrongType(name: string, value: unknown): string {
  return value === undefined || value === null
    ? `"${name}" is missing; expected a string`
    : `"${name}" is ${Array.isArray(value) ? "an array" : `a ${typeof value}`}; expected a string`;
}
