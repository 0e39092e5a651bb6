import { InvalidInputError } from "../errors.js";
import { at, readArray, readFields } from "../domain/input/fields.js";
import { isWellFormed } from "../domain/input/strings.js";

/**
 * The secret that keys every hash: a string or bytes (the key with id `default`), or a list for rotation, newest
 * first. Each secret is at least 32 bytes of UTF-8. Key ids match `^[a-z][a-z0-9_.:-]{0,63}$`; they are stored with
 * what they hashed, the secrets never are.
 */
export type Pepper = string | Uint8Array | readonly { readonly id: string; readonly secret: string | Uint8Array }[];

/** One key. */
export interface PepperKey {
  readonly id: string;
  readonly secret: Uint8Array;
}

const KEY_ID = /^[a-z][a-z0-9_.:-]{0,63}$/;
const MIN_SECRET_BYTES = 32;
const MAX_KEYS = 16;

/** The keys of a pepper, first the one new rows are written with. */
export function readPepper(value: unknown, path: string): readonly [PepperKey, ...PepperKey[]] {
  if (typeof value === "string" || value instanceof Uint8Array) {
    return [{ id: "default", secret: readSecret(value, path) }];
  }
  if (!Array.isArray(value)) throw new InvalidInputError(path, "must be a string, bytes, or a list of { id, secret }");

  const keys = readArray(value, path, { min: 1, max: MAX_KEYS }).map((element, index) => {
    const place = at(path, index);
    const fields = readFields(element, ["id", "secret"], place);
    if (typeof fields.id !== "string" || !KEY_ID.test(fields.id)) {
      throw new InvalidInputError(at(place, "id"), "must match ^[a-z][a-z0-9_.:-]{0,63}$");
    }
    return { id: fields.id, secret: readSecret(fields.secret, at(place, "secret")) };
  });
  if (new Set(keys.map((key) => key.id)).size < keys.length) throw new InvalidInputError(path, "names a key id twice");
  return keys as unknown as readonly [PepperKey, ...PepperKey[]];
}

function readSecret(value: unknown, path: string): Uint8Array {
  if (typeof value === "string") {
    if (!isWellFormed(value)) throw new InvalidInputError(path, "must be well-formed text or bytes");
    return checkLength(new TextEncoder().encode(value), path);
  }
  // A copy: bytes that change under us would make hashes nobody can find again.
  if (value instanceof Uint8Array) return checkLength(Uint8Array.from(value), path);
  throw new InvalidInputError(path, "must be a string or bytes");
}

function checkLength(secret: Uint8Array, path: string): Uint8Array {
  if (secret.length < MIN_SECRET_BYTES) throw new InvalidInputError(path, `must be at least ${MIN_SECRET_BYTES} bytes`);
  return secret;
}
