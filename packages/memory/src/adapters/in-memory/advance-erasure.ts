import { StoreError } from "../../errors.js";
import { countEdges } from "./closure.js";
import { type Erasure, hasEvent } from "./erasure-log.js";
import type { StoredRow } from "./stored-row.js";
import type { TenantState } from "./tenant-state.js";

/** One step further; `false` when there is nothing left to do here. */
export function advanceErasure(state: TenantState, erasure: Erasure, chunkRows: number, now: string): boolean {
  if (!hasEvent(erasure, "destroyed")) {
    destroyChunk(state, erasure, chunkRows);
    if (erasure.progress.next === erasure.items.length) recordDestroyed(state, erasure, now);
    return true;
  }
  if (hasEvent(erasure, "completed") || hasEvent(erasure, "escalated")) return false;
  // Who imported rows without their derivations has to say where these went; nothing here can know.
  erasure.events.push(
    erasure.closureKnown ? { type: "completed", at: now } : { type: "escalated", at: now, code: "closure_unknown" },
  );
  return true;
}

/** Counts only what was still there: of two erasures that share a row, the one that destroys it counts it. */
function destroyChunk(state: TenantState, { items, progress }: Erasure, chunkRows: number): void {
  const chunk = items.slice(progress.next, progress.next + Math.max(1, chunkRows));
  const rows = chunk.flatMap(({ rowKind, id }) => state.find({ sourceKind: rowKind, sourceId: id }) ?? []);
  const derived = rows.filter((row) => row.rowKind === "derived");
  state.remove(rows);
  progress.next += chunk.length;
  progress.derived += derived.length;
  progress.memories += rows.length - derived.length;
  progress.provenanceEdges += countEdges(derived);
}

function recordDestroyed(state: TenantState, erasure: Erasure, now: string): void {
  refuseResidue(state, erasure);
  const { memories, derived, provenanceEdges } = erasure.progress;
  erasure.events.push({ type: "destroyed", at: now, counts: Object.freeze({ memories, derived, provenanceEdges }) });
}

/** Looks again by another way than the destruction went: by id, by edge, and through the person's own rows. */
function refuseResidue(state: TenantState, { items, target, tombstone }: Erasure): void {
  const isThere = items.some(({ rowKind, id }) => {
    return state.find({ sourceKind: rowKind, sourceId: id }) !== undefined || state.hasDerivations(rowKind, id);
  });
  const isReachable = [...state.persons.find(target.hashes)].some(({ rows }) => {
    return [...rows].some((row) => isCoveredBy(state, row, tombstone.tombstoneId));
  });
  if (isThere || isReachable) {
    throw new StoreError(`erasure ${tombstone.tombstoneId} left rows behind`, {
      retryable: false,
      help: "Nothing was certified. This is a fault of the store: report it.",
    });
  }
}

function isCoveredBy(state: TenantState, row: StoredRow, tombstoneId: string): boolean {
  return state.log.newestCovering(row.rowKind, row.id) === tombstoneId;
}
