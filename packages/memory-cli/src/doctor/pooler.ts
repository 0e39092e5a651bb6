import type { Database } from "../database/database.js";
import { ok, skipped, warning, type Finding } from "./finding.js";
import { looksPooled } from "./pooler-name.js";

const MEANING =
  "Everything here works through one. Migrate over the direct address; never set app.current_tenant for a session, since the next borrower inherits it; and do not use named prepared statements unless the pooler supports them.";

/**
 * Whether a pooler stands between us and Postgres. A direct server gives each connection a process of its own; two
 * connections that share one do so through a pooler that hands it on between statements.
 */
export async function checkPooler(database: Database, url: string | null): Promise<Finding> {
  if (database.kind === "embedded") return ok("pooler", "none: the database runs in this process");
  if (looksPooled(url)) return warning("pooler", "the address looks like that of a pooler", MEANING);
  try {
    if (await sharesAProcess(database)) {
      return warning(
        "pooler",
        "a pooler in transaction mode stands in between: two connections share a process",
        MEANING,
      );
    }
  } catch {
    return skipped("pooler", "a second connection could not be had to tell", "Allow two connections for doctor.");
  }
  return ok("pooler", "two connections have a process each");
}

async function sharesAProcess(database: Database): Promise<boolean> {
  const pid = "select pg_catalog.pg_backend_pid() as pid";
  return database.exclusive(async (one) => {
    const first = await one.query<{ pid: number }>(pid);
    // Idle again, so a pooler would hand its process to whoever comes next.
    return database.exclusive(async (other) => {
      const second = await other.query<{ pid: number }>(pid);
      return first.rows[0]?.pid === second.rows[0]?.pid;
    });
  });
}
