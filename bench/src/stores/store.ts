import type { Memory, Queryable } from "@demystify/memory";

export type StoreName = "Postgres" | "PGlite" | "in memory";

/** A database as raw SQL sees it: without a rule, as the superuser. */
export interface Sql {
  query<Fields>(text: string, params?: readonly unknown[]): Promise<{ readonly rows: readonly Fields[] }>;
  /** Several statements at once. */
  script(text: string): Promise<void>;
}

/** A store to be measured, empty when opened. */
export interface Store {
  readonly name: StoreName;
  readonly memory: Memory;
  /** `null` in memory: there is no SQL to compare with. */
  readonly sql: Sql | null;
  /** The connection that the library is given. */
  readonly connection: Queryable | null;
  /** Why vectors are not ranked in the store, or `null` where they are. */
  readonly noVectors: string | null;
  readonly versions: Readonly<Record<string, string>>;
  /** How often the library has asked the database. */
  readonly calls: () => number;
  readonly close: () => Promise<void>;
}

export const PEPPER = "a pepper of the benchmark, long enough";
