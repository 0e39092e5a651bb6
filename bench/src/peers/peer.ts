/** What is measured of each: the same calls, with the same texts. Times are taken where the work is done. */
export interface Peer {
  readonly name: string;
  /** Milliseconds. */
  readonly put: (user: string, texts: readonly string[]) => Promise<number>;
  /** Milliseconds, and how many rows were found. */
  readonly search: (user: string, query: string) => Promise<{ readonly ms: number; readonly found: number }>;
  readonly erase: (user: string) => Promise<number>;
  /** A summary that quotes somebody, kept where the team looks, by the means there are: as a copy, or as derived. */
  readonly digest: (text: string, of: string) => Promise<void>;
  /** Files it keeps beside the database. */
  readonly files: () => Promise<readonly string[]>;
  readonly database: string;
  readonly close: () => Promise<void>;
}

export async function milliseconds(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}
