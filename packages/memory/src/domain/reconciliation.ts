import type { RowKind } from "./codes.js";
import type { TombstoneScope } from "./receipt.js";

/** What a sweep can find. */
export const FINDING_CODES = [
  "forgotten_but_live",
  "source_missing",
  "source_forgotten",
  "placement_source_missing",
  "erasure_overdue",
  "content_reappeared",
  "provenance_unknown",
  "subject_mismatch",
  "count_mismatch",
  "rule_disabled",
  "evidence_missing",
] as const;
export type FindingCode = (typeof FINDING_CODES)[number];

/** One thing that should not be: a code and ids, never content. */
export interface Finding {
  readonly code: FindingCode;
  readonly kind: RowKind | "placement" | "tombstone" | "rule";
  readonly id: string;
  readonly tombstoneId?: string;
}

/** What a sweep looked at, and what it could not. */
export interface ReconcileCoverage {
  readonly memories: number;
  readonly derived: number;
  readonly placements: number;
  readonly tombstones: number;
  /** Pairs of a person's key and hash that were compared. */
  readonly persons: number;
  /** Pairs under a key that this process does not hold. */
  readonly personsUnchecked: number;
  /** Rows without content tags: whether their text was erased before cannot be told. */
  readonly contentUnchecked: number;
}

/** A tombstone as `exportTombstones` writes it: enough to erase again after a restore, and no content. */
export interface TombstoneRecord {
  readonly v: 1;
  readonly tombstoneId: string;
  readonly tenantKey: string;
  readonly scope: TombstoneScope;
  readonly subjectHash: string | null;
  readonly subjectKeyId: string | null;
  readonly origin: string;
  readonly reason: string;
  readonly legalBasis: string;
  readonly openedAt: string;
  readonly memoryIds: readonly string[];
  readonly derivedIds: readonly string[];
  readonly placementIds: readonly string[];
}
