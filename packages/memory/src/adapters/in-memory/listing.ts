import type { RowKind } from "../../domain/codes.js";
import type { DerivedRow, Lineage, LineageNode, MemoryRow, Page } from "../../domain/rows.js";
import type { ListQuery } from "../../ports/memory-store.js";
import { byPlacementId } from "./closure.js";
import { decodeCursor, pageOf } from "./keyset-cursor.js";
import { matcherOf } from "./row-filter.js";
import { comparePositions, type RowTable } from "./row-table.js";
import { derivedView, memoryView, type StoredRow } from "./stored-row.js";
import type { TenantState } from "./tenant-state.js";

/** One page of visible memories, newest first. */
export function listMemories(state: TenantState, query: ListQuery, now: string): Page<MemoryRow> {
  return pageOfRows(state, state.memories, "memories", query, now, (row) => memoryView(state.tenantKey, row));
}

/** One page of visible derived rows, newest first. */
export function listDerived(state: TenantState, query: ListQuery, now: string): Page<DerivedRow> {
  return pageOfRows(state, state.derived, "derived", query, now, (row) => derivedView(state.tenantKey, row));
}

function pageOfRows<Row extends StoredRow, View>(
  state: TenantState,
  table: RowTable<Row>,
  list: "memories" | "derived",
  query: ListQuery,
  now: string,
  view: (row: Row) => View,
): Page<View> {
  if (query.subject !== null) state.keys.refuseUnlessAllIn(query.subject);
  const before = decodeCursor(list, query.cursor);
  const hashes = query.subject?.map(({ hash }) => hash) ?? null;
  const rows = hashes === null ? table.newestFirst(before) : rowsOfPersons(state, table, hashes);
  const matches = matcherOf(query);
  const wanted = (row: Row) => {
    const follows = before === null || comparePositions(row, before) < 0;
    return follows && state.isVisible(row, now) && lacksVector(row, query.missingVector) && matches(row);
  };
  return pageOf(rows, query.limit, list, wanted, (row) => row, view);
}

/** The rows of some persons in one table, newest first, without walking anybody else's. */
export function rowsOfPersons<Row extends StoredRow>(
  state: TenantState,
  table: RowTable<Row>,
  hashes: readonly string[],
): Row[] {
  const rows = new Set<Row>();
  for (const person of state.persons.find(hashes)) {
    for (const row of person.rows) if (table.has(row)) rows.add(row);
  }
  return [...rows].sort((a, b) => comparePositions(b, a));
}

/** What a visible row was made from and what was made from it; `null` for one that is not visible. */
export function lineageOf(state: TenantState, kind: RowKind, id: string, now: string): Lineage | null {
  const row = state.find({ sourceKind: kind, sourceId: id });
  if (row === undefined || !state.isVisible(row, now)) return null;
  const isVisible = (other: StoredRow | undefined): other is StoredRow => {
    return other !== undefined && state.isVisible(other, now);
  };
  const sources = (of: StoredRow) => (of.rowKind === "derived" ? of.sources.map((ref) => state.find(ref)) : []);
  const descendants = walk(row, (of) => [...state.derivedFrom(of)].filter(isVisible));
  return Object.freeze({
    ancestors: nodesOf(walk(row, (of) => sources(of).filter(isVisible))),
    descendants: nodesOf(descendants),
    placements: copiesOf(state, [row, ...descendants.keys()]),
  });
}

/** Level by level: every row that is reached, and the length of the shortest path to it. */
function walk(start: StoredRow, step: (row: StoredRow) => readonly StoredRow[]): ReadonlyMap<StoredRow, number> {
  const depths = new Map<StoredRow, number>();
  let level: readonly StoredRow[] = [start];
  for (let depth = 1; level.length > 0; depth++) {
    const next = new Set(level.flatMap(step).filter((row) => row !== start && !depths.has(row)));
    for (const row of next) depths.set(row, depth);
    level = [...next];
  }
  return depths;
}

/** Nearest first, memories before derived rows, each by id. */
function nodesOf(depths: ReadonlyMap<StoredRow, number>): readonly LineageNode[] {
  const nodes = [...depths].map(([{ rowKind, id }, depth]) => Object.freeze({ kind: rowKind, id, depth }));
  return Object.freeze(nodes.sort(compareNodes));
}

/** The copies made directly from any of the rows that are not known to be gone, by id. */
function copiesOf(state: TenantState, rows: readonly StoredRow[]): Lineage["placements"] {
  const made = new Set(rows.flatMap((row) => [...state.placements.madeFrom(row)]));
  const kept = [...made].filter(({ goneAt }) => goneAt === null).sort(byPlacementId);
  return Object.freeze(kept.map(({ placementId, sink }) => Object.freeze({ placementId, sink })));
}

function compareNodes(a: LineageNode, b: LineageNode): number {
  if (a.depth !== b.depth) return a.depth - b.depth;
  if (a.kind !== b.kind) return a.kind === "memory" ? -1 : 1;
  return a.id < b.id ? -1 : 1;
}

function lacksVector(row: StoredRow, missing: ListQuery["missingVector"]): boolean {
  if (missing === null) return true;
  if (row.embedding === null) return true;
  return missing !== false && row.embedding.length !== missing.dimensionsNot;
}
