import type { SourceRef } from "../../domain/rows.js";
import { ErasureLog } from "./erasure-log.js";
import { Persons } from "./persons.js";
import { RowTable } from "./row-table.js";
import { rowKey, type StoredDerived, type StoredMemory, type StoredRow } from "./stored-row.js";
import { TermIndex } from "./term-index.js";

/** Everything of one tenant, with each index kept in step by `add` and `remove` alone. */
export class TenantState {
  readonly memories = new RowTable<StoredMemory>();
  readonly derived = new RowTable<StoredDerived>();
  readonly terms = new TermIndex();
  readonly persons = new Persons();
  readonly log = new ErasureLog();
  /** Idempotency hash → the memory it stored last. Once that one is hidden the key can be used anew. */
  readonly idempotency = new Map<string, StoredMemory>();
  /** Source → what was derived from it directly: the provenance edges, backwards. */
  private readonly derivations = new Map<string, Set<StoredDerived>>();
  /** Key id → how many filings of living memories were made under it. */
  private readonly filingsByKey = new Map<string | null, number>();

  private sequence = 0;

  constructor(readonly tenantKey: string) {}

  nextSequence(): number {
    return ++this.sequence;
  }

  find(ref: SourceRef): StoredRow | undefined {
    return ref.sourceKind === "memory" ? this.memories.get(ref.sourceId) : this.derived.get(ref.sourceId);
  }

  /** Whether reads may show the row: no tombstone covers it and it has not expired. */
  isVisible(row: StoredRow, now: string): boolean {
    return !this.log.covers(row.rowKind, row.id) && (row.expiresAt === null || row.expiresAt > now);
  }

  derivedFrom(row: StoredRow): Iterable<StoredDerived> {
    return this.derivations.get(rowKey(row.rowKind, row.id)) ?? [];
  }

  /** Whether any provenance edge still points at the row, itself there or not. */
  hasDerivations(kind: StoredRow["rowKind"], id: string): boolean {
    return this.derivations.has(rowKey(kind, id));
  }

  /** The ids of the keys that living rows are filed under. */
  keyIdsInUse(): Iterable<string | null> {
    return this.filingsByKey.keys();
  }

  add(row: StoredRow): void {
    if (row.rowKind === "memory") this.addMemory(row);
    else this.addDerived(row);
    this.terms.add(row);
    for (const person of row.persons) person.rows.add(row);
  }

  /** Takes the rows out of every table and index, and wipes their vectors. */
  remove(rows: readonly StoredRow[]): void {
    this.memories.remove(rows.filter((row) => row.rowKind === "memory"));
    this.derived.remove(rows.filter((row) => row.rowKind === "derived"));
    for (const row of rows) {
      if (row.rowKind === "memory") this.forgetFilings(row);
      else this.forgetEdges(row);
      this.terms.remove(row);
      for (const person of row.persons) person.rows.delete(row);
      row.embedding?.fill(0);
    }
  }

  private addMemory(row: StoredMemory): void {
    this.memories.add(row);
    if (row.idempotencyHash !== null) this.idempotency.set(row.idempotencyHash, row);
    for (const { keyId } of row.filedUnder) this.filingsByKey.set(keyId, (this.filingsByKey.get(keyId) ?? 0) + 1);
  }

  private addDerived(row: StoredDerived): void {
    this.derived.add(row);
    for (const { sourceKind, sourceId } of row.sources) {
      const source = rowKey(sourceKind, sourceId);
      const derivations = this.derivations.get(source);
      if (derivations) derivations.add(row);
      else this.derivations.set(source, new Set([row]));
    }
  }

  private forgetFilings(row: StoredMemory): void {
    const hash = row.idempotencyHash;
    if (hash !== null && this.idempotency.get(hash) === row) this.idempotency.delete(hash);
    for (const { keyId } of row.filedUnder) {
      const left = (this.filingsByKey.get(keyId) ?? 0) - 1;
      if (left > 0) this.filingsByKey.set(keyId, left);
      else this.filingsByKey.delete(keyId);
    }
  }

  private forgetEdges(row: StoredDerived): void {
    for (const { sourceKind, sourceId } of row.sources) {
      const source = rowKey(sourceKind, sourceId);
      const derivations = this.derivations.get(source);
      derivations?.delete(row);
      if (derivations?.size === 0) this.derivations.delete(source);
    }
  }
}
