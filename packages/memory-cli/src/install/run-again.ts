import type { Database, Queryable } from "../database/database.js";
import { allMigrations } from "./emit-files.js";

/**
 * Runs every migration anew. Each may run twice without harm: it puts back routines, triggers, policies and views that
 * are missing or were changed, and touches no row.
 *
 * @returns the versions that were run
 */
export async function runAgain(database: Database): Promise<readonly number[]> {
  const migrations = await allMigrations();
  const run = async (session: Queryable) => {
    for (const { sql } of migrations) await runScript(session, sql);
  };
  if (database.kind === "embedded") await run(database.queryable);
  else await database.exclusive(run);
  return migrations.map(({ version }) => version);
}

/** A script of several statements: what the embedded Postgres has a method of its own for. */
async function runScript(session: Queryable, sql: string): Promise<void> {
  const { exec } = session as { readonly exec?: (sql: string) => Promise<unknown> };
  try {
    await (exec === undefined ? session.query(sql) : exec.call(session, sql));
  } catch (error) {
    // The script's own transaction is still open, and aborted.
    await session.query("rollback").catch(() => undefined);
    throw error;
  }
}
