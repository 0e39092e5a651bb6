import type { RowKind } from "../../domain/codes.js";
import { NOT_COVERED_CODES } from "../../domain/codes.js";
import type { ErasurePreview, ErasureReceipt, Tombstone } from "../../domain/receipt.js";
import type { DerivedRow, Lineage, MemoryRow, Page } from "../../domain/rows.js";
import { MemoryError } from "../../errors.js";
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
import type { Argument } from "./call.js";
import { PgConnection } from "./connection.js";
import { erasureRequest, parseReceipt, refuseHeld } from "./erasure-json.js";
import { derivedArguments, derivedOutcomes, memoryArguments, memoryOutcomes } from "./insert-batch.js";
import { plainArray, textArray, vectorArray, vectorLiteral } from "./literals.js";
import { decodeCursor, encodeCursor } from "./page-cursor.js";
import type { Queryable } from "./queryable.js";
import { PgPlacements } from "./placements.js";
import {
  filterArguments,
  type Pool,
  parseRanked,
  rankPool,
  rowFilterArgument,
  subjectArguments,
  termArguments,
} from "./recall-json.js";
import { PgRestrictions } from "./restrictions.js";
import { PgUpkeep } from "./upkeep.js";
import { vectorIndexes } from "./vector-index.js";

/** Options of a Postgres store. */
export interface PgMemoryStoreOptions {
  /**
   * `per-call` (the default): each call acts for the tenant it is given. `host`: the host sets `app.current_tenant` in
   * its session or transaction; a call for another tenant is refused, and one without any sees nothing.
   */
  readonly tenantScope?: "per-call" | "host";
}

// What the gate says of one row, as opposed to of the call.
const REFUSALS: readonly string[] = ["ERR_UNKNOWN_SOURCE", "ERR_SOURCE_FORGOTTEN", "ERR_RESTRICTED"];

// pgvector's own limit for the type vector; longer ones are ranked in this process.
const PGVECTOR_MAX_DIMENSIONS = 16_000;

/**
 * Memories in the host's own Postgres, in the schema `demystify_memory`. Each method is one statement, so any pool
 * and any transaction pooler will do. Run `migrate(db)` first: nothing migrates by itself.
 */
export class PgMemoryStore implements MemoryStore {
  readonly placements: PlacementStore;
  readonly restrictions: RestrictionStore;
  readonly upkeep: UpkeepStore;
  readonly #db: PgConnection;

