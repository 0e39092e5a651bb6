import { inject } from "vitest";
import { PgMemoryStore } from "../../src/index.js";
import { dumpSchema } from "./dump.js";
import { PGLITE_APP_ROLE, clonePglite } from "./pglite.js";
import { cloneDatabase } from "./postgres-server.js";
import type { Row, Sql } from "./sql.js";

/** A migrated database of this test file's own. */
export interface PostgresLeg {
  /** A store over a connection (on PGlite: the connection) of its own. */
  readonly newStore: () => PgMemoryStore;
  /** As the superuser. */
  readonly sql: Sql;
  /** A session as the unprivileged role of the application; see `describeEachPostgres`. */
  readonly asApp: <T>(work: (sql: Sql) => Promise<T>) => Promise<T>;
  /** The whole schema as text. */
  readonly dump: () => Promise<string>;
  readonly close: () => Promise<void>;
}

/** PGlite has one connection and one user, a superuser. */
export async function openPglite(): Promise<PostgresLeg> {
  const db = await clonePglite(inject("pgliteTemplate") ?? notPrepared("PGlite"));
  const sql: Sql = async (text, params = []) => (await db.query<Row>(text, [...params])).rows;
  return {
    newStore: () => new PgMemoryStore(db),
    sql,
    asApp: async (work) => {
      await db.exec(`set role ${PGLITE_APP_ROLE}`);
      try {
        return await work(sql);
      } finally {
        await db.exec("reset role; reset all");
      }
    },
    dump: () => dumpSchema(sql),
    close: () => db.close(),
  };
}

/** On a native server the store works as an unprivileged role that was given the product's own grants. */
export async function openPostgres(): Promise<PostgresLeg> {
  const database = await cloneDatabase(inject("postgresServer") ?? notPrepared("Postgres"));
  const sql: Sql = async (text, params = []) => (await database.admin.query<Row>(text, [...params])).rows;
  return {
    newStore: () => new PgMemoryStore(database.appPool()),
    sql,
    asApp: async (work) => {
      const client = await database.appPool().connect();
      try {
        return await work(async (text, params = []) => (await client.query<Row>(text, [...params])).rows);
      } finally {
        // The session ends with it, whatever was set in it.
        client.release(true);
      }
    },
    dump: () => dumpSchema(sql),
    close: database.drop,
  };
}

function notPrepared(what: string): never {
  throw new Error(`${what} was not prepared by the global setup`);
}
