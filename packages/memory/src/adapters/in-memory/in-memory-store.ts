import type { RowKind } from "../../domain/codes.js";
import type { ErasurePreview, ErasureReceipt, Tombstone } from "../../domain/receipt.js";
import type { DerivedRow, Lineage, MemoryRow, Page } from "../../domain/rows.js";
import type { Clock } from "../../ports/clock.js";
import type {
  EmbeddingUpdate,
  InsertOptions,
  InsertOutcome,
  LexicalQuery,
  ListQuery,
  MemoryStore,
  NewDerived,
  NewMemory,
  OpenErasure,
  RankedRows,
  ReceiptQuery,
  RowText,
  StoreCapabilities,
  StoreScope,
  TermsUpdate,
  TombstoneQuery,
  VectorQuery,
} from "../../ports/memory-store.js";
import type { PlacementStore } from "../../ports/placement-store.js";
import type { RestrictionStore } from "../../ports/restriction-store.js";
import type { UpkeepStore } from "../../ports/upkeep-store.js";
import { advanceErasure } from "./advance-erasure.js";
import { findErasure } from "./confirm-placement.js";
import { dumpOf } from "./dump.js";
import { listReceipts, listTombstones } from "./history.js";
import { lineageOf, listDerived, listMemories } from "./listing.js";
import { openErasure } from "./open-erasure.js";
import { InMemoryPlacements } from "./placements.js";
import { previewErasure } from "./preview-erasure.js";
import { recallBm25, recallLexical, recallVector } from "./ranking.js";
import { NOT_COVERED, receiptOf } from "./receipt-view.js";
import { InMemoryRestrictions } from "./restrictions.js";
import { derivedView, memoryView, type StoredRow } from "./stored-row.js";
import { Tenants } from "./tenants.js";
import { InMemoryUpkeep } from "./upkeep.js";
import { insertDerivedRows, insertMemories } from "./write-gate.js";

/**
 * A store in this process. It erases as thoroughly as the one in Postgres: the same steps, refusals, receipts and
 * orders. What it does not have is a life beyond the process, and a guard against code that goes round it.
 *
 * Inputs are copied and results are frozen: nothing a caller does to either changes the store.
 */
export class InMemoryStore implements MemoryStore {
  readonly placements: PlacementStore;
  readonly restrictions: RestrictionStore;
  readonly upkeep: UpkeepStore;
  private readonly tenants: Tenants;

  constructor(options: { readonly clock?: Clock } = {}) {
    this.tenants = new Tenants(options.clock ?? { now: () => new Date() });
    this.placements = new InMemoryPlacements(this.tenants);
    this.restrictions = new InMemoryRestrictions(this.tenants);
    this.upkeep = new InMemoryUpkeep(this.tenants);
  }

  useClock(clock: Clock): void {
    this.tenants.useClock(clock);
  }

  async capabilities(): Promise<StoreCapabilities> {
    return {
      vectorSearch: "in-process",
      lexicalSearch: "in-process",
      durable: false,
      enforcedByDatabase: false,
      notCovered: NOT_COVERED,
    };
  }

  async insertMemories(
    tenantKey: string,
    rows: readonly NewMemory[],
    options: InsertOptions,
  ): Promise<readonly InsertOutcome<MemoryRow>[]> {
    const [state, now] = [this.tenants.keep(tenantKey), this.tenants.now()];
    return insertMemories(state, rows, options, now);
  }

  async insertDerived(tenantKey: string, rows: readonly NewDerived[]): Promise<readonly InsertOutcome<DerivedRow>[]> {
    const [state, now] = [this.tenants.keep(tenantKey), this.tenants.now()];
    return insertDerivedRows(state, rows, now);
  }

  async setEmbeddings(tenantKey: string, items: readonly EmbeddingUpdate[]) {
    let updated = 0;
    for (const { kind, id, embedding } of items) {
      const row = this.visible(tenantKey, kind, id);
      if (row === undefined) continue;
      row.embedding?.fill(0);
      row.embedding = Float32Array.from(embedding);
      updated += 1;
    }
    return { updated, unknown: items.length - updated };
  }

  /** None: every row comes through this library, with its terms. */
  async rowsWithoutTerms(): Promise<readonly RowText[]> {
    return [];
  }

