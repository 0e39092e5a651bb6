import type {
  ErasureOrigin,
  ErasureReason,
  ErasureState,
  LegalBasis,
  NotCovered,
  RequesterRole,
  RowKind,
} from "../domain/codes.js";
import type { ErasurePreview, ErasureReceipt, Tombstone } from "../domain/receipt.js";
import type { RowFilter } from "../domain/row-filter.js";
import type { DerivedRow, Lineage, MemoryRow, Metadata, Page } from "../domain/rows.js";
import type { MemoryError } from "../errors.js";
import type { Clock } from "./clock.js";
import type { PlacementStore } from "./placement-store.js";
import type { RestrictionStore } from "./restriction-store.js";
import type { KeyCheck, UpkeepStore } from "./upkeep-store.js";

/**
 * Where memories live. Every method is one atomic step: it happens whole or not at all, and a caller may stop
 * between any two of them and go on from another process.
 *
 * Inputs arrive validated and redacted; the store never sees a raw identifier, a pepper or a secret. What a store
 * must refuse it refuses with the typed errors of `errors.ts`. Rows that are forgotten, in an open erasure or
 * expired are invisible to every read here, and do not use up `limit`.
 */
export interface MemoryStore {
  /** What this store can do here and now; detected, never guessed. */
  capabilities(): Promise<StoreCapabilities>;
  /** Copies outside the store. */
  readonly placements: PlacementStore;
  /** Restrictions and legal holds. */
  readonly restrictions: RestrictionStore;
  /** Expiry, correction, access, reconciliation, replay. */
  readonly upkeep: UpkeepStore;
  /** Given the host's clock once, by stores that have no clock of their own. */
  useClock?(clock: Clock): void;

  insertMemories(
    tenantKey: string,
    rows: readonly NewMemory[],
    options: InsertOptions,
  ): Promise<readonly InsertOutcome<MemoryRow>[]>;
  insertDerived(tenantKey: string, rows: readonly NewDerived[]): Promise<readonly InsertOutcome<DerivedRow>[]>;
  setEmbeddings(
    tenantKey: string,
    items: readonly EmbeddingUpdate[],
  ): Promise<{ readonly updated: number; readonly unknown: number }>;
  /** Rows that raw SQL inserted without terms, oldest first. */
  rowsWithoutTerms(tenantKey: string, limit: number): Promise<readonly RowText[]>;
  setTerms(tenantKey: string, items: readonly TermsUpdate[]): Promise<{ readonly updated: number }>;

  getMemory(tenantKey: string, memoryId: string): Promise<MemoryRow | null>;
  getDerived(tenantKey: string, derivedId: string): Promise<DerivedRow | null>;
  listMemories(tenantKey: string, query: ListQuery): Promise<Page<MemoryRow>>;
  listDerived(tenantKey: string, query: ListQuery): Promise<Page<DerivedRow>>;
  /** `null` if the row is unknown or hidden. */
  lineage(tenantKey: string, kind: RowKind, id: string): Promise<Lineage | null>;
  recallLexical(tenantKey: string, query: LexicalQuery): Promise<RankedRows>;
  recallVector(tenantKey: string, query: VectorQuery): Promise<RankedRows>;
  /**
   * As `recallLexical`, with terms weighted by `rarityWeights`. A store that leaves it out offers neither "bm25" nor
   * "hybrid".
   */
  recallBm25?(tenantKey: string, query: LexicalQuery): Promise<RankedRows>;

  previewErasure(tenantKey: string, scope: StoreScope): Promise<ErasurePreview>;
  /** Step 1: a durable tombstone with its items; from here on the closure is invisible. Joins an open erasure. */
  openErasure(request: OpenErasure): Promise<ErasureReceipt>;
  /**
   * One step further: one chunk destroyed, or the completion recorded. `advanced` is false when nothing more can be
   * done here (complete, or waiting for somebody else). Refuses to destroy in the transaction that opened.
   */
  advanceErasure(
    tenantKey: string,
    tombstoneId: string,
    chunkRows: number,
  ): Promise<{ readonly receipt: ErasureReceipt; readonly advanced: boolean }>;
  /** Opens (or joins) and goes as far as it can, each step its own commit. Refuses inside a host's transaction. */
  forget(request: OpenErasure, chunkRows: number): Promise<ErasureReceipt>;
  receipt(tenantKey: string, tombstoneId: string): Promise<ErasureReceipt | null>;
  listReceipts(tenantKey: string, query: ReceiptQuery): Promise<Page<ErasureReceipt>>;
  /** Newest first. */
  tombstones(tenantKey: string, query: TombstoneQuery): Promise<readonly Tombstone[]>;
  /** The newest tombstone that has an item for this row, or `null`. */
  tombstoneCovering(tenantKey: string, kind: RowKind, id: string): Promise<string | null>;
}

