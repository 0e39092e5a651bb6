import { sha256 } from "#digest";
import { readFields } from "../domain/input/fields.js";
import { isWellFormed, readKey } from "../domain/input/strings.js";
import { InvalidInputError } from "../errors.js";
import { toHex } from "./encoding.js";
import { Keyring } from "./keyring.js";
import { readPepper, type Pepper } from "./pepper.js";

/**
 * SHA-256 of a text's UTF-8, as 64 lower-case hexadecimal digits.
 *
 * @throws InvalidInputError where the text is not well-formed, because it has no UTF-8
 */
export function sha256Hex(text: string): string {
  if (typeof text !== "string") throw new InvalidInputError("text", "must be a string");
  if (!isWellFormed(text)) throw new InvalidInputError("text", "contains half a surrogate pair");
  return toHex(sha256(new TextEncoder().encode(text)));
}

/**
 * The hash a person is filed under: HMAC-SHA-256 with the pepper, SHA-256 without one, as 64 lower-case hexadecimal
 * digits. What is hashed is three parts (`subject`, the tenant key, the subject key), each with its length in front
 * as four bytes, so that keys cannot run into each other.
 *
 * @throws InvalidInputError
 */
export function subjectHash(input: {
  readonly tenantKey: string;
  readonly subjectKey: string;
  readonly pepper?: Pepper;
}): string {
  const fields = readFields(input, ["tenantKey", "subjectKey", "pepper"]);
  const tenantKey = readKey(fields.tenantKey, "tenantKey");
  const subjectKey = readKey(fields.subjectKey, "subjectKey");
  const keyring = new Keyring(fields.pepper === undefined ? [] : readPepper(fields.pepper, "pepper"));
  return keyring.subject(tenantKey, subjectKey)[0].hash;
}
