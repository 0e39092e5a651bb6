/** What both drivers answer to `query`, and all that `@demystify/memory` needs of them. */
export interface Queryable {
  query<Row = Record<string, unknown>>(text: string, params?: unknown[]): Promise<{ rows: Row[] }>;
}

/** An open Postgres, embedded or on a server. */
export interface Database {
  /** For the store: statements outside a transaction, from a pool where there is one. */
  readonly queryable: Queryable;
  /** What to print: a folder, or a host and a database name. Never a user, never a password. */
  readonly label: string;
  readonly kind: "embedded" | "server";
  /** Runs `work` on one connection that nobody else uses meanwhile. */
  exclusive<T>(work: (session: Queryable) => Promise<T>): Promise<T>;
  /** Runs `work` in one read-only transaction that sees one instant, as the given tenant. */
  snapshot<T>(tenantKey: string, work: (session: Queryable) => Promise<T>): Promise<T>;
  /** Closes every connection and opens the same database anew. */
  reopen(): Promise<Database>;
  close(): Promise<void>;
}

/** The statements `snapshot` begins with, the same for both drivers. */
export async function enterSnapshot(session: Queryable, tenantKey: string): Promise<void> {
  await session.query("set transaction isolation level repeatable read, read only");
  // Without it, row-level security would show an unprivileged role nothing, and "nothing found" would prove nothing.
  await session.query("select pg_catalog.set_config('app.current_tenant', $1, true)", [tenantKey]);
}
