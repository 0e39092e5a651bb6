import { setTimeout as pause } from "node:timers/promises";
import type pg from "pg";
import { Memory, MemoryError, PgMemoryStore, type MemoryOptions } from "../../src/index.js";
import type { Sql } from "../support/sql.js";

const PATIENCE_MS = 10_000;

/** The library on one connection, so that it works in whatever transaction is open there. */
export function libraryOn(client: pg.Client | pg.Pool, options: Omit<MemoryOptions, "store"> = {}): Memory {
  return new Memory({ ...options, store: new PgMemoryStore(client) });
}

/** Resolves once the session waits for a lock of another one; looks every few milliseconds. */
export async function untilBlocked(sql: Sql, client: pg.Client): Promise<void> {
  const { processID } = client as unknown as { processID: number };
  const deadline = Date.now() + PATIENCE_MS;
  while (Date.now() < deadline) {
    const [row] = await sql("select cardinality(pg_blocking_pids($1)) as blockers", [processID]);
    if (Number(row?.["blockers"]) > 0) return;
    await pause(5);
  }
  throw new Error("the session was expected to wait for another, and does not");
}

/** What came of a statement or a call: `undefined` if it was carried out, else the SQLSTATE that the database gave. */
export async function outcomeOf(attempt: Promise<unknown>): Promise<string | undefined> {
  try {
    await attempt;
    return undefined;
  } catch (error) {
    return sqlstateOf(error);
  }
}

const TYPED: Readonly<Record<string, string>> = {
  ERR_UNKNOWN_SOURCE: "ME002",
  ERR_SOURCE_FORGOTTEN: "ME003",
  ERR_SUBJECT_FORGOTTEN: "ME004",
  ERR_TOMBSTONE_ORDERING: "ME005",
  ERR_HOST_TRANSACTION: "2D000",
};

/** The SQLSTATE behind an error, whether the driver threw it or the library. */
export function sqlstateOf(error: unknown): string {
  if (error instanceof MemoryError && error.code !== "ERR_STORE") return TYPED[error.code] ?? error.code;
  const { code } = ((error as Error).cause ?? error) as { code?: unknown };
  return typeof code === "string" ? code : String(error);
}
