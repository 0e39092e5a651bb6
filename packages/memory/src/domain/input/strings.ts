import { InvalidInputError } from "../../errors.js";
import { exceedsUtf8 } from "../utf8.js";

/** The longest key, id or token, in bytes of UTF-8. */
export const MAX_KEY_BYTES = 512;

const LONE_SURROGATE = /[\uD800-\uDFFF]/u;
const NOTHING_VISIBLE = /^[\p{White_Space}\p{Default_Ignorable_Code_Point}\p{Cc}]*$/u;

/** Why Postgres could not hold a string as it is, or `null` if it can. */
export function storageProblem(text: string): string | null {
  if (text.includes("\0")) return "contains a NUL character";
  if (!isWellFormed(text)) return "contains half a surrogate pair";
  return null;
}

/** Whether a string is a sequence of whole characters, so that it has a UTF-8 form. */
export function isWellFormed(text: string): boolean {
  return !LONE_SURROGATE.test(text);
}

/** Whether nothing in a string can be seen. */
export function isBlank(text: string): boolean {
  return NOTHING_VISIBLE.test(text);
}

/** A tenant, subject, idempotency or request key: opaque, compared exactly, never trimmed or normalised. */
export function readKey(value: unknown, path: string): string {
  if (value === undefined) throw new InvalidInputError(path, "is required");
  if (typeof value !== "string") throw new InvalidInputError(path, "must be a string");
  if (value.length > MAX_KEY_BYTES || exceedsUtf8(value, MAX_KEY_BYTES)) {
    throw new InvalidInputError(path, `must be at most ${MAX_KEY_BYTES} bytes of UTF-8`);
  }
  if (isBlank(value)) throw new InvalidInputError(path, "must not be blank");
  const problem = storageProblem(value);
  if (problem !== null) throw new InvalidInputError(path, problem);
  return value;
}

/** As `readKey`; `null` where the field is absent. */
export function readOptionalKey(value: unknown, path: string): string | null {
  return value === undefined ? null : readKey(value, path);
}

/** A text to store or to search with. It is stored exactly as it stands (redaction apart), or refused. */
export function readText(value: unknown, path: string, maxBytes: number): string {
  if (value === undefined) throw new InvalidInputError(path, "is required");
  if (typeof value !== "string") throw new InvalidInputError(path, "must be a string");
  if (exceedsUtf8(value, maxBytes)) {
    throw new InvalidInputError(
      path,
      `must be at most ${maxBytes} bytes of UTF-8`,
      "Split the text, or raise `maxTextBytes`; nothing was stored.",
    );
  }
  if (isBlank(value)) throw new InvalidInputError(path, "must not be blank");
  const problem = storageProblem(value);
  if (problem !== null) throw new InvalidInputError(path, problem);
  return value;
}
