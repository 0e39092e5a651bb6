/** Postgres array literals, so that every parameter is one string whatever the driver does with arrays. */

export function textArray(values: readonly (string | null)[]): string {
  return `{${values.map((value) => (value === null ? "NULL" : quote(value))).join(",")}}`;
}

/** For elements that need no quoting: ids, hashes, numbers, booleans. */
export function plainArray(values: readonly (string | number | bigint | boolean | null)[]): string {
  return `{${values.map((value) => (value === null ? "NULL" : String(value))).join(",")}}`;
}

/** A vector with at most nine significant digits: all that a 32-bit float holds. */
export function vectorArray(vector: Float32Array): string {
  return `{${digits(vector)}}`;
}

/** The same in pgvector's own notation. */
export function vectorLiteral(vector: Float32Array): string {
  return `[${digits(vector)}]`;
}

function digits(vector: Float32Array): string {
  const parts = new Array<string>(vector.length);
  for (let i = 0; i < vector.length; i += 1) parts[i] = String(Number((vector[i] ?? 0).toPrecision(9)));
  return parts.join(",");
}

function quote(value: string): string {
  return `"${value.replace(/["\\]/g, "\\$&")}"`;
}
