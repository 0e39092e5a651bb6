import { at } from "../domain/input/fields.js";
import { readTombstoneRecord } from "../domain/input/tombstone-record.js";
import type { TombstoneRecord } from "../domain/reconciliation.js";
import { InvalidInputError } from "../errors.js";

/**
 * What `exportTombstones` wrote: its lines, or the objects they say, as an array, as any iterable, or as the whole file
 * in one string. Empty lines are skipped.
 */
export type ExportedTombstones = string | Iterable<string | TombstoneRecord> | AsyncIterable<string | TombstoneRecord>;

/**
 * Checks one record after the other. An array or a string is checked whole before the first record is handed out; of
 * an iterable each record as it comes, because an export may be larger than memory.
 */
export async function* readExported(
  value: unknown,
  path: string,
  tenantKey: string,
): AsyncGenerator<TombstoneRecord, void, undefined> {
  const elements = typeof value === "string" ? value.split("\n") : value;
  if (Array.isArray(elements)) {
    const records = (elements as unknown[]).map((element, index) => readElement(element, at(path, index), tenantKey));
    yield* records.filter((record) => record !== null);
    return;
  }
  if (!isIterable(elements)) throw new InvalidInputError(path, "must be exported tombstones");
  let index = 0;
  for await (const element of elements) {
    const record = readElement(element, at(path, index++), tenantKey);
    if (record !== null) yield record;
  }
}

function readElement(element: unknown, path: string, tenantKey: string): TombstoneRecord | null {
  if (typeof element === "string" && element.trim() === "") return null;
  return readTombstoneRecord(element, path, tenantKey);
}

function isIterable(value: unknown): value is Iterable<unknown> | AsyncIterable<unknown> {
  return typeof value === "object" && value !== null && (Symbol.iterator in value || Symbol.asyncIterator in value);
}
