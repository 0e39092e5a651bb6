import type { RowKind } from "./codes.js";

/** A JSON value, as `metadata` holds it. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | { readonly [key: string]: JsonValue };

/** A JSON object. Stored verbatim: redaction does not look at it unless `redactMetadata` is set. */
export type Metadata = { readonly [key: string]: JsonValue };

/** A stored source row. Dates are ISO 8601 strings in UTC. */
export interface MemoryRow {
  readonly tenantKey: string;
  readonly memoryId: string;
  /** The person the row is filed under; `null` where the store keeps the hash alone (`storeSubjectKeys: false`). */
  readonly subjectKey: string | null;
  /** The same person as a hash, keyed where there is a pepper. */
  readonly subjectHash: string;
  /** Further persons the row is filed under; empty where the store keeps hashes alone. */
  readonly alsoAbout: readonly string[];
  readonly kind: string;
  readonly text: string;
  readonly metadata: Metadata;
  /** Whether a vector is stored with the row. */
  readonly embedded: boolean;
  /** The length of that vector; `null` without one. */
  readonly dimensions: number | null;
  readonly capturedAt: string | null;
  readonly expiresAt: string | null;
  readonly createdAt: string;
  /** `false` for imported rows whose derivations nobody recorded: their erasure escalates. */
  readonly provenanceKnown: boolean;
}

/** A provenance edge, seen from the derived row. */
export interface SourceRef {
  readonly sourceKind: RowKind;
  readonly sourceId: string;
}

/** The ids of the sources of one kind, in order. */
export function sourceIds(sources: readonly SourceRef[], kind: RowKind): readonly string[] {
  return sources.filter((source) => source.sourceKind === kind).map((source) => source.sourceId);
}

/** A row produced from memories or from other derived rows. Its sources never change while it lives. */
export interface DerivedRow {
  readonly tenantKey: string;
  readonly derivedId: string;
  readonly kind: string;
  readonly text: string;
  readonly metadata: Metadata;
  readonly embedded: boolean;
  /** The length of its vector; `null` without one. */
  readonly dimensions: number | null;
  readonly sources: readonly SourceRef[];
  /** The earliest `expiresAt` of its sources: a summary is never visible longer than what it was made from. */
  readonly expiresAt: string | null;
  readonly createdAt: string;
}

/** One page of rows, newest first. `nextCursor` is `null` on the last page. */
export interface Page<T> {
  readonly rows: readonly T[];
  readonly nextCursor: string | null;
}

/** What a row was made from, and what was made from it. */
export interface Lineage {
  readonly ancestors: readonly LineageNode[];
  readonly descendants: readonly LineageNode[];
  readonly placements: readonly { readonly placementId: string; readonly sink: string }[];
}

export interface LineageNode {
  readonly kind: RowKind;
  readonly id: string;
  /** Length of the shortest path; 1 is a direct source or a direct derivation. */
  readonly depth: number;
}
