import type {
  ErasureOrigin,
  ErasureReason,
  ErasureState,
  EscalationCode,
  LegalBasis,
  NotCovered,
  RequesterRole,
} from "./codes.js";
import type { SourceRef } from "./rows.js";

/** What an erasure covered. `derived` occurs only for a derived row that was deleted directly in SQL. */
export type TombstoneScope = "subject" | "memories" | "derived";

export interface ErasureCounts {
  readonly memories: number;
  readonly derived: number;
  readonly provenanceEdges: number;
  readonly placements: {
    readonly total: number;
    readonly confirmed: number;
    readonly attested: number;
    readonly outstanding: number;
  };
}

/** A derived row that went because one of its sources did, and what is left to make it again from. */
export interface Rebuildable {
  readonly derivedKind: string;
  readonly survivingSources: readonly SourceRef[];
}

/**
 * What the caller of an erasure gets: ids, counts and codes, never content. It survives JSON, and is the same from
 * `forget`, from `status`, and after a restart.
 */
export interface ErasureReceipt {
  readonly tombstoneId: string;
  readonly tenantKey: string;
  readonly scope: TombstoneScope;
  /** `null` only for scope `derived`. */
  readonly subjectHash: string | null;
  /** `false`: the hash was made without a pepper, so it can be found again by guessing keys. */
  readonly subjectHashKeyed: boolean;
  readonly reason: ErasureReason;
  readonly legalBasis: LegalBasis;
  readonly origin: ErasureOrigin;
  readonly requestedBy: { readonly role: RequesterRole; readonly idHash: string | null };
  readonly state: ErasureState;
  /** Present when complete: whether every copy was confirmed gone, or a person vouched for some of it. */
  readonly closure?: "confirmed" | "attested";
  /** Who has to move next; of a complete erasure, who finished it. */
  readonly owner: "library" | "worker" | "person";
  readonly escalation?: { readonly code: EscalationCode; readonly at: string };
  readonly openedAt: string;
  readonly destroyedAt?: string;
  readonly completedAt?: string;
  /** What was planned until `destroyedAt` is set, and what was destroyed from then on. */
  readonly counts: ErasureCounts;
  /** The longest shortest path from an erased memory to something derived from it; 0 if nothing was derived. */
  readonly cascadeDepth: number;
  /** `false`: we looked and found nothing. */
  readonly matched: boolean;
  readonly unknownIds: { readonly alreadyErased: number; readonly neverSeen: number };
  readonly rebuildable: readonly Rebuildable[];
  /** How many other persons lost a shared row. */
  readonly otherSubjects: number;
  readonly outstanding: readonly { readonly placementId: string; readonly sink: string }[];
  /** What this erasure does not reach. Never empty. */
  readonly notCovered: readonly NotCovered[];
}

/** Append-only, content-free evidence that an erasure was opened. */
export interface Tombstone {
  readonly tombstoneId: string;
  readonly tenantKey: string;
  readonly scope: TombstoneScope;
  readonly subjectHash: string | null;
  readonly subjectHashKeyed: boolean;
  readonly reason: ErasureReason;
  readonly legalBasis: LegalBasis;
  readonly origin: ErasureOrigin;
  readonly requestedBy: { readonly role: RequesterRole; readonly idHash: string | null };
  readonly openedAt: string;
  /** What was planned until the rows are destroyed, and what was destroyed from then on. */
  readonly counts: ErasureCounts;
  readonly cascadeDepth: number;
  readonly matched: boolean;
  readonly unknownIds: { readonly alreadyErased: number; readonly neverSeen: number };
  readonly otherSubjects: number;
  readonly state: ErasureState;
}

/** What `previewForget` answers: the same closure an erasure would open, without opening it. */
export interface ErasurePreview {
  readonly ids: {
    readonly memories: readonly string[];
    readonly derived: readonly string[];
    readonly placements: readonly string[];
  };
  readonly counts: {
    readonly memories: number;
    readonly derived: number;
    readonly provenanceEdges: number;
    readonly placements: number;
  };
  readonly cascadeDepth: number;
  readonly otherSubjects: number;
  readonly sinks: readonly { readonly sink: string; readonly placements: number }[];
  readonly rebuildable: readonly Rebuildable[];
  /** Pass it to `forget` to refuse if the closure has changed since (`StalePreviewError`). */
  readonly token: string;
}
