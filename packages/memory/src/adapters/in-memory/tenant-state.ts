import type { SourceRef } from "../../domain/rows.js";
import { ErasureLog } from "./erasure-log.js";
import { HoldLog } from "./hold-log.js";
import { KeysInUse } from "./keys-in-use.js";
import { type Person, Persons } from "./persons.js";
import { RestrictionLog } from "./restriction-log.js";
import { RowTable } from "./row-table.js";
import { PlacementTable } from "./stored-placement.js";
import { rowKey, type StoredDerived, type StoredMemory, type StoredRow } from "./stored-row.js";
import { TermIndex } from "./term-index.js";

/** Everything of one tenant, with each index kept in step by `add` and `remove` alone. */
export class TenantState {
  readonly memories = new RowTable<StoredMemory>();
  readonly derived = new RowTable<StoredDerived>();
  readonly terms = new TermIndex();
  readonly persons = new Persons();
  readonly keys = new KeysInUse();
  readonly log = new ErasureLog();
  readonly placements = new PlacementTable();
  readonly restrictions = new RestrictionLog();
  readonly holds = new HoldLog();
  /** Idempotency hash → the memory it stored last. Once that one is hidden the key can be used anew. */
  readonly idempotency = new Map<string, StoredMemory>();
  /** Source → what was derived from it directly: the provenance edges, backwards. */
  private readonly derivations = new Map<string, Set<StoredDerived>>();
  private sequence = 0;

  constructor(readonly tenantKey: string) {}

  nextSequence(): number {
    return ++this.sequence;
  }

  find(ref: SourceRef): StoredRow | undefined {
    return ref.sourceKind === "memory" ? this.memories.get(ref.sourceId) : this.derived.get(ref.sourceId);
  }

  /** Whether reads may show the row: no tombstone covers it, it has not expired, and it is not restricted. */
  isVisible(row: StoredRow, now: string): boolean {
    return !this.log.covers(row.rowKind, row.id) && !hasExpired(row, now) && !this.isRestricted(row);
  }

  /** Whether the row is kept but not to be used: itself, or everything of a person it concerns. */
  isRestricted(row: StoredRow): boolean {
    if (this.restrictions.hides(row)) return true;
    for (const { restrictions } of row.persons) if (restrictions.size > 0) return true;
    return false;
  }

  /** Everybody whose rows may not be destroyed now. */
  heldPersons(now: string): ReadonlySet<Person> {
    return this.persons.find(this.holds.active(now).map(({ subjectHash }) => subjectHash));
  }

  derivedFrom(row: StoredRow): Iterable<StoredDerived> {
    return this.derivations.get(rowKey(row.rowKind, row.id)) ?? [];
  }

  /** Whether any provenance edge still points at the row, itself there or not. */
  hasDerivations(kind: StoredRow["rowKind"], id: string): boolean {
    return this.derivations.has(rowKey(kind, id));
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
      if (row.rowKind === "memory") this.forgetIdempotency(row);
      else this.forgetEdges(row);
      this.terms.remove(row);
      for (const person of row.persons) person.rows.delete(row);
      row.embedding?.fill(0);
    }
  }

  private addMemory(row: StoredMemory): void {
    this.memories.add(row);
    if (row.idempotencyHash !== null) this.idempotency.set(row.idempotencyHash, row);
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

  private forgetIdempotency(row: StoredMemory): void {
    const hash = row.idempotencyHash;
    if (hash !== null && this.idempotency.get(hash) === row) this.idempotency.delete(hash);
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

export function hasExpired({ expiresAt }: StoredRow, now: string): boolean {
  return expiresAt !== null && expiresAt <= now;
}
