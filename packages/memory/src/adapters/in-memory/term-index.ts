import type { StoredRow } from "./stored-row.js";

/** The inverted index: for each keyed term hash the rows that hold it. Words are never kept here. */
export class TermIndex {
  private readonly rows = new Map<bigint, Set<StoredRow>>();

  add(row: StoredRow): void {
    for (const hash of row.termHashes) {
      const rows = this.rows.get(hash);
      if (rows) rows.add(row);
      else this.rows.set(hash, new Set([row]));
    }
  }

  remove(row: StoredRow): void {
    for (const hash of row.termHashes) {
      const rows = this.rows.get(hash);
      rows?.delete(row);
      if (rows?.size === 0) this.rows.delete(hash);
    }
  }

  /** For each row that holds at least one of the terms, how many. A term counts once, under whichever key it matched. */
  countMatches(terms: readonly (readonly bigint[])[]): Map<StoredRow, number> {
    const matched = new Map<StoredRow, number>();
    for (const hashes of terms) {
      for (const row of this.rowsWithAny(hashes)) matched.set(row, (matched.get(row) ?? 0) + 1);
    }
    return matched;
  }

  /** For each row that holds at least one of the terms, which ones, as their places in the query. */
  matches(terms: readonly (readonly bigint[])[]): Map<StoredRow, number[]> {
    const matched = new Map<StoredRow, number[]>();
    for (const [place, hashes] of terms.entries()) {
      for (const row of this.rowsWithAny(hashes)) {
        const places = matched.get(row);
        if (places) places.push(place);
        else matched.set(row, [place]);
      }
    }
    return matched;
  }

  private rowsWithAny(hashes: readonly bigint[]): Iterable<StoredRow> {
    const [first, ...others] = hashes.flatMap((hash) => this.rows.get(hash) ?? []);
    if (others.length === 0) return first ?? [];
    return new Set([first, ...others].flatMap((rows) => [...(rows ?? [])]));
  }
}
