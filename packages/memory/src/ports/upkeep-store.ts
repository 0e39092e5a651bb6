import type { ExportedRow } from "../domain/access.js";
import type { ErasureReceipt } from "../domain/receipt.js";
import type { Finding, TombstoneRecord } from "../domain/reconciliation.js";
import type { MemoryRow } from "../domain/rows.js";
import type { OpenErasure, StoreScope, SubjectHash } from "./memory-store.js";

/** Expiry, correction, off-boarding, access, reconciliation and replay: what a deployment does besides forgetting. */
export interface UpkeepStore {
  /** Ids of expired memories, oldest first, grouped by the person they are filed under; held ones are only counted. */
  expiredMemories(
    tenantKey: string,
    limit: number,
  ): Promise<{ readonly groups: readonly (readonly string[])[]; readonly skippedHeld: number; readonly more: boolean }>;
  /** Persons (all hashes of each) that still have rows or copies; held ones are only counted. */
  subjectsWithRows(
    tenantKey: string,
    limit: number,
  ): Promise<{
    readonly subjects: readonly (readonly SubjectHash[])[];
    readonly skippedHeld: number;
    readonly more: boolean;
  }>;
  /**
   * Opens the erasure of one memory and stores the new text in the same step; then goes as far as it can, like
   * `forget`. The new row carries over everything but text, vector and terms.
   */
  correct(
    request: OpenErasure,
    replacement: Correction,
    chunkRows: number,
  ): Promise<{ readonly memory: MemoryRow; readonly receipt: ErasureReceipt }>;

  /**
   * The ids of the pepper keys under which persons were filed in this tenant; `null` for those filed without a pepper.
   * Refuses nobody for a key they lack. A store that leaves it out is asked again where it has refused a call for rows
   * without a pepper; writers then link a person's hashes only from there on.
   */
  keysInUse?(tenantKey: string): Promise<readonly (string | null)[]>;

  /** Which of these ids, and which contents (each given as its possible tags), a tombstone covers. */
  covered(
    tenantKey: string,
    query: {
      readonly ids: readonly string[];
      readonly tags: readonly (readonly string[])[];
      /** The pepper keys the tags were made under; `null` where only ids are asked for. */
      readonly keys: readonly KeyCheck[] | null;
    },
  ): Promise<{ readonly ids: readonly string[]; readonly contents: readonly number[] }>;

  /** One page of everything the erasure of this scope would take, restricted and expired rows included. */
  exportPage(
    tenantKey: string,
    scope: StoreScope,
    page: { readonly includeShared: boolean; readonly limit: number; readonly after: string | null },
  ): Promise<{ readonly rows: readonly ExportedRow[]; readonly next: string | null }>;

  /** One bounded page of one stage of the sweep. */
  reconcilePage(tenantKey: string, page: ReconcilePage): Promise<ReconcileResult>;

  /** Tombstones with the ids they cover, content-free, in the order they were made. */
  exportTombstones(
    tenantKey: string,
    page: { readonly limit: number; readonly after: string | null },
  ): Promise<readonly TombstoneRecord[]>;
  /** Which of these tombstones the store does not have. */
  missingTombstones(tenantKey: string, tombstoneIds: readonly string[]): Promise<readonly string[]>;
  /**
   * Opens an erasure of origin `replay` for an exported tombstone: its items by id and, for a whole person, what was
   * stored not later than the original was opened. `null` where that was done before and nothing of it is live.
   */
  openReplay(tenantKey: string, tombstoneId: string, record: TombstoneRecord): Promise<ErasureReceipt | null>;
}

/** A pepper key as the store knows it: an id (`null`: no pepper) and a value that tells the right secret. */
export interface KeyCheck {
  readonly keyId: string | null;
  readonly check: string | null;
}

/** What replaces a corrected text. */
export interface Correction {
  readonly memoryId: string;
  readonly text: string;
  readonly embedding: Float32Array | null;
  readonly termHashes: readonly bigint[];
  readonly contentTags: readonly string[];
}

export const RECONCILE_STAGES = ["rules", "tombstones", "memories", "derived", "placements", "persons"] as const;

export interface ReconcilePage {
  readonly stage: (typeof RECONCILE_STAGES)[number];
  readonly after: string | null;
  readonly limit: number;
}

export interface ReconcileResult {
  readonly findings: readonly Finding[];
  /** For the holder of the pepper to check: each pair of key and hash that occurs, with one row of it. */
  readonly persons: readonly {
    readonly subjectKey: string;
    readonly subjectHash: string;
    readonly keyId: string | null;
    readonly id: string;
  }[];
  readonly looked: number;
  /** Rows without content tags: whether their text was erased before cannot be told. */
  readonly untagged: number;
  /** What to go on after; `null` when the stage is done. */
  readonly next: string | null;
}
