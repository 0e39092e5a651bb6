import { randomUUID } from "node:crypto";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, inject } from "vitest";
import { Memory, PgMemoryStore } from "../../src/index.js";
import type { MemoryOptions } from "../../src/index.js";
import { dumpSchema, literalsIn } from "../support/dump.js";
import { legTitle, requestedLegs } from "../support/legs.js";
import { PGLITE_APP_ROLE, clonePglite } from "../support/pglite.js";
import { cloneDatabase } from "../support/postgres-server.js";
import type { Row, Sql } from "../support/sql.js";

/** Who is at the other end of a session. */
export interface Acting {
  /** A role to work as; the superuser without one. `appRole` is the application's. */
  readonly role?: string;
  /** What `app.current_tenant` is set to for the session; nothing without one. */
  readonly tenantKey?: string;
}

/** A migrated database, for tests that speak plain SQL to it. */
export interface GivenDatabase {
  /** As the superuser, outside any transaction. */
  readonly sql: Sql;
  readonly appRole: string;
  /** A connection string for the superuser; empty for PGlite, to which nobody can connect. */
  readonly url: string;
  /** One session, so that transactions and settings hold; gone afterwards, whatever was left open in it. */
  session<T>(acting: Acting, work: (sql: Sql) => Promise<T>): Promise<T>;
  /** The library as the application would use it. */
  memory(options?: Omit<MemoryOptions, "store">): Memory;
  freshTenant(): string;
  /** A new role without any right, dropped with the suite. */
  createRole(): Promise<string>;
  /** Fails if any of the literals is left in any column of any table, or in the statistics. */
  expectNowhere(...literals: string[]): Promise<void>;
}

/** A native server's database, where several sessions can be open at once. */
export interface GivenNative extends GivenDatabase {
  /** A connection of its own, as the superuser or (`app`) as the application's role; closed with the suite. */
  connect(as?: "superuser" | "app"): Promise<pg.Client>;
  /** A pool of the application's role. */
  appPool(max?: number): pg.Pool;
}

interface OpenDatabase {
  readonly given: Omit<GivenNative, "freshTenant" | "createRole" | "expectNowhere">;
  readonly close: () => Promise<void>;
}

/** Runs a suite on PGlite and on a native Postgres, each on a database of its own. */
export function describeEachDatabase(name: string, body: (given: GivenDatabase) => void): void {
  for (const leg of requestedLegs()) {
    if (leg !== "in-memory") declare(legTitle(name, leg), leg === "pglite" ? openPglite : openNative, body);
  }
}

/** Runs a suite that needs several connections at once: on a native Postgres alone. */
export function describeNative(name: string, body: (given: GivenNative) => void): void {
  if (requestedLegs().includes("postgres")) declare(legTitle(name, "postgres"), openNative, body);
}

function declare(title: string, open: () => Promise<OpenDatabase>, body: (given: GivenNative) => void): void {
  describe(title, () => {
    let database: OpenDatabase | undefined;
    const roles: string[] = [];
    const current = () => (database ?? unopened()).given;
    beforeAll(async () => {
      database = await open();
    });
    afterAll(async () => {
      for (const role of roles) await current().sql(`drop owned by ${role}`);
      for (const role of roles) await current().sql(`drop role ${role}`);
      await database?.close();
    });
    body({
      get sql() {
        return current().sql;
      },
      get appRole() {
        return current().appRole;
      },
      get url() {
        return current().url;
      },
      session: (acting, work) => current().session(acting, work),
      memory: (options) => current().memory(options),
      connect: (as) => current().connect(as),
      appPool: (max) => current().appPool(max),
      freshTenant: () => `tenant-${randomUUID()}`,
      createRole: async () => {
        const role = `role_${randomUUID().slice(0, 8)}`;
        await current().sql(`create role ${role}`);
        roles.push(role);
        return role;
      },
      expectNowhere: async (...literals) => {
        expect(literalsIn(await dumpSchema(current().sql), literals)).toEqual([]);
      },
    });
  });
}

function unopened(): never {
  throw new Error("a database is given to tests and hooks, not while they are being declared");
}

async function openPglite(): Promise<OpenDatabase> {
  const db = await clonePglite(inject("pgliteTemplate") ?? notPrepared("PGlite"));
  const sql: Sql = async (text, params = []) => (await db.query<Row>(text, [...params])).rows;
  const noConnections = () => {
    throw new Error("PGlite has one connection: declare this suite with describeNative");
  };
  return {
    given: {
      sql,
      appRole: PGLITE_APP_ROLE,
      url: "",
      async session(acting, work) {
        try {
          await actAs(sql, acting);
          return await work(sql);
        } finally {
          await db.exec("rollback; reset role; reset all; deallocate all");
        }
      },
      memory: (options = {}) => new Memory({ ...options, store: new PgMemoryStore(db) }),
      connect: noConnections,
      appPool: noConnections,
    },
    close: () => db.close(),
  };
}

async function openNative(): Promise<OpenDatabase> {
  const server = inject("postgresServer") ?? notPrepared("Postgres");
  const database = await cloneDatabase(server);
  const sql: Sql = async (text, params = []) => (await database.admin.query<Row>(text, [...params])).rows;
  const { rows } = await database.admin.query<{ name: string }>("select current_database() as name");
  const url = (user: "superuser" | "app") => {
    const to = new URL(server.adminUrl);
    to.pathname = `/${rows[0]!.name}`;
    if (user === "app") [to.username, to.password] = [server.appRole, server.appPassword];
    return to.href;
  };
  const clients: pg.Client[] = [];
  const pools: pg.Pool[] = [];
  return {
    given: {
      sql,
      appRole: server.appRole,
      url: url("superuser"),
      async session(acting, work) {
        const client = await database.admin.connect();
        try {
          const own = sqlOf(client);
          await actAs(own, acting);
          return await work(own);
        } finally {
          client.release(true);
        }
      },
      memory: (options = {}) => new Memory({ ...options, store: new PgMemoryStore(database.appPool()) }),
      async connect(as = "superuser") {
        const client = new pg.Client({ connectionString: url(as) });
        client.on("error", () => undefined);
        await client.connect();
        clients.push(client);
        return client;
      },
      appPool(max = 4) {
        const pool = new pg.Pool({ connectionString: url("app"), max });
        pool.on("error", () => undefined);
        pools.push(pool);
        return pool;
      },
    },
    close: async () => {
      await Promise.all([...clients, ...pools].map((open) => open.end()));
      await database.drop();
    },
  };
}

/** The statements of one connection. */
export function sqlOf(client: Pick<pg.ClientBase, "query">): Sql {
  return async (text, params = []) => (await client.query<Row>(text, [...params])).rows;
}

async function actAs(sql: Sql, { role, tenantKey }: Acting): Promise<void> {
  if (tenantKey !== undefined) await sql("select set_config('app.current_tenant', $1, false)", [tenantKey]);
  if (role !== undefined) await sql(`set role ${role}`);
}

function notPrepared(what: string): never {
  throw new Error(`${what} was not prepared by the global setup`);
}