export interface StoreCapabilities {
  /** Where vectors are ranked: by pgvector in Postgres, or in this process over a bounded pool. */
  readonly vectorSearch: "pgvector" | "in-process";
  /** Where terms are ranked. */
  readonly lexicalSearch: "postgres" | "in-process";
  /** The indexes on vectors that there are, each of one tenant; see `ensureVectorIndex`. */
  readonly vectorIndexes?: readonly VectorIndex[];
  /** Whether rows outlive this process. */
  readonly durable: boolean;
  /** Whether the store keeps its rules against plain SQL that goes round this library. */
  readonly enforcedByDatabase: boolean;
  /** What a delete in this store does not reach; copied into every receipt. */
  readonly notCovered: readonly NotCovered[];
}

/** An index on the vectors of one tenant. */
export interface VectorIndex {
  readonly name: string;
  readonly table: "memory" | "derived";
  readonly kind: "hnsw" | "hnsw-halfvec";
  readonly dimensions: number;
  /** `invalid`: its build did not end. `sampled`: planner statistics hold vectors of it. `ensureVectorIndex` repairs both. */
  readonly state: "valid" | "invalid" | "sampled";
}

/** One person's hash under one key; `keyId` is `null` for a hash made without a pepper. */
export interface SubjectHash extends KeyCheck {
  readonly hash: string;
}

/** A person as the store sees them: the hash rows are written under, and every hash they may be found by. */
export interface StoreSubject {
  /** `null` where the store is to keep the hash alone. */
  readonly subjectKey: string | null;
  readonly written: SubjectHash;
  /** All hashes under all configured keys, `written` included. */
  readonly known: readonly SubjectHash[];
  /** The hashes are as this store itself listed them (`subjectsWithRows`): no secret vouches for them, none is checked. */
  readonly listed?: true;
}

export interface NewMemory {
  /** A time-ordered UUID (version 7), increasing within a batch. */
  readonly memoryId: string;
  /** The person the row is filed under first, then those it is also about. */
  readonly subjects: readonly [StoreSubject, ...StoreSubject[]];
  readonly kind: string;
  readonly text: string;
  readonly metadata: Metadata;
  readonly embedding: Float32Array | null;
  /** Distinct keyed 64-bit hashes of the text's terms, as signed integers. */
  readonly termHashes: readonly bigint[];
  /** Keyed tags of the redacted text; empty without a pepper. */
  readonly contentTags: readonly string[];
  readonly capturedAt: string | null;
  readonly expiresAt: string | null;
  readonly idempotencyHash: string | null;
  readonly provenanceKnown: boolean;
}

export interface NewDerived {
  readonly derivedId: string;
  readonly kind: string;
  readonly text: string;
  readonly metadata: Metadata;
  readonly embedding: Float32Array | null;
  readonly termHashes: readonly bigint[];
  readonly contentTags: readonly string[];
  readonly sourceMemories: readonly string[];
  readonly sourceDerived: readonly string[];
}

export interface InsertOptions {
  /** The pepper keys in use, the written one first. */
  readonly keys: readonly KeyCheck[];
  /** What happens to a text that was erased before: stored and reported, or refused (`ContentForgottenError`). */
  readonly onRematerialise: "report" | "refuse";
}

/**
 * `existing`: the idempotency key was used before, and this is the row it stored. `refused`: nothing of this row was
 * stored, the others of the batch were.
 */
export type InsertOutcome<Row> =
  | { readonly status: "stored"; readonly row: Row; readonly rematerialised: boolean }
  | { readonly status: "existing"; readonly row: Row }
  | { readonly status: "refused"; readonly error: MemoryError };

export interface EmbeddingUpdate {
  readonly kind: RowKind;
  readonly id: string;
  readonly embedding: Float32Array;
}

