import { InvalidInputError } from "../errors.js";
import { applyRedactor } from "./apply-redactor.js";
import type { Redaction, RedactorPort } from "./redactor-port.js";

/** A masked identifier in a string of the metadata. Its offsets are those of that string. */
export interface MetadataRedaction extends Redaction {
  /** Keys and indexes that lead to the string; a key that holds an identifier is shown masked. */
  readonly path: readonly (string | number)[];
}

/** What `redactMetadataStrings` answers. */
export interface MetadataResult<T> {
  /** The same JSON with every string value redacted; keys, numbers, booleans and nulls are as they were. */
  readonly metadata: T;
  readonly redactions: readonly MetadataRedaction[];
  /** Paths (masked) of keys that hold an identifier. They are not changed: a key is part of the host's schema. */
  readonly keys: readonly (readonly (string | number)[])[];
}

const DEEPEST = 200;

/**
 * Redacts the string leaves of a JSON value. Numbers are left alone, also where their digits look like an identifier:
 * a mask is not a number, and the value would no longer be the JSON that its reader expects.
 *
 * @throws InvalidInputError if the value is nested more than 200 levels deep, or the redactor's answer is malformed.
 */
export function redactMetadataStrings<T>(metadata: T, redactor: RedactorPort): MetadataResult<T> {
  const redactions: MetadataRedaction[] = [];
  const keys: (readonly (string | number)[])[] = [];

  const walk = (value: unknown, path: readonly (string | number)[]): unknown => {
    if (path.length > DEEPEST) throw new InvalidInputError("metadata", `nested more than ${DEEPEST} levels deep`);
    if (typeof value === "string") {
      const result = applyRedactor(redactor, value);
      for (const redaction of result.redactions) redactions.push({ ...redaction, path });
      return result.text;
    }
    if (Array.isArray(value)) return value.map((item, index) => walk(item, [...path, index]));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => {
        const shown = applyRedactor(redactor, key);
        const itemPath = [...path, shown.text];
        if (shown.redactions.length > 0) keys.push(itemPath);
        return [key, walk(item, itemPath)];
      }),
    );
  };

  return { metadata: walk(metadata, []) as T, redactions, keys };
}
