import type { JsonValue, Metadata } from "../../domain/rows.js";

/** A copy that nobody can change, so that neither an input nor a result is a way into the store. */
export function frozenCopy(metadata: Metadata): Metadata {
  return copy(metadata) as Metadata;
}

function copy(value: JsonValue): JsonValue {
  if (typeof value !== "object" || value === null) return value;
  if (isArray(value)) return Object.freeze(value.map(copy));
  // fromEntries defines own properties, so a key "__proto__" stays a key.
  return Object.freeze(Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, copy(inner)])));
}

/**
 * Whether `whole` contains `part`, as `jsonb @>` decides it in Postgres: an object contains an object if each of its
 * keys is there with a contained value; an array contains an array if each of its elements is contained in some
 * element, whatever the order and however often; scalars contain their equals. At the top level only, an array also
 * contains a scalar that is one of its elements.
 */
export function jsonContains(whole: JsonValue, part: JsonValue): boolean {
  if (isArray(whole) && isScalar(part)) return whole.some((element) => element === part);
  return contains(whole, part);
}

function contains(whole: JsonValue, part: JsonValue): boolean {
  if (isScalar(part)) return whole === part;
  if (isScalar(whole) || isArray(whole) !== isArray(part)) return false;
  if (isArray(part)) {
    const elements = whole as readonly JsonValue[];
    return part.every((wanted) => elements.some((element) => contains(element, wanted)));
  }
  const object = whole as Metadata;
  return Object.entries(part).every(([key, wanted]) => {
    return Object.hasOwn(object, key) && contains(object[key] as JsonValue, wanted);
  });
}

function isScalar(value: JsonValue): value is string | number | boolean | null {
  return typeof value !== "object" || value === null;
}

function isArray(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}
