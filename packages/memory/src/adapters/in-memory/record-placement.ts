import { InvalidInputError, NotFoundError, SourceForgottenError } from "../../errors.js";
import type { NewPlacement } from "../../ports/placement-store.js";
import { type Erasure, hasEvent } from "./erasure.js";
import { newId } from "./new-id.js";
import type { Person } from "./persons.js";
import { refusalOfSources, rowsOf, sourceRefs } from "./source-gate.js";
import type { StoredPlacement } from "./stored-placement.js";
import type { TenantState } from "./tenant-state.js";

/** Records a copy before it is made, unless its sources may not be used; the same copy twice is one placement. */
export function recordPlacement(state: TenantState, input: NewPlacement, now: string): StoredPlacement {
  const { placementId, sink, ref, kind, fingerprint, writeWithinSeconds } = input;
  const sources = sourceRefs(input);
  const refusal = refusalOfSources(state, sources, now);
  if (refusal) throw refusal;
  if (state.log.covers("placement", placementId)) throw new SourceForgottenError([placementId]);
  const recorded = state.placements.withFingerprint(fingerprint);
  if (recorded) return recorded;
  if (state.placements.get(placementId)) throw new InvalidInputError("placementId", "is taken");

  const { sinks } = state.placements;
  if (!sinks.has(sink)) sinks.set(sink, Object.freeze({ sink, requiredProof: "unfindable", registered: "automatic" }));
  const placement: StoredPlacement = {
    placementId,
    sink,
    kind,
    sources,
    createdAt: now,
    persons: new Set<Person>(rowsOf(state, sources).flatMap(({ persons }) => [...persons])),
    ref,
    fingerprint,
    writeDeadline: writeWithinSeconds === null ? null : secondsAfter(now, writeWithinSeconds),
    writtenAt: null,
    goneAt: null,
  };
  state.placements.add(placement);
  return placement;
}

/** The writer has written. Under a tombstone that is too late: the copy is outstanding again. */
export function placementWritten(
  state: TenantState,
  placementId: string,
  ref: string | null,
  now: string,
): { readonly placement: StoredPlacement; readonly forgotten: boolean } {
  const placement = findPlacement(state, placementId);
  const known = ref ?? placement.ref;
  if (known === null) {
    throw new InvalidInputError("ref", "is required, because it was removed when the copy was taken for gone");
  }
  // Whatever was known before: there is a copy now.
  placement.writtenAt = now;
  placement.ref = known;
  placement.goneAt = null;
  state.placements.endLeases(placementId);

  const covering = state.log.covering("placement", placementId);
  for (const erasure of covering) {
    if (!hasEvent(erasure, "completed")) erasure.events.push({ type: "late_write", at: now, placementId });
  }
  const newest = covering.at(-1);
  if (newest && hasEvent(newest, "completed")) state.log.open(lateWrite(state, newest, placementId, now), null);
  return { placement, forgotten: newest !== undefined };
}

/** The writer never wrote and never will. Under a tombstone that only ends the wait: the read-back still decides. */
export function placementAbandoned(state: TenantState, placementId: string, now: string): StoredPlacement {
  const placement = findPlacement(state, placementId);
  const { writtenAt, writeDeadline, goneAt } = placement;
  if (writtenAt !== null || writeDeadline === null) {
    throw new InvalidInputError("placementId", "was written, so it cannot be abandoned");
  }
  if (goneAt !== null) return placement;
  if (!state.log.covers("placement", placementId)) state.placements.release(placement, now);
  else if (writeDeadline > now) placement.writeDeadline = now;
  return placement;
}

export function findPlacement(state: TenantState, placementId: string): StoredPlacement {
  const placement = state.placements.get(placementId);
  if (placement === undefined) throw new NotFoundError("placement");
  return placement;
}

export function secondsAfter(now: string, seconds: number): string {
  return new Date(Date.parse(now) + seconds * 1000).toISOString();
}

/** The erasure of a copy that was written after the erasure it belonged to was complete. No row is left to destroy. */
function lateWrite(
  state: TenantState,
  { tombstone, subjectKeyId }: Erasure,
  placementId: string,
  now: string,
): Erasure {
  const { subjectHash, subjectHashKeyed, reason, legalBasis } = tombstone;
  const nothing = Object.freeze({ memories: 0, derived: 0, provenanceEdges: 0 });
  return {
    tombstone: Object.freeze({
      tombstoneId: newId(),
      tenantKey: state.tenantKey,
      scope: "memories",
      subjectHash,
      subjectHashKeyed,
      reason,
      legalBasis,
      origin: "late_write",
      requestedBy: Object.freeze({ role: "unspecified", idHash: null }),
      openedAt: now,
      planned: nothing,
      cascadeDepth: 0,
      matched: true,
      unknownIds: Object.freeze({ alreadyErased: 0, neverSeen: 0 }),
      otherSubjects: 0,
    }),
    subjectKeyId,
    target: Object.freeze({ scope: "memories", hashes: [], ids: [] }),
    replays: null,
    sequence: state.nextSequence(),
    rebuildable: Object.freeze([]),
    closureKnown: true,
    items: Object.freeze([]),
    placementIds: Object.freeze([placementId]),
    events: [{ type: "destroyed", at: now, counts: nothing }],
    progress: { next: 0, memories: 0, derived: 0, provenanceEdges: 0 },
  };
}
