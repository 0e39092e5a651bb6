import { randomBytes } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { grantsSql, Memory, migrate, PgMemoryStore } from "../../src/index.js";
import type { MemoryOptions } from "../../src/index.js";
import { dumpSchema, literalsIn } from "./dump.js";
import { startCluster } from "./native-postgres.js";
import type { Cluster, ClusterOptions } from "./native-postgres.js";
import type { Row, Sql } from "./sql.js";

/** How a server ends: by `kill -9`, or by an immediate stop, which its processes notice but do not clean up after. */
export const ENDS = ["kill -9", "immediate stop"] as const;
export type End = (typeof ENDS)[number];

const APP_ROLE = "fault_app";
const PATIENCE_MS = 20_000;

/** A server of this test file's own that may be ended in the middle of something, with the schema and an application's role. */
export class FaultServer {
  readonly cluster: Cluster;
  readonly #appPassword = randomBytes(18).toString("hex");
  readonly #pools: pg.Pool[] = [];

  private constructor(cluster: Cluster) {
    this.cluster = cluster;
  }

  /** `migrated: false` leaves an empty database, for whoever migrates it. */
  static async start(options: ClusterOptions & { readonly migrated?: boolean } = {}): Promise<FaultServer> {
    const { migrated = true, ...rest } = options;
    const server = new FaultServer(await startCluster(rest));
    try {
      if (migrated) await server.#prepare();
      return server;
    } catch (error) {
      await server.remove();
      throw error;
    }
  }

  /** As the superuser, on a connection of its own for each statement: it works right after a restart. */
  readonly sql: Sql = (text, params = []) =>
    this.connected(async (client) => (await client.query<Row>(text, [...params])).rows);

  /** One connection, as the superuser or as the application's role, closed afterwards. */
  async connected<T>(work: (client: pg.Client) => Promise<T>, as: "superuser" | "app" = "superuser"): Promise<T> {
    const client = new pg.Client({ connectionString: as === "app" ? this.appUrl() : this.cluster.url() });
    client.on("error", () => undefined);
    await client.connect();
    try {
      return await work(client);
    } finally {
      await client.end().catch(() => undefined);
    }
  }

  /** The library over a pool of the application's role; a pool outlives the server it was connected to. */
  memory(options: Omit<MemoryOptions, "store"> = {}, pool: pg.PoolConfig = {}): Memory {
    return new Memory({ ...options, store: new PgMemoryStore(this.appPool(pool)) });
  }

  appPool(config: pg.PoolConfig = {}): pg.Pool {
    const pool = new pg.Pool({ connectionString: this.appUrl(), max: 2, ...config });
    pool.on("error", () => undefined);
    this.#pools.push(pool);
    return pool;
  }

  appUrl(): string {
    const url = new URL(this.cluster.url());
    [url.username, url.password] = [APP_ROLE, this.#appPassword];
    return url.href;
  }

  /** Ends the server where it stands; nothing that was not on its way to the disk survives it. */
  async end(how: End): Promise<void> {
    if (how === "kill -9") await this.cluster.kill();
    else await this.#stopImmediately();
    // Connections of a dead server answer nothing any more, and are not waited for.
    await this.closePools();
  }

  /** Recovers from the log, as after any crash. */
  async start(): Promise<void> {
    await startAgain(this.cluster);
  }

  async closePools(): Promise<void> {
    await Promise.all(this.#pools.splice(0).map((pool) => pool.end().catch(() => undefined)));
  }

  /** Which of the literals are anywhere in the schema. */
  async literalsLeft(literals: readonly string[]): Promise<readonly string[]> {
    return this.connected(async (client) => {
      const sql: Sql = async (text, params = []) => (await client.query<Row>(text, [...params])).rows;
      return literalsIn(await dumpSchema(sql), literals);
    });
  }

  async remove(): Promise<void> {
    await this.closePools();
    await this.cluster.remove();
  }

  /** Gives the application its role and its rights, once the schema is there. */
  async grant(): Promise<void> {
    await this.connected(async (client) => {
      await client.query(`create role ${APP_ROLE} login password '${this.#appPassword}'`);
      await client.query(grantsSql({ appRole: APP_ROLE }));
    });
  }

  async #prepare(): Promise<void> {
    await this.connected((client) => migrate(client));
    await this.grant();
  }

  async #stopImmediately(): Promise<void> {
    const file = join(this.cluster.dataDir, "postmaster.pid");
    process.kill(Number(readFileSync(file, "utf8").split("\n")[0]), "SIGQUIT");
    const deadline = Date.now() + PATIENCE_MS;
    while (existsSync(file)) {
      if (Date.now() > deadline) throw new Error("the server did not stop");
      await pause(5);
    }
  }
}

/**
 * Starts a server again that was ended without order. While processes of the old one still hold its memory the new one
 * gives up, and takes its own pid file away, perhaps just as that is being read: then it is started once more.
 */
export async function startAgain(cluster: Cluster): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    try {
      await cluster.start();
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT" || Date.now() > deadline) throw error;
    }
  }
}
