import type { StoredRow } from "./stored-row.js";

/** Where a row stands in time: by `createdAt`, then by id. */
export interface Position {
  readonly createdAt: string;
  readonly id: string;
}

/** Rows of one sort, found by id or walked from the newest. */
export class RowTable<Row extends StoredRow> {
  private readonly byId = new Map<string, Row>();
  /** Oldest first. New rows go to the end unless the clock went backwards. */
  private inOrder: Row[] = [];

  get(id: string): Row | undefined {
    return this.byId.get(id);
  }

  has(row: StoredRow): row is Row {
    return this.byId.get(row.id) === row;
  }

  /** In the order in which they came. */
  all(): Iterable<Row> {
    return this.byId.values();
  }

  add(row: Row): void {
    this.byId.set(row.id, row);
    this.inOrder.splice(this.countUpTo(row), 0, row);
  }

  remove(rows: readonly Row[]): void {
    const places = rows.map((row) => this.countUpTo(row) - 1).sort((a, b) => a - b);
    for (const row of rows) this.byId.delete(row.id);
    // Moves each stretch between two removed rows once; a splice for each row would move the rest every time.
    const rowsInOrder = this.inOrder;
    let end = places[0] ?? rowsInOrder.length;
    places.forEach((place, index) => {
      const next = places[index + 1] ?? rowsInOrder.length;
      for (let from = place + 1; from < next; from++) rowsInOrder[end++] = rowsInOrder[from] as Row;
    });
    rowsInOrder.length = end;
  }

  /** All rows older than the position, newest first. */
  *newestFirst(before: Position | null): Generator<Row> {
    let index = before === null ? this.inOrder.length : this.countBefore(before);
    while (index-- > 0) yield this.inOrder[index] as Row;
  }

  private countUpTo(position: Position): number {
    return this.count((row) => comparePositions(row, position) <= 0);
  }

  private countBefore(position: Position): number {
    return this.count((row) => comparePositions(row, position) < 0);
  }

  private count(stillInside: (row: Row) => boolean): number {
    let low = 0;
    let high = this.inOrder.length;
    const last = this.inOrder[high - 1];
    if (last === undefined || stillInside(last)) return high;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (stillInside(this.inOrder[middle] as Row)) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** Oldest first; equal instants by id. */
export function comparePositions(a: Position, b: Position): number {
  if (a.createdAt !== b.createdAt) return a.createdAt < b.createdAt ? -1 : 1;
  if (a.id !== b.id) return a.id < b.id ? -1 : 1;
  return 0;
}