export interface TermsUpdate {
  readonly kind: RowKind;
  readonly id: string;
  readonly termHashes: readonly bigint[];
}

export interface RowText {
  readonly kind: RowKind;
  readonly id: string;
  readonly text: string;
}

export interface ListQuery extends RowFilter {
  /** Every hash of the person, or `null` for everybody. A derived row matches if any of its memories does. */
  readonly subject: readonly SubjectHash[] | null;
  /** `false`: rows without a vector; a number: rows whose vector has another length (or none). */
  readonly missingVector: false | { readonly dimensionsNot: number } | null;
  readonly limit: number;
  /** As a former page returned it. An unreadable one is `InvalidInputError`. */
  readonly cursor: string | null;
}

export interface RecallFilter extends RowFilter {
  readonly subject: readonly SubjectHash[] | null;
  readonly kinds: readonly string[] | null;
  readonly include: "both" | "memories" | "derived";
  /** Rows whose metadata contains these top-level values. */
  readonly metadata: Metadata | null;
  readonly limit: number;
  /** Rows at or above it only; rows of score 0 or less are never hits. */
  readonly minScore: number;
}

export interface LexicalQuery extends RecallFilter {
  /** For each distinct query term the hashes that stand for it: under every configured key, in every form of the word. */
  readonly terms: readonly (readonly bigint[])[];
}

export interface VectorQuery extends RecallFilter {
  readonly embedding: Float32Array;
  /** How many rows an in-process ranking may look at. */
  readonly candidatePool: number;
}

export interface RankedRows {
  /** Best first; ties newest first, then by id descending. */
  readonly hits: readonly RankedRow[];
  readonly coverage: Coverage;
  /** Where the ranking was done. */
  readonly ranking: "pgvector" | "postgres" | "in-process";
}

export type RankedRow =
  | { readonly kind: "memory"; readonly row: MemoryRow; readonly score: number }
  | { readonly kind: "derived"; readonly row: DerivedRow; readonly score: number };

/** What a ranking looked at, and what it could not. */
export interface Coverage {
  /**
   * Rows whose score was computed. For terms: rows that share at least one with the query; in a large tenant, where
   * `partial` is set, those looked at until the hits were certain.
   */
  readonly considered: number;
  /** Rows that passed the filters, where that was counted. */
  readonly eligible?: number;
  readonly skippedNoVector: number;
  readonly skippedDimension: number;
  /** Rows that plain SQL inserted without terms; `reindexTerms` fills them. */
  readonly skippedNoTerms: number;
  /** A bounded pool left rows out. */
  readonly truncated: boolean;
  /** The other numbers here are what was looked at, not all there is: there was no need, or no time, to count the rest. */
  readonly partial?: boolean;
  /** The hits come from this sort of index, which may miss some; absent where the search was exact. */
  readonly index?: "hnsw";
}

export type StoreScope =
  | { readonly scope: "subject"; readonly subject: StoreSubject }
  | {
      readonly scope: "memories";
      readonly memoryIds: readonly string[];
      /** Required where the rows have several persons in common; else found from the rows. */
      readonly subject: StoreSubject | null;
    }
  | {
      /** Derived rows and copies that a sweep found: no person, and nothing to look up. */
      readonly scope: "derived";
      readonly derivedIds: readonly string[];
      readonly placementIds: readonly string[];
    };

export interface OpenErasure {
  readonly tenantKey: string;
  /** Made by the caller, so that a lost answer can be asked for again. */
  readonly tombstoneId: string;
  readonly target: StoreScope;
  readonly reason: ErasureReason;
  readonly legalBasis: LegalBasis;
  readonly origin: ErasureOrigin;
  readonly requestedBy: { readonly role: RequesterRole; readonly idHash: string | null };
  readonly requestHash: string | null;
  readonly previewToken: string | null;
}

export interface ReceiptQuery {
  readonly state: ErasureState | null;
  /** Opened before this instant. */
  readonly olderThan: string | null;
  readonly limit: number;
  readonly cursor: string | null;
}

export interface TombstoneQuery {
  readonly subject: readonly SubjectHash[] | null;
  readonly limit: number;
  /** Only tombstones older than this one. */
  readonly before: string | null;
}
