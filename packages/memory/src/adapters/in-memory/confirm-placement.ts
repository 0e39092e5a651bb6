import type { EscalationCode } from "../../domain/codes.js";
import { type OutstandingPlacement, PROOF_LEVELS } from "../../domain/placement.js";
import type { AttemptCode } from "../../domain/placement.js";
import { NotFoundError } from "../../errors.js";
import type {
  Attestation,
  ConfirmationRejection,
  PlacementAttempt,
  PlacementConfirmation,
  PlacementLease,
  SeenUnder,
} from "../../ports/placement-store.js";
import { type Erasure, hasEvent, outstandingOf, type Standing, standings } from "./erasure.js";
import { findPlacement, secondsAfter } from "./record-placement.js";
import { settleIfDestroyed } from "./settle.js";
import { isBeingWritten } from "./stored-placement.js";
import type { TenantState } from "./tenant-state.js";

/** The copies an erasure waits for; with a lease those that nobody else has taken, which are then this owner's. */
export function outstanding(
  state: TenantState,
  tombstoneId: string,
  lease: PlacementLease | null,
  now: string,
): readonly OutstandingPlacement[] {
  const erasure = findErasure(state, tombstoneId);
  const known = standings(erasure);
  let ids = outstandingOf(erasure);
  if (lease !== null) {
    const { owner, idle = false } = lease;
    ids = ids.filter((id) => isFree(state, id, erasure, lease, now));
    const leasedUntil = secondsAfter(now, lease.seconds);
    for (const id of ids) state.placements.lease(id, erasure.tombstone.tombstoneId, { owner, leasedUntil, idle });
  }
  return ids.map((id) => outstandingView(state, erasure, id, known.get(id), now));
}

export function recordAttempt(state: TenantState, attempt: PlacementAttempt, now: string): void {
  const { placementId, outcome, code } = attempt;
  const erasure = findErasure(state, attempt.tombstoneId);
  assertCovers(erasure, placementId);
  const failed = outcome === "failed";
  erasure.events.push({
    type: "attempt",
    at: now,
    placementId,
    proof: failed ? null : outcome,
    code: failed ? (code ?? "other") : code,
    by: null,
  });
}

/** Evidence that a copy is gone. One that is too weak, too early or too late is kept as an attempt. */
export function confirmPlacement(
  state: TenantState,
  { tombstoneId, placementId, proof, by, under }: PlacementConfirmation,
  now: string,
): { readonly erasure: Erasure; readonly rejected: ConfirmationRejection | null } {
  const erasure = findErasure(state, tombstoneId);
  // It is gone by somebody else's evidence, which a holder of a lease has to be told.
  if (!waitsFor(erasure, placementId)) return { erasure, rejected: under == null ? null : "lease" };

  const placement = findPlacement(state, placementId);
  const isTooWeak = strength(proof) < strength(state.placements.requiredProof(placement.sink));
  const isTooLate =
    under != null && (placement.writtenAt !== under.writtenAt || !isHeld(state, placementId, erasure, under, now));
  const rejected = isTooWeak ? "proof" : isBeingWritten(placement, now) ? "writer" : isTooLate ? "lease" : null;
  if (rejected !== null) {
    erasure.events.push({ type: "attempt", at: now, placementId, proof, code: null, by });
    return { erasure, rejected };
  }
  // The copy is gone for every erasure that waits for it.
  const waiting = state.log.covering("placement", placementId).filter((other) => !hasEvent(other, "completed"));
  for (const other of waiting) other.events.push({ type: "confirmed", at: now, placementId, proof, by });
  state.placements.release(placement, now);
  for (const other of waiting) settleIfDestroyed(other, now);
  return { erasure, rejected: null };
}

/** A person vouches for one copy, or for a closure that nobody could list; shown as attested, never as confirmed. */
export function attest(state: TenantState, attestation: Attestation, now: string): Erasure {
  const { tombstoneId, placementId, by, reference } = attestation;
  const erasure = findErasure(state, tombstoneId);
  if (placementId === null) {
    if (!hasEvent(erasure, "closure_attested") && !hasEvent(erasure, "completed")) {
      erasure.events.push({ type: "closure_attested", at: now, by, reference });
    }
  } else if (waitsFor(erasure, placementId)) {
    erasure.events.push({ type: "attested", at: now, placementId, by, reference });
    const others = state.log.covering("placement", placementId);
    if (!others.some((other) => waitsFor(other, placementId))) {
      state.placements.release(findPlacement(state, placementId), now);
    }
  }
  settleIfDestroyed(erasure, now);
  return erasure;
}

/** A person takes over an erasure that is stuck. */
export function escalate(state: TenantState, tombstoneId: string, code: EscalationCode, now: string): Erasure {
  const erasure = findErasure(state, tombstoneId);
  if (!hasEvent(erasure, "completed")) erasure.events.push({ type: "escalated", at: now, code });
  return erasure;
}

export function findErasure(state: TenantState, tombstoneId: string): Erasure {
  const erasure = state.log.get(tombstoneId);
  if (erasure === undefined) throw new NotFoundError("erasure");
  return erasure;
}

function assertCovers(erasure: Erasure, placementId: string): void {
  if (!erasure.placementIds.includes(placementId)) throw new NotFoundError("placement");
}

function waitsFor(erasure: Erasure, placementId: string): boolean {
  assertCovers(erasure, placementId);
  const standing = standings(erasure).get(placementId);
  return standing !== undefined && !standing.confirmed && !standing.attested;
}

function isFree(
  state: TenantState,
  placementId: string,
  { tombstone }: Erasure,
  { owner, takeIdle }: PlacementLease,
  now: string,
): boolean {
  const lease = state.placements.leaseOf(placementId, tombstone.tombstoneId);
  return lease === undefined || lease.owner === owner || lease.leasedUntil <= now || (takeIdle === true && lease.idle);
}

/** Whether this very lease still holds, and nobody has taken the copy since. */
function isHeld(
  state: TenantState,
  placementId: string,
  { tombstone }: Erasure,
  under: SeenUnder,
  now: string,
): boolean {
  const lease = state.placements.leaseOf(placementId, tombstone.tombstoneId);
  if (lease === undefined || lease.idle || lease.leasedUntil <= now) return false;
  return lease.owner === under.owner && lease.leasedUntil === under.leasedUntil;
}

function outstandingView(
  state: TenantState,
  { tombstone, events }: Erasure,
  placementId: string,
  standing: Standing | undefined,
  now: string,
): OutstandingPlacement {
  const { sink, ref, kind, writtenAt, writeDeadline } = findPlacement(state, placementId);
  const lease = state.placements.leaseOf(placementId, tombstone.tombstoneId);
  const leasedUntil = lease !== undefined && lease.leasedUntil > now ? lease.leasedUntil : null;
  const lastAttempt = events.findLast((event) => event.type === "attempt" && event.placementId === placementId);
  return Object.freeze({
    placementId,
    sink,
    ref,
    kind,
    requiredProof: state.placements.requiredProof(sink),
    attempts: standing?.attempts ?? 0,
    lastAttemptAt: lastAttempt?.at ?? null,
    lastErrorCode: (standing?.lastErrorCode ?? null) as AttemptCode | null,
    writtenAt,
    writeDeadline: writtenAt === null ? writeDeadline : null,
    leasedUntil,
    retryAt: lease?.idle === true ? leasedUntil : null,
  });
}

function strength(proof: (typeof PROOF_LEVELS)[number]): number {
  return PROOF_LEVELS.indexOf(proof);
}
