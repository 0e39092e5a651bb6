import { InvalidInputError } from "../../errors.js";

/** The path of a field as errors name it: `text`, or `inputs[3].text` inside a batch. */
export function at(path: string, field: string | number): string {
  if (typeof field === "number") return `${path}[${field}]`;
  return path === "" ? field : `${path}.${field}`;
}

/**
 * The named fields of an argument object, each read once, so that a getter cannot answer twice. A field that the
 * contract does not know is refused: a misspelt `subjectKey` would otherwise be silently ignored.
 *
 * @param whole what to call the object itself in an error where `path` is empty
 */
export function readFields<Name extends string>(
  value: unknown,
  names: readonly Name[],
  path = "",
  whole = "input",
): Readonly<Record<Name, unknown>> {
  const self = path === "" ? whole : path;
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new InvalidInputError(self, "must be an object");
  }

  const fields = Object.fromEntries(names.map((name) => [name, undefined])) as Record<Name, unknown>;
  for (const key of ownKeys(value, self)) {
    const name = names.find((known) => known === key);
    if (name === undefined) throw unknownField(key, names, path, self);
    fields[name] = readOnce(value, name, at(path, name));
  }
  return fields;
}

/** The elements of an array, each read once. */
export function readArray(
  value: unknown,
  path: string,
  bounds: { readonly min: number; readonly max: number },
): unknown[] {
  if (!Array.isArray(value)) throw new InvalidInputError(path, "must be an array");
  if (value.length < bounds.min) throw new InvalidInputError(path, "must not be empty");
  if (value.length > bounds.max) {
    throw new InvalidInputError(path, `must hold at most ${bounds.max} elements`);
  }
  try {
    return Array.from<unknown>(value);
  } catch {
    throw new InvalidInputError(path, "could not be read");
  }
}

/** A boolean, or `fallback` where the field is absent. */
export function readBoolean(value: unknown, path: string, fallback: boolean): boolean {
  if (value === undefined) return fallback;
  if (typeof value !== "boolean") throw new InvalidInputError(path, "must be true or false");
  return value;
}

function ownKeys(value: object, path: string): string[] {
  try {
    return Object.keys(value);
  } catch {
    throw new InvalidInputError(path, "could not be read");
  }
}

function readOnce(value: object, name: string, path: string): unknown {
  try {
    return (value as Record<string, unknown>)[name];
  } catch {
    throw new InvalidInputError(path, "could not be read");
  }
}

// The unknown name itself is not repeated: nobody knows what stands there, and it may be somebody's name.
function unknownField(key: string, names: readonly string[], path: string, self: string): InvalidInputError {
  const meant = names.find((name) => name.toLowerCase() === key.toLowerCase().replaceAll("_", ""));
  if (meant !== undefined) {
    return new InvalidInputError(self, `has an unknown field; did you mean "${at(path, meant)}"?`);
  }
  return new InvalidInputError(self, `has an unknown field; the known ones are ${names.join(", ")}`);
}
