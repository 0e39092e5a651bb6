import type { ErasureReason } from "../../domain/codes.js";
import type { TombstoneRecord } from "../../domain/reconciliation.js";
import type { Erasure } from "./erasure.js";
import { firstById } from "./id-page.js";
import { refuseHeld, refuseUnknownBasis, writeTombstone } from "./open-erasure.js";
import { findRows, memoriesOf, type Selection } from "./selection.js";
import type { StoredMemory } from "./stored-row.js";
import type { TenantState } from "./tenant-state.js";

/** Tombstones with the ids they cover, content-free, in the order of their ids. */
export function exportTombstones(
  state: TenantState,
  page: { readonly limit: number; readonly after: string | null },
): readonly TombstoneRecord[] {
  return firstById(state.log.all(), page, ({ tombstone }) => tombstone.tombstoneId).map(recordOf);
}

/** Those that this store neither has nor has carried out again, in order. */
export function missingTombstones(state: TenantState, tombstoneIds: readonly string[]): readonly string[] {
  return tombstoneIds.filter((id) => state.log.original(id) === undefined).sort();
}

/**
 * Opens again, after a restore, what an exported tombstone covered; `null` where that was done before and nothing of
 * it is live. The person is known by the hash as it was written then: no secret is needed, and none is checked.
 */
export function openReplay(
  state: TenantState,
  tombstoneId: string,
  record: TombstoneRecord,
  now: string,
): Erasure | null {
  const done = state.log.original(record.tombstoneId);
  const selection = selectReplayed(state, record, done);
  if (done && selection.memories.length + selection.derived.length === 0) return null;
  const earlier = state.log.get(tombstoneId);
  if (earlier) return earlier;

  refuseUnknownBasis(record.legalBasis);
  refuseHeld(state, selection.persons, now);
  const { scope, subjectHash, memoryIds, derivedIds, placementIds } = record;
  return writeTombstone(
    state,
    {
      tombstoneId,
      target: Object.freeze({
        scope,
        hashes: Object.freeze(subjectHash === null ? [] : [subjectHash]),
        ids: Object.freeze(scope === "subject" ? [] : [...memoryIds, ...derivedIds, ...placementIds].sort()),
      }),
      reason: record.reason as ErasureReason,
      legalBasis: record.legalBasis,
      origin: "replay",
      requestedBy: { role: "system", idHash: null },
      requestHash: null,
      replays: Object.freeze({ tombstoneId: record.tombstoneId, openedAt: record.openedAt }),
    },
    selection,
    now,
  );
}

/** By id, whoever they are of; of a whole person also what was stored not later than the original was opened. */
function selectReplayed(state: TenantState, record: TombstoneRecord, done: Erasure | undefined): Selection {
  const persons = state.persons.find(record.subjectHash === null ? [] : [record.subjectHash]);
  const named = findRows(state, record);
  const theirs = record.scope === "subject" ? memoriesOf(persons).filter((row) => wasThere(row, record, done)) : [];
  return {
    ...named,
    memories: [...new Set([...named.memories, ...theirs])],
    persons,
    filing: record.subjectHash === null ? null : { hash: record.subjectHash, keyId: record.subjectKeyId },
    unknownIds: { alreadyErased: 0, neverSeen: 0 },
  };
}

/** Where this store knows the order it goes by that: within one millisecond the clock cannot tell before from after. */
function wasThere(row: StoredMemory, { openedAt }: TombstoneRecord, done: Erasure | undefined): boolean {
  return row.createdAt <= openedAt && (done === undefined || row.sequence < done.sequence);
}

function recordOf({ tombstone, subjectKeyId, replays, items, placementIds }: Erasure): TombstoneRecord {
  const idsOf = (kind: "memory" | "derived") =>
    Object.freeze(
      items
        .filter(({ rowKind }) => rowKind === kind)
        .map(({ id }) => id)
        .sort(),
    );
  return Object.freeze({
    v: 1,
    tombstoneId: tombstone.tombstoneId,
    tenantKey: tombstone.tenantKey,
    scope: tombstone.scope,
    subjectHash: tombstone.subjectHash,
    subjectKeyId,
    origin: tombstone.origin,
    reason: tombstone.reason,
    legalBasis: tombstone.legalBasis,
    openedAt: replays?.openedAt ?? tombstone.openedAt,
    memoryIds: idsOf("memory"),
    derivedIds: idsOf("derived"),
    placementIds,
  });
}
