import { InvalidInputError, NotFoundError } from "../../errors.js";
import type { RowKind } from "../../domain/codes.js";
import type { ErasurePreview, ErasureReceipt, Tombstone } from "../../domain/receipt.js";
import type { DerivedRow, Lineage, MemoryRow, Page } from "../../domain/rows.js";
import type { Clock } from "../../ports/clock.js";
import type {
  EmbeddingUpdate,
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
import { advanceErasure } from "./advance-erasure.js";
import { dumpOf } from "./dump.js";
import { listReceipts, listTombstones } from "./history.js";
import { lineageOf, listDerived, listMemories } from "./listing.js";
import { openErasure, previewErasure } from "./open-erasure.js";
import { recallLexical, recallVector } from "./ranking.js";
import type { PlacementStore } from "../../ports/placement-store.js";
import type { RestrictionStore } from "../../ports/restriction-store.js";
import type { UpkeepStore } from "../../ports/upkeep-store.js";
import { NOT_COVERED, receiptOf } from "./receipt-view.js";
import { derivedView, memoryView, type StoredRow } from "./stored-row.js";
import { TenantState } from "./tenant-state.js";
import { insertDerived, insertMemory } from "./write-gate.js";

/**
 * A store in this process. It erases as thoroughly as the one in Postgres: the same steps, refusals, receipts and
 * orders. What it does not have is a life beyond the process, and a guard against code that goes round it.
 *
 * Inputs are copied and results are frozen: nothing a caller does to either changes the store.
 */
export class InMemoryStore implements MemoryStore {
  readonly placements = undefined as unknown as PlacementStore;
  readonly restrictions = undefined as unknown as RestrictionStore;
  readonly upkeep = undefined as unknown as UpkeepStore;
  private readonly tenants = new Map<string, TenantState>();
  private clock: Clock;

  constructor(options: { readonly clock?: Clock } = {}) {
    this.clock = options.clock ?? { now: () => new Date() };
  }

  useClock(clock: Clock): void {
    this.clock = clock;
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

  async insertMemories(tenantKey: string, rows: readonly NewMemory[]): Promise<readonly InsertOutcome<MemoryRow>[]> {
    const [state, now] = [this.tenantToWrite(tenantKey), this.now()];
    return rows.map((row) => insertMemory(state, row, now));
  }

  async insertDerived(tenantKey: string, rows: readonly NewDerived[]): Promise<readonly InsertOutcome<DerivedRow>[]> {
    const [state, now] = [this.tenantToWrite(tenantKey), this.now()];
    return rows.map((row) => insertDerived(state, row, now));
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
    const { terms } = this.tenant(tenantKey);
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
    return listMemories(this.tenant(tenantKey), query, this.now());
  }

  async listDerived(tenantKey: string, query: ListQuery): Promise<Page<DerivedRow>> {
    return listDerived(this.tenant(tenantKey), query, this.now());
  }

  async lineage(tenantKey: string, kind: RowKind, id: string): Promise<Lineage | null> {
    return lineageOf(this.tenant(tenantKey), kind, id, this.now());
  }

  async recallLexical(tenantKey: string, query: LexicalQuery): Promise<RankedRows> {
    return recallLexical(this.tenant(tenantKey), query, this.now());
  }

  async recallVector(tenantKey: string, query: VectorQuery): Promise<RankedRows> {
    return recallVector(this.tenant(tenantKey), query, this.now());
  }

  async previewErasure(tenantKey: string, scope: StoreScope): Promise<ErasurePreview> {
    return previewErasure(this.tenant(tenantKey), scope);
  }

  async openErasure(request: OpenErasure): Promise<ErasureReceipt> {
    return receiptOf(openErasure(this.tenantToWrite(request.tenantKey), request, this.now()));
  }

  async advanceErasure(tenantKey: string, tombstoneId: string, chunkRows: number) {
    const state = this.tenant(tenantKey);
    const erasure = state.log.get(tombstoneId);
    if (erasure === undefined) throw new NotFoundError("erasure");
    const advanced = advanceErasure(state, erasure, chunkRows, this.now());
    return { receipt: receiptOf(erasure), advanced };
  }

  async forget(request: OpenErasure, chunkRows: number): Promise<ErasureReceipt> {
    const { tenantKey, tombstoneId } = await this.openErasure(request);
    for (;;) {
      const { receipt, advanced } = await this.advanceErasure(tenantKey, tombstoneId, chunkRows);
      if (!advanced) return receipt;
    }
  }

  async receipt(tenantKey: string, tombstoneId: string): Promise<ErasureReceipt | null> {
    const erasure = this.tenant(tenantKey).log.get(tombstoneId);
    return erasure ? receiptOf(erasure) : null;
  }

  async listReceipts(tenantKey: string, query: ReceiptQuery): Promise<Page<ErasureReceipt>> {
    return listReceipts(this.tenant(tenantKey), query);
  }

  async tombstones(tenantKey: string, query: TombstoneQuery): Promise<readonly Tombstone[]> {
    return listTombstones(this.tenant(tenantKey), query);
  }

  async tombstoneCovering(tenantKey: string, kind: RowKind, id: string): Promise<string | null> {
    return this.tenant(tenantKey).log.newestCovering(kind, id);
  }

  /** Everything this store holds, of all tenants, as text: a test can look in it for what must be nowhere. */
  dump(): string {
    return dumpOf(this.tenants);
  }

  private visible(tenantKey: string, kind: RowKind, id: string): StoredRow | undefined {
    const state = this.tenant(tenantKey);
    const row = state.find({ sourceKind: kind, sourceId: id });
    return row && state.isVisible(row, this.now()) ? row : undefined;
  }

  /** Reading of a tenant leaves no trace of it, however many names are tried. */
  private tenant(tenantKey: string): TenantState {
    return this.tenants.get(tenantKey) ?? new TenantState(tenantKey);
  }

  private tenantToWrite(tenantKey: string): TenantState {
    const state = this.tenant(tenantKey);
    this.tenants.set(tenantKey, state);
    return state;
  }

  private now(): string {
    const now = this.clock.now();
    if (!(now instanceof Date) || Number.isNaN(now.getTime()))
      throw new InvalidInputError("clock", "gave no valid date");
    return now.toISOString();
  }
}
