import type { ErasureReceipt, Tombstone } from "../../domain/receipt.js";
import type { Page } from "../../domain/rows.js";
import type { ReceiptQuery, TombstoneQuery } from "../../ports/memory-store.js";
import { compareErasures, type Erasure } from "./erasure.js";
import { decodeCursor, pageOf } from "./keyset-cursor.js";
import { receiptOf, stateOf, tombstoneOf } from "./receipt-view.js";
import { comparePositions, type Position } from "./row-table.js";
import type { TenantState } from "./tenant-state.js";

/** One page of receipts, newest first. */
export function listReceipts(state: TenantState, query: ReceiptQuery): Page<ErasureReceipt> {
  const before = decodeCursor("receipts", query.cursor);
  const wanted = (erasure: Erasure) =>
    (before === null || comparePositions(positionOf(erasure), before) < 0) &&
    (query.state === null || stateOf(erasure) === query.state) &&
    (query.olderThan === null || erasure.tombstone.openedAt < query.olderThan);
  return pageOf(state.log.newestFirst(), query.limit, "receipts", wanted, positionOf, (erasure) =>
    receiptOf(state, erasure),
  );
}

/** Tombstones, newest first; of a person under whichever of their hashes. None is older than an unknown one. */
export function listTombstones(state: TenantState, query: TombstoneQuery): readonly Tombstone[] {
  if (query.subject !== null) state.keys.refuseUnlessAllIn(query.subject);
  const before = query.before === null ? null : state.log.get(query.before);
  if (before === undefined) return [];
  const hashes =
    query.subject &&
    knownHashes(
      state,
      query.subject.map(({ hash }) => hash),
    );
  return state.log
    .newestFirst()
    .filter((erasure) => before === null || compareErasures(erasure, before) < 0)
    .filter(({ tombstone }) => hashes === null || (tombstone.subjectHash !== null && hashes.has(tombstone.subjectHash)))
    .slice(0, query.limit)
    .map((erasure) => tombstoneOf(state, erasure));
}

/** The given hashes and every other one that belongs to the same persons. */
function knownHashes(state: TenantState, hashes: readonly string[]): ReadonlySet<string> {
  const persons = [...state.persons.find(hashes)];
  return new Set([...hashes, ...persons.flatMap((person) => [...person.hashes.keys()])]);
}

function positionOf({ tombstone }: Erasure): Position {
  return { createdAt: tombstone.openedAt, id: tombstone.tombstoneId };
}
