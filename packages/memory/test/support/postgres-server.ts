import { randomBytes } from "node:crypto";
import pg from "pg";
import { startCluster } from "./native-postgres.js";

/** A server to test on, with one migrated template database. Plain data, so that test workers can be given it. */
export interface PostgresServer {
  readonly major: number;
  /** A superuser's connection string. */
  readonly adminUrl: string;
  readonly template: string;
  /** The unprivileged login role of the application under test, and its password. */
  readonly appRole: string;
  readonly appPassword: string;
}

export interface RunningServer {
  readonly server: PostgresServer;
  readonly remove: () => Promise<void>;
}

/**
 * The server of `TEST_DATABASE_URL` (a superuser's), else one started for this run. `prepare` migrates the template;
 * names are random, so that runs on one server do not meet, and all of it is dropped at the end.
 */
export async function startServer(prepare: (db: pg.Client, appRole: string) => Promise<void>): Promise<RunningServer> {
  const given = process.env["TEST_DATABASE_URL"];
  const cluster = given === undefined || given === "" ? await startCluster() : undefined;
  const adminUrl = cluster?.url() ?? given ?? "";
  const run = randomBytes(4).toString("hex");
  const server = {
    adminUrl,
    template: `memory_template_${run}`,
    appRole: `memory_app_${run}`,
    appPassword: randomBytes(18).toString("hex"),
  };
  const remove = async () => {
    if (cluster !== undefined) await cluster.remove();
    else await dropAll(server);
  };
  try {
    const major = await withClient(adminUrl, async (admin) => {
      await admin.query(`create role ${server.appRole} login password '${server.appPassword}'`);
      await admin.query(`create database ${server.template}`);
      const version = await admin.query<{ version: string }>("select current_setting('server_version_num') as version");
      return Math.floor(Number(version.rows[0]?.version) / 10_000);
    });
    await withClient(onDatabase(adminUrl, server.template), (db) => prepare(db, server.appRole));
    return { server: { ...server, major }, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

export interface TestDatabase {
  /** As the superuser. */
  readonly admin: pg.Pool;
  /** A new pool as the application's role; ended with the database. */
  appPool(): pg.Pool;
  readonly drop: () => Promise<void>;
}

/** A fresh copy of the migrated template. */
export async function cloneDatabase(server: PostgresServer): Promise<TestDatabase> {
  const name = `memory_test_${randomBytes(6).toString("hex")}`;
  await withClient(server.adminUrl, (admin) => admin.query(`create database ${name} template ${server.template}`));
  const adminUrl = onDatabase(server.adminUrl, name);
  const appUrl = new URL(adminUrl);
  appUrl.username = server.appRole;
  appUrl.password = server.appPassword;
  const admin = openPool(adminUrl, 3);
  const pools = [admin];
  return {
    admin,
    appPool: () => {
      const pool = openPool(appUrl.href, 8);
      pools.push(pool);
      return pool;
    },
    drop: async () => {
      await Promise.all(pools.map((pool) => pool.end()));
      await withClient(server.adminUrl, (client) => client.query(`drop database ${name} with (force)`));
    },
  };
}

function openPool(connectionString: string, max: number): pg.Pool {
  const pool = new pg.Pool({ connectionString, max });
  // A test may end the server's processes under an idle connection; the next query says so.
  pool.on("error", () => undefined);
  return pool;
}

async function withClient<T>(connectionString: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

function onDatabase(url: string, database: string): string {
  const changed = new URL(url);
  changed.pathname = `/${database}`;
  return changed.href;
}

async function dropAll(server: Omit<PostgresServer, "major">): Promise<void> {
  await withClient(server.adminUrl, async (admin) => {
    await admin.query(`drop database if exists ${server.template} with (force)`);
    await admin.query(`drop role if exists ${server.appRole}`);
  });
}
