import type { ExportedRow } from "../../domain/access.js";
import type { ErasureReceipt } from "../../domain/receipt.js";
import type { TombstoneRecord } from "../../domain/reconciliation.js";
import type { MemoryRow } from "../../domain/rows.js";
import type { OpenErasure, StoreScope, SubjectHash } from "../../ports/memory-store.js";
import type { Correction, KeyCheck, ReconcilePage, ReconcileResult, UpkeepStore } from "../../ports/upkeep-store.js";
import type { PgConnection } from "./connection.js";
import { erasureRequest, parseReceipt, refuseHeld } from "./erasure-json.js";
import { plainArray, textArray, vectorArray } from "./literals.js";

/** Expiry, correction, access, reconciliation and replay in Postgres: one statement each. */
export class PgUpkeep implements UpkeepStore {
  readonly #db: PgConnection;

  constructor(db: PgConnection) {
    this.#db = db;
  }

  async expiredMemories(
    tenantKey: string,
    limit: number,
  ): Promise<{ groups: readonly (readonly string[])[]; skippedHeld: number; more: boolean }> {
    return this.#db.json("expired_memories", tenantKey, [["int", limit]]);
  }

  async subjectsWithRows(
    tenantKey: string,
    limit: number,
  ): Promise<{ subjects: readonly (readonly SubjectHash[])[]; skippedHeld: number; more: boolean }> {
    return this.#db.json("subjects_with_rows", tenantKey, [["int", limit]]);
  }

  async keysInUse(tenantKey: string): Promise<readonly (string | null)[]> {
    return this.#db.json<(string | null)[]>("keys_in_use", tenantKey, []);
  }

  async correct(
    request: OpenErasure,
    replacement: Correction,
    chunkRows: number,
  ): Promise<{ memory: MemoryRow; receipt: ErasureReceipt }> {
    const answer = await this.#db.procedure("correct", request.tenantKey, [
      ["text", erasureRequest(request)],
      ["uuid", replacement.memoryId],
      ["text", replacement.text],
      ["real[]", replacement.embedding === null ? null : vectorArray(replacement.embedding)],
      ["bigint[]", plainArray(replacement.termHashes)],
      ["text[]", plainArray(replacement.contentTags)],
      ["int", chunkRows],
    ]);
    const { memory, receipt } = refuseHeld(answer) as { memory: MemoryRow; receipt: unknown };
    return { memory, receipt: parseReceipt(receipt) };
  }

  async covered(
    tenantKey: string,
    query: {
      readonly ids: readonly string[];
      readonly tags: readonly (readonly string[])[];
      readonly keys: readonly KeyCheck[] | null;
    },
  ): Promise<{ ids: readonly string[]; contents: readonly number[] }> {
    const found = await this.#db.json<{ ids: [kind: string, id: string][]; contents: number[] }>("covered", tenantKey, [
      ["uuid[]", plainArray(query.ids)],
      ["text[]", textArray(query.tags.map((tags) => plainArray(tags)))],
      ["jsonb", query.keys === null ? null : JSON.stringify(query.keys)],
    ]);
    return { ids: found.ids.map(([, id]) => id), contents: found.contents };
  }

  async exportPage(
    tenantKey: string,
    scope: StoreScope,
    page: { readonly includeShared: boolean; readonly limit: number; readonly after: string | null },
  ): Promise<{ rows: readonly ExportedRow[]; next: string | null }> {
    const found = await this.#db.json<{ at: string; line: ExportedRow }[]>("export_page", tenantKey, [
      ["text", JSON.stringify(scope)],
      ["boolean", page.includeShared],
      ["int", page.limit],
      ["text", page.after],
    ]);
    const shown = found.slice(0, page.limit);
    return {
      rows: shown.map(({ line }) => line),
      next: found.length > page.limit ? (shown.at(-1)?.at ?? null) : null,
    };
  }

  async reconcilePage(tenantKey: string, page: ReconcilePage): Promise<ReconcileResult> {
    return this.#db.json<ReconcileResult>("reconcile_page", tenantKey, [
      ["text", page.stage],
      ["text", page.after],
      ["int", page.limit],
    ]);
  }

  async exportTombstones(
    tenantKey: string,
    page: { readonly limit: number; readonly after: string | null },
  ): Promise<readonly TombstoneRecord[]> {
    return this.#db.json<TombstoneRecord[]>("export_tombstones", tenantKey, [
      ["int", page.limit],
      ["uuid", page.after],
    ]);
  }

  async missingTombstones(tenantKey: string, tombstoneIds: readonly string[]): Promise<readonly string[]> {
    return this.#db.json<string[]>("missing_tombstones", tenantKey, [["uuid[]", plainArray(tombstoneIds)]]);
  }

  async openReplay(tenantKey: string, tombstoneId: string, record: TombstoneRecord): Promise<ErasureReceipt | null> {
    const request = {
      tombstoneId,
      scope: record.scope,
      origin: "replay",
      reason: record.reason,
      legalBasis: record.legalBasis,
      requestedBy: { role: "system", idHash: null },
      replays: record.tombstoneId,
      replaysOpenedAt: record.openedAt,
      memoryIds: record.memoryIds,
      derivedIds: record.derivedIds,
      placementIds: record.placementIds,
      ...(record.subjectHash !== null && { subject: replayedSubject(record.subjectHash, record.subjectKeyId) }),
    };
    const answer = await this.#db.call("open_replay", tenantKey, [["text", JSON.stringify(request)]]);
    return answer === null ? null : parseReceipt(refuseHeld(answer));
  }
}

// The hash as it was written then: no secret is needed to find it again, and none is checked.
function replayedSubject(hash: string, keyId: string | null) {
  return { written: { hash, keyId }, replayed: [{ hash, keyId }] };
}
