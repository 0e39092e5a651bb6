import type { EscalationCode } from "../domain/codes.js";
import type { PlacementStanding, ProofLevel, RequiredProof } from "../domain/placement.js";
import type { Placement, OutstandingPlacement, SinkRegistration } from "../domain/placement.js";
import type { ErasureReceipt } from "../domain/receipt.js";

/** Copies outside the store: recorded before they are made, and followed until they are known to be gone. */
export interface PlacementStore {
  /**
   * Records a copy before it is written. The same sink, ref, kind and sources are one placement. A sink never met
   * before is registered with the default. Refused on unknown, expired, restricted or forgotten sources, like a
   * derived row.
   */
  recordPlacement(tenantKey: string, placement: NewPlacement): Promise<Placement>;
  /**
   * The writer reports that it has written. If an erasure covers the placement the copy is outstanding again (in a
   * new erasure of origin `late_write` if that one is complete), and `forgotten` says so.
   */
  placementWritten(
    tenantKey: string,
    placementId: string,
    ref: string | null,
  ): Promise<{ readonly placement: Placement; readonly forgotten: boolean }>;
  /** The writer reports that it never wrote and never will: there is no copy. */
  placementAbandoned(tenantKey: string, placementId: string): Promise<Placement>;
  /** What is known of each; an id that nobody recorded in this tenant is left out. At most 1,000 ids. */
  placementStatus(tenantKey: string, placementIds: readonly string[]): Promise<readonly PlacementStanding[]>;

  /** Sets the proof a sink must give. An automatic registration may be lowered to `absent`, an explicit one never lowered. */
  registerSink(tenantKey: string, sink: string, requiredProof: RequiredProof): Promise<SinkRegistration>;
  listSinks(tenantKey: string): Promise<readonly SinkRegistration[]>;

  /**
   * The copies an erasure still waits for. With a lease only those that nobody else has leased, and they are then
   * this owner's for so many seconds; without one all of them, unchanged.
   */
  outstanding(
    tenantKey: string,
    tombstoneId: string,
    lease: PlacementLease | null,
  ): Promise<readonly OutstandingPlacement[]>;
  recordAttempt(tenantKey: string, attempt: PlacementAttempt): Promise<void>;
  /**
   * Evidence that a copy is gone. Below the sink's required proof, before a writer's deadline, or under a lease that does
   * not hold any more, it is recorded as an attempt and `rejected` says why (a copy that is confirmed already takes no
   * further attempt); the last one that is accepted completes the
   * erasure.
   */
  confirmPlacement(
    tenantKey: string,
    confirmation: PlacementConfirmation,
  ): Promise<{ readonly receipt: ErasureReceipt; readonly rejected: ConfirmationRejection | null }>;
  /** A person vouches for one copy, or (`placementId: null`) for a closure that nobody could list. */
  attest(tenantKey: string, attestation: Attestation): Promise<ErasureReceipt>;
  escalate(tenantKey: string, tombstoneId: string, code: EscalationCode): Promise<ErasureReceipt>;
}

export interface NewPlacement {
  readonly placementId: string;
  readonly sink: string;
  readonly ref: string;
  readonly kind: string;
  readonly sourceMemories: readonly string[];
  readonly sourceDerived: readonly string[];
  /** A keyed hash over sink, ref, kind and sources; removed with the ref. */
  readonly fingerprint: string;
  /** How long the writer may take; `null`: the write is done, or happens at once. */
  readonly writeWithinSeconds: number | null;
}

/** How a worker takes outstanding copies for itself. */
export interface PlacementLease {
  readonly owner: string;
  readonly seconds: number;
  /** Nobody works on them: they are only kept until they are due again. */
  readonly idle?: boolean;
  /** Also what another owner holds idle. */
  readonly takeIdle?: boolean;
}

export interface PlacementAttempt {
  readonly tombstoneId: string;
  readonly placementId: string;
  readonly outcome: "requested" | "acknowledged" | "failed";
  readonly code: string | null;
}

export interface PlacementConfirmation {
  readonly tombstoneId: string;
  readonly placementId: string;
  readonly proof: ProofLevel;
  readonly by: string;
  /** What `outstanding` answered of the lease under which it was looked for; absent or `null`: under none. */
  readonly under?: SeenUnder | null;
}

/** The lease under which a copy was looked for, and what it was then. */
export interface SeenUnder {
  readonly owner: string;
  readonly leasedUntil: string;
  readonly writtenAt: string | null;
}

/** `proof`: too weak. `writer`: it may still be written. `lease`: what was seen may not be so any more. */
export type ConfirmationRejection = "proof" | "writer" | "lease";

export interface Attestation {
  readonly tombstoneId: string;
  readonly placementId: string | null;
  readonly by: string;
  readonly reference: string;
}
