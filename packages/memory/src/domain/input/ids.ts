import { InvalidInputError } from "../../errors.js";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** The canonical form of an id (a UUID of any version, in lower case), or `null` if it is none. */
export function canonicalId(value: string): string | null {
  return UUID.test(value) ? value.toLowerCase() : null;
}

/** An id to look up: `null` if it is no id at all, which is the same as the id of nothing. */
export function readLookupId(value: unknown, path: string): string | null {
  if (value === undefined) throw new InvalidInputError(path, "is required");
  if (typeof value !== "string") throw new InvalidInputError(path, "must be a string");
  return canonicalId(value);
}

/** An id that a call acts on. The malformed value is not repeated in the error: nobody knows what stands there. */
export function readId(value: unknown, path: string): string {
  const id = readLookupId(value, path);
  if (id === null) throw new InvalidInputError(path, "must be a UUID");
  return id;
}