  async setTerms(tenantKey: string, items: readonly TermsUpdate[]) {
    const { terms } = this.tenants.get(tenantKey);
    let updated = 0;
    for (const { kind, id, termHashes } of items) {
      const row = this.visible(tenantKey, kind, id);
      if (row === undefined) continue;
      terms.remove(row);
      row.termHashes = [...termHashes];
      terms.add(row);
      updated += 1;
    }
    return { updated };
  }

  async getMemory(tenantKey: string, memoryId: string): Promise<MemoryRow | null> {
    const row = this.visible(tenantKey, "memory", memoryId);
    return row?.rowKind === "memory" ? memoryView(tenantKey, row) : null;
  }

  async getDerived(tenantKey: string, derivedId: string): Promise<DerivedRow | null> {
    const row = this.visible(tenantKey, "derived", derivedId);
    return row?.rowKind === "derived" ? derivedView(tenantKey, row) : null;
  }

  async listMemories(tenantKey: string, query: ListQuery): Promise<Page<MemoryRow>> {
    return listMemories(this.tenants.get(tenantKey), query, this.tenants.now());
  }

  async listDerived(tenantKey: string, query: ListQuery): Promise<Page<DerivedRow>> {
    return listDerived(this.tenants.get(tenantKey), query, this.tenants.now());
  }

  async lineage(tenantKey: string, kind: RowKind, id: string): Promise<Lineage | null> {
    return lineageOf(this.tenants.get(tenantKey), kind, id, this.tenants.now());
  }

  async recallLexical(tenantKey: string, query: LexicalQuery): Promise<RankedRows> {
    return recallLexical(this.tenants.get(tenantKey), query, this.tenants.now());
  }

  async recallVector(tenantKey: string, query: VectorQuery): Promise<RankedRows> {
    return recallVector(this.tenants.get(tenantKey), query, this.tenants.now());
  }

  async recallBm25(tenantKey: string, query: LexicalQuery): Promise<RankedRows> {
    return recallBm25(this.tenants.get(tenantKey), query, this.tenants.now());
  }

  async previewErasure(tenantKey: string, scope: StoreScope): Promise<ErasurePreview> {
    return previewErasure(this.tenants.get(tenantKey), scope);
  }

  async openErasure(request: OpenErasure): Promise<ErasureReceipt> {
    const [state, now] = [this.tenants.keep(request.tenantKey), this.tenants.now()];
    return receiptOf(state, openErasure(state, request, now));
  }

  async advanceErasure(tenantKey: string, tombstoneId: string, chunkRows: number) {
    const state = this.tenants.get(tenantKey);
    const erasure = findErasure(state, tombstoneId);
    const advanced = advanceErasure(state, erasure, chunkRows, this.tenants.now());
    return { receipt: receiptOf(state, erasure), advanced };
  }

  async forget(request: OpenErasure, chunkRows: number): Promise<ErasureReceipt> {
    const { tenantKey, tombstoneId } = await this.openErasure(request);
    for (;;) {
      const { receipt, advanced } = await this.advanceErasure(tenantKey, tombstoneId, chunkRows);
      if (!advanced) return receipt;
    }
  }

  async receipt(tenantKey: string, tombstoneId: string): Promise<ErasureReceipt | null> {
    const state = this.tenants.get(tenantKey);
    const erasure = state.log.get(tombstoneId);
    return erasure ? receiptOf(state, erasure) : null;
  }

  async listReceipts(tenantKey: string, query: ReceiptQuery): Promise<Page<ErasureReceipt>> {
    return listReceipts(this.tenants.get(tenantKey), query);
  }

  async tombstones(tenantKey: string, query: TombstoneQuery): Promise<readonly Tombstone[]> {
    return listTombstones(this.tenants.get(tenantKey), query);
  }

  async tombstoneCovering(tenantKey: string, kind: RowKind, id: string): Promise<string | null> {
    return this.tenants.get(tenantKey).log.newestCovering(kind, id);
  }

  /** Everything this store holds, of all tenants, as text: a test can look in it for what must be nowhere. */
  dump(): string {
    return dumpOf(this.tenants.all());
  }

  private visible(tenantKey: string, kind: RowKind, id: string): StoredRow | undefined {
    const state = this.tenants.get(tenantKey);
    const row = state.find({ sourceKind: kind, sourceId: id });
    return row && state.isVisible(row, this.tenants.now()) ? row : undefined;
  }
}
