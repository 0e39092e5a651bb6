/** What rows are ranked by. */
export interface Ranked {
  readonly score: number;
  /** ISO 8601 in UTC with milliseconds, so that text order is time order. */
  readonly createdAt: string;
  readonly id: string;
}

/** Best first; ties newest first, then by id descending. The same in every store, so that a tie has one order. */
export function compareRanked(a: Ranked, b: Ranked): number {
  return b.score - a.score || descending(a.createdAt, b.createdAt) || descending(a.id, b.id);
}

function descending(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? 1 : -1;
}
