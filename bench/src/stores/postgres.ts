import pg from "pg";
import { Memory, PgMemoryStore, grantsSql, migrate } from "@demystify/memory";
import { startCluster, type Cluster } from "../../../packages/memory/test/support/native-postgres.js";
import { counted } from "./counted.js";
import { PEPPER, type Sql, type Store } from "./store.js";

/** A server as a careful host runs it: every commit reaches the disk. */
const SETTINGS = {
  fsync: "on",
  full_page_writes: "on",
  synchronous_commit: "on",
  shared_buffers: "2GB",
  max_wal_size: "8GB",
  checkpoint_timeout: "30min",
  maintenance_work_mem: "512MB",
};

const APP = "bench_app";

export async function startServer(): Promise<Cluster> {
  return startCluster({ settings: SETTINGS });
}

/** The product in a database of its own, used by a role that may call its functions and nothing else. */
export async function openPostgres(cluster: Cluster, database: string): Promise<Store> {
  const url = await newDatabase(cluster, database);
  const admin = await connect(url.href);
  await admin.query("create extension if not exists vector").catch(() => undefined);
  await migrate(admin);
  const password = "only for this server";
  await admin.query(
    `do $$ begin create role ${APP} login password '${password}'; exception when duplicate_object then end $$`,
  );
  await admin.query(grantsSql({ appRole: APP }));
  url.username = APP;
  url.password = password;
  const app = await connect(url.href);
  const { rows } = await admin.query<{ server: string; vector: string | null }>(
    "select current_setting('server_version') as server, (select extversion from pg_extension where extname = 'vector') as vector",
  );
  const { server, vector } = rows[0]!;
  const { connection, calls } = counted(app);
  return {
    name: "Postgres",
    memory: new Memory({ store: new PgMemoryStore(connection), subjectHashPepper: PEPPER }),
    sql: sqlOf(admin),
    connection: app,
    noVectors: vector === null ? "pgvector is not installed on this server" : null,
    versions: { Postgres: server.split(" ")[0]!, ...(vector === null ? {} : { pgvector: vector }) },
    calls,
    close: async () => {
      await Promise.all([admin.end(), app.end()]);
      const root = await connect(cluster.url());
      await root.query(`drop database ${database} with (force)`);
      await root.end();
    },
  };
}

/** Creates a database and answers how the superuser connects to it. */
export async function newDatabase(cluster: Cluster, database: string): Promise<URL> {
  const root = await connect(cluster.url());
  await root.query(`create database ${database}`);
  await root.end();
  return new URL(cluster.url(database));
}

export async function connect(connectionString: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  return client;
}

export function sqlOf(client: pg.Client): Sql {
  return {
    query: async <Fields>(text: string, params: readonly unknown[] = []) => {
      const { rows } = await client.query(text, [...params]);
      return { rows: rows as Fields[] };
    },
    script: async (text) => {
      await client.query(text);
    },
  };
}
