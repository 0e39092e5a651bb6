import type { RestrictionBasis } from "../../domain/restriction.js";
import { rowKey, type StoredRow } from "./stored-row.js";

/** Content-free evidence that content was restricted, or (`lifts`) that this was lifted. */
export interface RestrictionRecord {
  readonly restrictionId: string;
  readonly lifts: string | null;
  readonly scope: "subject" | "memories";
  readonly subjectHash: string | null;
  readonly memoryIds: readonly string[];
  readonly basis: RestrictionBasis;
  readonly at: string;
}

/** The append-only record of one tenant's restrictions, and which single rows those in force hide. */
export class RestrictionLog {
  private readonly records = new Map<string, RestrictionRecord>();
  /** Not evidence: restriction in force → the rows it hides, besides those of a whole person. */
  private readonly inForce = new Map<string, readonly string[]>();
  /** Row → how many restrictions in force hide it. */
  private readonly hidden = new Map<string, number>();

  hides({ rowKind, id }: StoredRow): boolean {
    return this.hidden.has(rowKey(rowKind, id));
  }

  restrict(record: RestrictionRecord, rows: readonly StoredRow[]): void {
    const keys = rows.map(({ rowKind, id }) => rowKey(rowKind, id));
    this.records.set(record.restrictionId, record);
    this.inForce.set(record.restrictionId, keys);
    for (const key of keys) this.hidden.set(key, (this.hidden.get(key) ?? 0) + 1);
  }

  /** Ends one that is in force, and records it; `undefined` where there is none. */
  lift(restrictionId: string, liftId: string, at: string): RestrictionRecord | undefined {
    const record = this.records.get(restrictionId);
    const keys = this.inForce.get(restrictionId);
    if (record === undefined || keys === undefined) return undefined;
    this.inForce.delete(restrictionId);
    for (const key of keys) {
      const left = (this.hidden.get(key) ?? 0) - 1;
      if (left > 0) this.hidden.set(key, left);
      else this.hidden.delete(key);
    }
    this.records.set(
      liftId,
      Object.freeze({ ...record, restrictionId: liftId, lifts: restrictionId, memoryIds: [], at }),
    );
    return record;
  }
}
