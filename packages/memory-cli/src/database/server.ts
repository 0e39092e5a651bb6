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
  const pool = new pg.Pool({
    connectionString: url,
    max: 2,
    connectionTimeoutMillis: 10_000,
    ...(sessionTenant === null ? {} : { verify: settingTenant(sessionTenant) }),
  });
  // An idle connection that the server drops is not an error: the next query opens another.
  pool.on("error", () => undefined);
  try {
    await pool.query("select 1");
  } catch (error) {
    await pool.end();
    throw unreachable(label, (error as { code?: string }).code);
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

/** Run by the pool on every new connection, before anybody gets it. */
function settingTenant(tenantKey: string): NonNullable<pg.PoolConfig["verify"]> {
  return (client, done) => {
    client.query("select pg_catalog.set_config('app.current_tenant', $1, false)", [tenantKey]).then(
      () => done(),
      (error: unknown) => done(error instanceof Error ? error : new Error("the tenant could not be set")),
    );
  };
}

function unreachable(label: string, code: string | undefined): CliError {
  return new CliError({
    code: "database_unreachable",
    message: `cannot connect to ${label}${code === undefined ? "" : ` (${code})`}`,
    help: HELP[code ?? ""] ?? "Check the host, the port, the database name, the user and the password in the URL.",
    exitCode: EXIT.failed,
  });
}

const NOT_ACCEPTED = "The server does not accept this user with this password: check both in the URL, and pg_hba.conf.";

/** What to do, by the code of the server or of the operating system. */
const HELP: Readonly<Record<string, string>> = {
  "28P01": NOT_ACCEPTED,
  "28000": NOT_ACCEPTED,
  "3D000": "The server has no database of that name: create it, or correct the name at the end of the URL.",
  "53300": "The server has no connection to spare: try again later, or raise max_connections.",
  "57P03": "The server is starting or stopping: try again in a moment.",
  ECONNREFUSED: "Nothing answers at that host and port: start the server, or correct the URL.",
  ENOTFOUND: "There is no host of that name: correct it in the URL.",
  EAI_AGAIN: "The host's name could not be looked up: check the network, or correct the URL.",
};

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
