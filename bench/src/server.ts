import pg from "pg";
import { Memory, PgMemoryStore, grantsSql, migrate } from "@demystify/memory";
import { startCluster } from "../../packages/memory/test/support/native-postgres.js";

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

export interface Bench {
  readonly version: string;
  /** As the superuser, for raw SQL and for putting large stores in place. */
  readonly admin: pg.Client;
  /** As the application: what the library is given. */
  readonly app: pg.Client;
  readonly memory: Memory;
  readonly remove: () => Promise<void>;
}

export async function openBench(): Promise<Bench> {
  const cluster = await startCluster({ settings: SETTINGS });
  const admin = await connect(cluster.url());
  await migrate(admin);
  const password = "only for this server";
  await admin.query(`create role ${APP} login password '${password}'`);
  await admin.query(grantsSql({ appRole: APP }));
  const url = new URL(cluster.url());
  url.username = APP;
  url.password = password;
  const app = await connect(url.href);
  const { rows } = await admin.query<{ server_version: string }>("show server_version");
  return {
    version: rows[0]!.server_version,
    admin,
    app,
    memory: new Memory({ store: new PgMemoryStore(app), subjectHashPepper: "a pepper of the benchmark, long enough" }),
    remove: async () => {
      await Promise.all([admin.end(), app.end()]);
      await cluster.remove();
    },
  };
}

async function connect(connectionString: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  return client;
}
