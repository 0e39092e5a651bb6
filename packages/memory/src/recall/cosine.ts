/** Euclidean length of a vector. */
export function vectorLength(vector: Float32Array): number {
  let squares = 0;
  for (let i = 0; i < vector.length; i++) squares += vector[i]! * vector[i]!;
  return Math.sqrt(squares);
}

/**
 * Cosine of the angle between two vectors of the same length, from -1 to 1; 0 where one has no direction. Sums in
 * 64-bit floats, in the order of the numbers, so that it is the same on every machine.
 *
 * @param queryLength `vectorLength(query)`, where many rows are compared with one query
 */
export function cosine(query: Float32Array, row: Float32Array, queryLength = vectorLength(query)): number {
  let dot = 0;
  let squares = 0;
  for (let i = 0; i < row.length; i++) {
    const number = row[i]!;
    dot += query[i]! * number;
    squares += number * number;
  }
  const lengths = queryLength * Math.sqrt(squares);
  if (lengths === 0) return 0;
  // Rounding may step over the end by a few units in the last place.
  return Math.min(1, Math.max(-1, dot / lengths));
}
