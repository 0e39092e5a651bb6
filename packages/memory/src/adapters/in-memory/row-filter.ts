import { isWithin, meetsConditions, type RowFilter } from "../../domain/row-filter.js";
import { jsonContains } from "./json.js";
import type { StoredRow } from "./stored-row.js";

/** Whether a row is one of those a caller narrowed a recall or a list down to. */
export function matcherOf({ kinds, metadata, where, createdAt, capturedAt }: RowFilter): (row: StoredRow) => boolean {
  const wanted = kinds === null || kinds === undefined ? null : new Set(kinds);
  return (row) =>
    (wanted === null || wanted.has(row.kind)) &&
    isWithin(createdAt, row.createdAt) &&
    isWithin(capturedAt, row.rowKind === "memory" ? row.capturedAt : null) &&
    (metadata === null || metadata === undefined || jsonContains(row.metadata, metadata)) &&
    (where === null || where === undefined || meetsConditions(row.metadata, where));
}
