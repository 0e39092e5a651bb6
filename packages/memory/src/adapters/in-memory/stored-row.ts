import type { RowKind } from "../../domain/codes.js";
import type { DerivedRow, MemoryRow, Metadata, SourceRef } from "../../domain/rows.js";
import type { Person } from "./persons.js";

/** A person as one row names them. */
export interface Filing {
  readonly hash: string;
  readonly keyId: string | null;
  readonly subjectKey: string | null;
}

interface StoredParts {
  readonly id: string;
  /** The host's word for what the row is. */
  readonly kind: string;
  readonly text: string;
  readonly metadata: Metadata;
  readonly contentTags: readonly string[];
  readonly createdAt: string;
  /** Counts up with every row of the tenant, whatever the clock does: a source is always before what it led to. */
  readonly sequence: number;
  readonly expiresAt: string | null;
  /** Everybody the row is filed under; of a derived row, of all its ancestors. */
  readonly persons: Set<Person>;
  embedding: Float32Array | null;
  termHashes: readonly bigint[];
}

export interface StoredMemory extends StoredParts {
  readonly rowKind: "memory";
  readonly filedUnder: readonly Filing[];
  readonly capturedAt: string | null;
  readonly idempotencyHash: string | null;
  readonly provenanceKnown: boolean;
}

export interface StoredDerived extends StoredParts {
  readonly rowKind: "derived";
  readonly sources: readonly SourceRef[];
}

export type StoredRow = StoredMemory | StoredDerived;

/** The sort of row and its id as one key: a memory and a derived row may carry the same UUID. */
export function rowKey(kind: RowKind, id: string): string {
  return `${kind}:${id}`;
}

export function memoryView(tenantKey: string, row: StoredMemory): MemoryRow {
  const [filedFirst, ...others] = row.filedUnder;
  return Object.freeze({
    tenantKey,
    memoryId: row.id,
    subjectKey: filedFirst?.subjectKey ?? null,
    subjectHash: filedFirst?.hash ?? "",
    alsoAbout: Object.freeze(others.flatMap((filing) => (filing.subjectKey === null ? [] : [filing.subjectKey]))),
    kind: row.kind,
    text: row.text,
    metadata: row.metadata,
    embedded: row.embedding !== null,
    dimensions: row.embedding?.length ?? null,
    capturedAt: row.capturedAt,
    expiresAt: row.expiresAt,
    createdAt: row.createdAt,
    provenanceKnown: row.provenanceKnown,
  });
}

export function derivedView(tenantKey: string, row: StoredDerived): DerivedRow {
  return Object.freeze({
    tenantKey,
    derivedId: row.id,
    kind: row.kind,
    text: row.text,
    metadata: row.metadata,
    embedded: row.embedding !== null,
    dimensions: row.embedding?.length ?? null,
    sources: row.sources,
    expiresAt: row.expiresAt,
    createdAt: row.createdAt,
  });
}
