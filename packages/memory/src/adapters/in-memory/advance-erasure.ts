import { StoreError } from "../../errors.js";
import { countEdges } from "./closure.js";
import { type Erasure, eventsOf, hasEvent, type TombstoneItem } from "./erasure.js";
import { anyOf } from "./persons.js";
import { settle } from "./settle.js";
import type { StoredRow } from "./stored-row.js";
import type { TenantState } from "./tenant-state.js";

/** One step further; `false` when there is nothing left to do here. */
export function advanceErasure(state: TenantState, erasure: Erasure, chunkRows: number, now: string): boolean {
  if (hasEvent(erasure, "destroyed")) return settle(erasure, now);
  const destroyed = destroyChunk(state, erasure, chunkRows, now);
  if (erasure.progress.next < erasure.items.length) return true;
  const held = state.heldPersons(now);
  if (liveRows(state, erasure.items).some(({ persons }) => anyOf(persons, held))) {
    return waitForRelease(erasure, destroyed, now);
  }
  recordDestroyed(state, erasure, now);
  return true;
}

/**
 * Counts only what was still there: of two erasures that share a row, the one that destroys it counts it. Rows of
 * somebody under a legal hold stay, hidden because they are covered.
 */
function destroyChunk(state: TenantState, erasure: Erasure, chunkRows: number, now: string): number {
  const { items, progress } = erasure;
  const held = state.heldPersons(now);
  const chunk = items.slice(progress.next, progress.next + Math.max(1, chunkRows));
  const rows = liveRows(state, chunk).filter(({ persons }) => !anyOf(persons, held));
  const derived = rows.filter((row) => row.rowKind === "derived");
  state.remove(rows);
  progress.next += chunk.length;
  progress.derived += derived.length;
  progress.memories += rows.length - derived.length;
  progress.provenanceEdges += countEdges(derived);
  return rows.length;
}

/** The held rows are somewhere among the items, so the next run begins anew. It escalates once. */
function waitForRelease(erasure: Erasure, destroyed: number, now: string): boolean {
  erasure.progress.next = 0;
  if (eventsOf(erasure, "escalated").some(({ code }) => code === "hold_conflict")) return destroyed > 0;
  erasure.events.push({ type: "escalated", at: now, code: "hold_conflict" });
  return true;
}

function recordDestroyed(state: TenantState, erasure: Erasure, now: string): void {
  refuseResidue(state, erasure);
  const { memories, derived, provenanceEdges } = erasure.progress;
  erasure.events.push({ type: "destroyed", at: now, counts: Object.freeze({ memories, derived, provenanceEdges }) });
}

function liveRows(state: TenantState, items: readonly TombstoneItem[]): StoredRow[] {
  return items.flatMap(({ rowKind, id }) => state.find({ sourceKind: rowKind, sourceId: id }) ?? []);
}

/** Looks again by another way than the destruction went: by id, by edge, and through the person's own rows. */
function refuseResidue(state: TenantState, { items, target, tombstone }: Erasure): void {
  const isThere = items.some(({ rowKind, id }) => {
    return state.find({ sourceKind: rowKind, sourceId: id }) !== undefined || state.hasDerivations(rowKind, id);
  });
  const isReachable = [...state.persons.find(target.hashes)].some(({ rows }) => {
    return [...rows].some((row) => state.log.newestCovering(row.rowKind, row.id) === tombstone.tombstoneId);
  });
  if (isThere || isReachable) {
    throw new StoreError(`erasure ${tombstone.tombstoneId} left rows behind`, {
      retryable: false,
      help: "Nothing was certified. This is a fault of the store: report it.",
    });
  }
}
