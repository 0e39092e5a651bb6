import type { ExportedRow } from "../../domain/access.js";
import type { ErasureReceipt } from "../../domain/receipt.js";
import type { TombstoneRecord } from "../../domain/reconciliation.js";
import type { MemoryRow } from "../../domain/rows.js";
import type { OpenErasure, StoreScope } from "../../ports/memory-store.js";
import type { Correction, KeyCheck, ReconcilePage, ReconcileResult, UpkeepStore } from "../../ports/upkeep-store.js";
import { advanceErasure } from "./advance-erasure.js";
import { exportPage, type ExportQuery } from "./export-page.js";
import { expiredMemories, subjectsWithRows } from "./leftovers.js";
import { openCorrection } from "./open-correction.js";
import { receiptOf } from "./receipt-view.js";
import { reconcilePage } from "./reconcile.js";
import { exportTombstones, missingTombstones, openReplay } from "./replay.js";
import { memoryView } from "./stored-row.js";
import type { Tenants } from "./tenants.js";

/** Expiry, correction, off-boarding, access, reconciliation and replay. */
export class InMemoryUpkeep implements UpkeepStore {
  constructor(private readonly tenants: Tenants) {}

  async keysInUse(tenantKey: string): Promise<readonly (string | null)[]> {
    return this.tenants.get(tenantKey).keys.ids();
  }

  async expiredMemories(tenantKey: string, limit: number) {
    return expiredMemories(this.tenants.get(tenantKey), limit, this.tenants.now());
  }

  async subjectsWithRows(tenantKey: string, limit: number) {
    return subjectsWithRows(this.tenants.get(tenantKey), limit, this.tenants.now());
  }

  async correct(
    request: OpenErasure,
    replacement: Correction,
    chunkRows: number,
  ): Promise<{ memory: MemoryRow; receipt: ErasureReceipt }> {
    const state = this.tenants.get(request.tenantKey);
    const { erasure, memory } = openCorrection(state, request, replacement, this.tenants.now());
    const view = memoryView(state.tenantKey, memory);
    while (advanceErasure(state, erasure, chunkRows, this.tenants.now()));
    return { memory: view, receipt: receiptOf(state, erasure) };
  }

  async covered(
    tenantKey: string,
    query: {
      readonly ids: readonly string[];
      readonly tags: readonly (readonly string[])[];
      readonly keys: readonly KeyCheck[] | null;
    },
  ): Promise<{ ids: readonly string[]; contents: readonly number[] }> {
    const { keys, log } = this.tenants.get(tenantKey);
    if (query.keys !== null) keys.refuseUnlessAllIn(query.keys);
    return {
      ids: [...new Set(query.ids)].filter((id) => log.coversAny(id)).sort(),
      contents: query.tags.flatMap((tags, index) => (log.hasErased(tags) ? [index] : [])),
    };
  }

  async exportPage(
    tenantKey: string,
    scope: StoreScope,
    page: ExportQuery,
  ): Promise<{ rows: readonly ExportedRow[]; next: string | null }> {
    return exportPage(this.tenants.get(tenantKey), scope, page, this.tenants.now());
  }

  async reconcilePage(tenantKey: string, page: ReconcilePage): Promise<ReconcileResult> {
    return reconcilePage(this.tenants.get(tenantKey), page, this.tenants.now());
  }

  async exportTombstones(
    tenantKey: string,
    page: { readonly limit: number; readonly after: string | null },
  ): Promise<readonly TombstoneRecord[]> {
    return exportTombstones(this.tenants.get(tenantKey), page);
  }

  async missingTombstones(tenantKey: string, tombstoneIds: readonly string[]): Promise<readonly string[]> {
    return missingTombstones(this.tenants.get(tenantKey), tombstoneIds);
  }

  async openReplay(tenantKey: string, tombstoneId: string, record: TombstoneRecord): Promise<ErasureReceipt | null> {
    const [state, now] = [this.tenants.keep(tenantKey), this.tenants.now()];
    const erasure = openReplay(state, tombstoneId, record, now);
    return erasure && receiptOf(state, erasure);
  }
}
