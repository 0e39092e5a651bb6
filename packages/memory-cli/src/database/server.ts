import pg from "pg";
import { CliError, EXIT, UsageError } from "../cli-error.js";
import { enterSnapshot, type Database, type Queryable } from "./database.js";

/**
 * Connects to a Postgres server.
 *
 * @param url `postgres://user:password@host:port/database`; it is never printed
 * @param sessionTenant set in every session of the pool. Behind a pooler in transaction mode it would stay for whoever
 * borrows the connection next: only for direct connections
 */
export async function openServer(url: string, sessionTenant: string | null = null): Promise<Database> {
  const label = describeServer(url);
  const pool = new pg.Pool({ connectionString: url, max: 2, connectionTimeoutMillis: 10_000 });
  // An idle connection that the server drops is not an error: the next query opens another.
  pool.on("error", () => undefined);
  if (sessionTenant !== null) {
    pool.on("connect", (client) => {
      // Queued before whatever the new connection is asked for. A failure shows there.
      client
        .query("select pg_catalog.set_config('app.current_tenant', $1, false)", [sessionTenant])
        .catch(() => undefined);
    });
  }
  try {
    await pool.query("select 1");
  } catch (error) {
    await pool.end();
    const { code } = error as { code?: string };
    throw new CliError({
      code: "database_unreachable",
      message: `cannot connect to ${label}${code === undefined ? "" : ` (${code})`}`,
      help: "Check the host, the port, the database name, the user and the password in the URL.",
      exitCode: EXIT.failed,
    });
  }
  return {
    queryable: toQueryable(pool),
    label,
    kind: "server",
    exclusive: async (work) => {
      const client = await pool.connect();
      try {
        return await work(toQueryable(client));
      } finally {
        client.release();
      }
    },
    snapshot: (tenantKey, work) => snapshot(pool, tenantKey, work),
    reopen: async () => {
      await pool.end();
      return openServer(url, sessionTenant);
    },
    close: async () => {
      if (!pool.ended) await pool.end();
    },
  };
}

async function snapshot<T>(pool: pg.Pool, tenantKey: string, work: (session: Queryable) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  try {
    await client.query("begin");
    const session = toQueryable(client);
    await enterSnapshot(session, tenantKey);
    const result = await work(session);
    await client.query("commit");
    return result;
  } catch (error) {
    await client.query("rollback").catch(() => undefined);
    throw error;
  } finally {
    client.release();
  }
}

function toQueryable(target: pg.Pool | pg.PoolClient): Queryable {
  return {
    query: async <Row>(text: string, params?: unknown[]) => ({
      rows: (await target.query(text, params)).rows as Row[],
    }),
  };
}

/** Host and database: enough to know which server it is, and nothing secret. */
export function describeServer(url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : null;
  if (parsed === null || !/^postgres(?:ql)?:$/.test(parsed.protocol)) {
    throw new UsageError("the database URL is not one", "Give postgres://user:password@host:port/database.");
  }
  const host = parsed.host === "" ? "local socket" : parsed.host;
  const database = parsed.pathname.replace(/^\//, "");
  return database === "" ? host : `${host}/${database}`;
}
