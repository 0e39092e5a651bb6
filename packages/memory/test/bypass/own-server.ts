import { chownSync, cpSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { Memory, PgMemoryStore, migrate } from "../../src/index.js";
import { sqlOf } from "../sqlreal/databases.js";
import { guardedFolder } from "../support/guarded-folder.js";
import type { GuardedFolder } from "../support/guarded-folder.js";
import { Cluster, startCluster } from "../support/native-postgres.js";
import { unprivilegedUser } from "../support/postgres-user.js";
import type { Sql } from "../support/sql.js";

const PATIENCE_MS = 20_000;
/** A standby refuses to start with less than its primary has; and it has nothing to lose either. */
const AS_ON_THE_PRIMARY = { max_connections: "100", max_prepared_transactions: "20", fsync: "off" };

/** One database of a server of the attempt's own, as the superuser. */
export interface OwnDatabase {
  readonly sql: Sql;
  readonly memory: () => Memory;
}

/** A server that may be stopped, copied and replaced. Everything of it is gone afterwards. */
export async function onOwnServer<T>(
  settings: Readonly<Record<string, string>>,
  work: (server: OwnServer) => Promise<T>,
): Promise<T> {
  const server = new OwnServer(await startCluster({ settings }));
  try {
    return await work(server);
  } finally {
    await server.remove();
  }
}

export class OwnServer {
  readonly #cluster: Cluster;
  readonly #clients: pg.Client[] = [];
  readonly #standbys: OwnServer[] = [];
  readonly #folders: GuardedFolder[] = [];
  readonly #migrated = new Set<string>();

  constructor(cluster: Cluster, migrated: Iterable<string> = []) {
    this.#cluster = cluster;
    for (const name of migrated) this.#migrated.add(name);
  }

  /** How another server reaches a database of this one, over the socket, without a password. */
  connection(database: string): string {
    return `host=${this.#cluster.root} port=${String(this.#cluster.port)} user=postgres dbname=${database}`;
  }

  /** A migrated database of that name, made the first time it is asked for, on a connection of its own. */
  async database(name: string): Promise<OwnDatabase> {
    if (!this.#migrated.has(name)) {
      await (await this.#connect("postgres")).query(`create database ${name}`);
      await migrate(await this.#connect(name));
      this.#migrated.add(name);
    }
    const client = await this.#connect(name);
    return { sql: sqlOf(client), memory: () => new Memory({ store: new PgMemoryStore(client) }) };
  }

  /** Stops the server, copies its files, and starts it again. Answers the folder of the copy. */
  async copyFiles(): Promise<string> {
    const folder = guardedFolder();
    this.#folders.push(folder);
    await this.#whileStopped(() => {
      copyOwned(this.#cluster.dataDir, join(folder.path, "data"));
    });
    return folder.path;
  }

  /** Stops the server, puts copied files in the place of its own, and starts it again. */
  async putBack(copy: string): Promise<void> {
    await this.#whileStopped(() => {
      rmSync(this.#cluster.dataDir, { recursive: true });
      copyOwned(join(copy, "data"), this.#cluster.dataDir);
    });
  }

  /** A standby that follows this server, with settings of its own. */
  async standby(settings: Readonly<Record<string, string>>): Promise<OwnServer> {
    const path = await this.copyFiles();
    const folder = this.#folders.pop()!;
    const signal = join(path, "data", "standby.signal");
    writeFileSync(signal, "");
    const user = unprivilegedUser();
    if (user !== undefined) for (const own of [path, signal]) chownSync(own, user.uid, user.gid);
    const cluster = new Cluster({
      bin: this.#cluster.bin,
      folder,
      password: "",
      user,
      settings: { ...AS_ON_THE_PRIMARY, ...settings, primary_conninfo: this.connection("postgres") },
    });
    await cluster.start();
    const standby = new OwnServer(cluster, this.#migrated);
    this.#standbys.push(standby);
    return standby;
  }

  async remove(): Promise<void> {
    for (const standby of this.#standbys) await standby.remove();
    await this.#disconnect();
    await this.#cluster.remove();
    for (const folder of this.#folders) folder.remove();
  }

  async #connect(database: string): Promise<pg.Client> {
    const client = new pg.Client({ host: this.#cluster.root, port: this.#cluster.port, user: "postgres", database });
    client.on("error", () => undefined);
    await client.connect();
    this.#clients.push(client);
    return client;
  }

  async #disconnect(): Promise<void> {
    await Promise.all(this.#clients.splice(0).map((client) => client.end()));
  }

  async #whileStopped(work: () => void): Promise<void> {
    await this.#disconnect();
    await this.#cluster.stop();
    work();
    await this.#cluster.start();
  }
}

/** Resolves once the query answers a row; looks every few milliseconds. */
export async function until(sql: Sql, query: string): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS;
  while (Date.now() < deadline) {
    if ((await sql(query)).length > 0) return;
    await pause(10);
  }
  throw new Error(`it did not come about in time: ${query}`);
}

function copyOwned(from: string, to: string): void {
  mkdirSync(to, { recursive: true, mode: 0o700 });
  cpSync(from, to, { recursive: true, preserveTimestamps: true });
  const user = unprivilegedUser();
  if (user === undefined) return;
  chownSync(to, user.uid, user.gid);
  for (const entry of readdirSync(to, { recursive: true, encoding: "utf8" })) {
    chownSync(join(to, entry), user.uid, user.gid);
  }
}