  constructor(db: Queryable, options: PgMemoryStoreOptions = {}) {
    this.#db = new PgConnection(db, options.tenantScope === "host");
    this.placements = new PgPlacements(this.#db);
    this.restrictions = new PgRestrictions(this.#db);
    this.upkeep = new PgUpkeep(this.#db);
  }

  async capabilities(): Promise<StoreCapabilities> {
    const { vector } = await this.#db.installed();
    return {
      ...(vector ? { vectorIndexes: await vectorIndexes(this.#db) } : {}),
      vectorSearch: vector ? "pgvector" : "in-process",
      lexicalSearch: "postgres",
      durable: true,
      enforcedByDatabase: true,
      notCovered: NOT_COVERED_CODES,
    };
  }

  async insertMemories(
    tenantKey: string,
    rows: readonly NewMemory[],
    options: InsertOptions,
  ): Promise<readonly InsertOutcome<MemoryRow>[]> {
    const answer = await this.#db.call("remember_many", tenantKey, memoryArguments(rows, options));
    return memoryOutcomes(tenantKey, rows, answer, options);
  }

  async insertDerived(tenantKey: string, rows: readonly NewDerived[]): Promise<readonly InsertOutcome<DerivedRow>[]> {
    const run = async () =>
      derivedOutcomes(tenantKey, rows, await this.#db.call("derive_many", tenantKey, derivedArguments(rows)));
    if (rows.length > 1) return run();
    try {
      return await run();
    } catch (error) {
      // A single row is refused by the gate itself, which aborts the statement.
      if (error instanceof MemoryError && REFUSALS.includes(error.code)) {
        return [{ status: "refused", error }];
      }
      throw error;
    }
  }

  async setEmbeddings(
    tenantKey: string,
    items: readonly EmbeddingUpdate[],
  ): Promise<{ updated: number; unknown: number }> {
    const updated = Number(
      await this.#db.call("set_embeddings", tenantKey, [
        ["text[]", plainArray(items.map((item) => item.kind))],
        ["uuid[]", plainArray(items.map((item) => item.id))],
        ["text[]", textArray(items.map((item) => vectorArray(item.embedding)))],
      ]),
    );
    return { updated, unknown: items.length - updated };
  }

  async rowsWithoutTerms(tenantKey: string, limit: number): Promise<readonly RowText[]> {
    return this.#db.json<RowText[]>("rows_without_terms", tenantKey, [["int", limit]]);
  }

  async setTerms(tenantKey: string, items: readonly TermsUpdate[]): Promise<{ updated: number }> {
    const updated = await this.#db.call("set_terms", tenantKey, [
      ["text[]", plainArray(items.map((item) => item.kind))],
      ["uuid[]", plainArray(items.map((item) => item.id))],
      ["text[]", textArray(items.map((item) => plainArray(item.termHashes)))],
    ]);
    return { updated: Number(updated) };
  }

  async getMemory(tenantKey: string, memoryId: string): Promise<MemoryRow | null> {
    return this.#db.json<MemoryRow | null>("get_memory", tenantKey, [["uuid", memoryId]]);
  }

  async getDerived(tenantKey: string, derivedId: string): Promise<DerivedRow | null> {
    return this.#db.json<DerivedRow | null>("get_derived", tenantKey, [["uuid", derivedId]]);
  }

  async listMemories(tenantKey: string, query: ListQuery): Promise<Page<MemoryRow>> {
    return this.#page<MemoryRow>("list_memories", tenantKey, query);
  }

  async listDerived(tenantKey: string, query: ListQuery): Promise<Page<DerivedRow>> {
    return this.#page<DerivedRow>("list_derived", tenantKey, query);
  }

  async lineage(tenantKey: string, kind: RowKind, id: string): Promise<Lineage | null> {
    return this.#db.json<Lineage | null>("lineage", tenantKey, [
      ["text", kind],
      ["uuid", id],
    ]);
  }

  async recallLexical(tenantKey: string, query: LexicalQuery): Promise<RankedRows> {
    return parseRanked(await this.#db.call("recall_lexical", tenantKey, termArguments(query)), "postgres");
  }

  async recallBm25(tenantKey: string, query: LexicalQuery): Promise<RankedRows> {
    return parseRanked(await this.#db.call("recall_bm25", tenantKey, termArguments(query)), "postgres");
  }

  async recallVector(tenantKey: string, query: VectorQuery): Promise<RankedRows> {
    const { vector } = await this.#db.installed();
    if (vector && query.embedding.length <= PGVECTOR_MAX_DIMENSIONS) {
      const answer = await this.#db.call("recall_vector", tenantKey, [
        ["text", vectorLiteral(query.embedding)],
        ["int", query.embedding.length],
        ...filterArguments(query),
        ["int", query.limit],
        ["float8", query.minScore],
      ]);
      return parseRanked(answer, "pgvector");
    }
    const pool = await this.#db.json<Pool>("vector_window", tenantKey, [
      ["int", query.embedding.length],
      ...filterArguments(query),
      ["int", query.candidatePool],
    ]);
    const ranked = rankPool(pool, query);
    // Read anew by id: a row erased between the two statements is not returned.
    const rows = await this.#db.json<Record<string, MemoryRow | DerivedRow>>("rows_by_id", tenantKey, [
      ["uuid[]", plainArray(ranked.map((hit) => hit.id))],
    ]);
    return {
      hits: ranked.flatMap(({ kind, id, score }) => {
        const row = rows[id];
        return row === undefined ? [] : [{ kind, row, score } as RankedRows["hits"][number]];
      }),
      coverage: pool.coverage,
      ranking: "in-process",
    };
  }

  async previewErasure(tenantKey: string, scope: StoreScope): Promise<ErasurePreview> {
    return this.#db.json<ErasurePreview>("preview_erasure", tenantKey, [["text", JSON.stringify(scope)]]);
  }

  async openErasure(request: OpenErasure): Promise<ErasureReceipt> {
    return parseReceipt(
      refuseHeld(await this.#db.call("open_erasure", request.tenantKey, [["text", erasureRequest(request)]])),
    );
  }

  async advanceErasure(
    tenantKey: string,
    tombstoneId: string,
    chunkRows: number,
  ): Promise<{ receipt: ErasureReceipt; advanced: boolean }> {
    const args: Argument[] = [
      ["uuid", tombstoneId],
      ["int", chunkRows],
    ];
    try {
      const { advanced, receipt } = await this.#db.json<{ advanced: boolean; receipt: unknown }>(
        "advance_erasure",
        tenantKey,
        args,
      );
      return { advanced, receipt: parseReceipt(receipt) };
    } catch (error) {
      // A session whose default is another isolation level: the procedure sets its own, and goes as far as it can.
      if (!(error instanceof MemoryError) || error.code !== "ERR_HOST_TRANSACTION") throw error;
      const receipt = await this.#db.procedure("resume", tenantKey, args);
      return { advanced: false, receipt: parseReceipt(receipt) };
    }
  }

  async forget(request: OpenErasure, chunkRows: number): Promise<ErasureReceipt> {
    const answer = await this.#db.procedure("forget", request.tenantKey, [
      ["text", erasureRequest(request)],
      ["int", chunkRows],
    ]);
    return parseReceipt(refuseHeld(answer));
  }

  async receipt(tenantKey: string, tombstoneId: string): Promise<ErasureReceipt | null> {
    const answer = await this.#db.call("erasure_receipt", tenantKey, [["uuid", tombstoneId]]);
    return answer === null ? null : parseReceipt(answer);
  }

  async listReceipts(tenantKey: string, query: ReceiptQuery): Promise<Page<ErasureReceipt>> {
    const after = decodeCursor(query.cursor);
    const found = await this.#db.json<{ receipt: unknown; at: string; id: string }[]>("list_erasures", tenantKey, [
      ["text", query.state],
      ["timestamptz", query.olderThan],
      ["int", query.limit],
      ["timestamptz", after?.at ?? null],
      ["uuid", after?.id ?? null],
    ]);
    return cut(found, query.limit, ({ receipt }) => parseReceipt(receipt));
  }

  async tombstones(tenantKey: string, query: TombstoneQuery): Promise<readonly Tombstone[]> {
    return this.#db.json<Tombstone[]>("erasure_history", tenantKey, [
      ...subjectArguments(query.subject),
      ["int", query.limit],
      ["uuid", query.before],
    ]);
  }

  async tombstoneCovering(tenantKey: string, kind: RowKind, id: string): Promise<string | null> {
    return this.#db.call("tombstone_covering", tenantKey, [
      ["text", kind],
      ["uuid", id],
    ]);
  }

  async #page<Row>(name: string, tenantKey: string, query: ListQuery): Promise<Page<Row>> {
    const after = decodeCursor(query.cursor);
    const missing = query.missingVector === false ? 0 : (query.missingVector?.dimensionsNot ?? null);
    const found = await this.#db.json<{ row: Row; at: string; id: string }[]>(name, tenantKey, [
      ...subjectArguments(query.subject),
      ["int", missing],
      ["int", query.limit],
      ["timestamptz", after?.at ?? null],
      ["uuid", after?.id ?? null],
      rowFilterArgument(query),
    ]);
    return cut(found, query.limit, ({ row }) => row);
  }
}

function cut<Found extends { at: string; id: string }, Row>(
  found: readonly Found[],
  limit: number,
  row: (found: Found) => Row,
): Page<Row> {
  const shown = found.slice(0, limit);
  const last = shown.at(-1);
  return { rows: shown.map(row), nextCursor: found.length > limit && last !== undefined ? encodeCursor(last) : null };
}
