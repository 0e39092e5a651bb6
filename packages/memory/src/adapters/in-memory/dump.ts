/**
 * Every string, number and byte that can be reached from an object, as text. It walks whatever is there, so that a
 * field added tomorrow is looked at too. Each object is written once.
 */
export function dumpOf(root: unknown): string {
  const seen = new Set<object>();
  const lines: string[] = [];
  const pending: unknown[] = [root];
  while (pending.length > 0) {
    const value = pending.pop();
    if (typeof value !== "object" || value === null) lines.push(String(value));
    else if (!seen.has(value)) {
      seen.add(value);
      for (const part of partsOf(value)) pending.push(part);
    }
  }
  return lines.join("\n");
}

function partsOf(value: object): Iterable<unknown> {
  if (value instanceof Float32Array || value instanceof Set) return value;
  const entries = value instanceof Map ? [...(value as ReadonlyMap<unknown, unknown>)] : Object.entries(value);
  return entries.flat() as readonly unknown[];
}
