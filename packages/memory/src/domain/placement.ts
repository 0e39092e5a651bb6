/**
 * How much is known of a copy's end, weakest first: `requested` and `acknowledged` are a sink's promises; `absent` is
 * read back by id; `unfindable` by tag or search as well; `purged` with versions, logs and compaction done.
 */
export const PROOF_LEVELS = ["requested", "acknowledged", "absent", "unfindable", "purged"] as const;
export type ProofLevel = (typeof PROOF_LEVELS)[number];

/** What a sink may be asked for: a promise is not a proof. */
export const REQUIRED_PROOFS = ["absent", "unfindable", "purged"] as const;
export type RequiredProof = (typeof REQUIRED_PROOFS)[number];

/** How a try to destroy a copy ended, where it failed. A sink's own error text goes nowhere. */
export const ATTEMPT_CODES = [
  "timeout",
  "refused",
  "unavailable",
  "still_present",
  "not_found",
  "rate_limited",
  "auth",
  "other",
] as const;
export type AttemptCode = (typeof ATTEMPT_CODES)[number];

/** The record that content went to a sink. */
export interface Placement {
  readonly tenantKey: string;
  readonly placementId: string;
  readonly sink: string;
  readonly kind: string;
  /** Where in the sink; `null` once the copy is known to be gone. */
  readonly ref: string | null;
  /** `gone`: confirmed, attested or abandoned. */
  readonly state: "written" | "writing" | "gone";
  readonly createdAt: string;
}

/** A copy that an erasure waits for. */
export interface OutstandingPlacement {
  readonly placementId: string;
  readonly sink: string;
  readonly ref: string | null;
  readonly kind: string;
  readonly requiredProof: RequiredProof;
  /** Tries so far, rejected confirmations included. */
  readonly attempts: number;
  readonly lastAttemptAt: string | null;
  readonly lastErrorCode: AttemptCode | null;
  /** When its writer last reported; `null` where none has. */
  readonly writtenAt: string | null;
  /** Until when a writer that has not reported may still write: before that no confirmation is accepted. */
  readonly writeDeadline: string | null;
  readonly leasedUntil: string | null;
  /** Until when a worker leaves it alone before it tries again; `null` where none has said so. */
  readonly retryAt: string | null;
}

/**
 * What is known of a recorded copy: `live`, no erasure covers it; `outstanding`, one waits for it; `gone`, one has seen
 * its end; `abandoned`, its writer said that it was never written.
 */
export type PlacementStatus = "live" | "outstanding" | "gone" | "abandoned";

/** What is told of a recorded copy to whoever compares a sink with the record: no ref and no source. */
export interface PlacementStanding {
  readonly placementId: string;
  readonly sink: string;
  readonly status: PlacementStatus;
}

/** A sink and the proof it must give. `automatic`: named by a placement before anybody registered it. */
export interface SinkRegistration {
  readonly sink: string;
  readonly requiredProof: RequiredProof;
  readonly registered: "explicit" | "automatic";
}
