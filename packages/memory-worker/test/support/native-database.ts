import { randomBytes } from "node:crypto";
import pg from "pg";
import { describe, inject } from "vitest";
// What the global setup provides.
import type {} from "../../../memory/test/support/global-setup.js";
import { legTitle, requestedLegs } from "../../../memory/test/support/legs.js";
import { describeWhere } from "./where-available.js";

/** An empty database on the server that the test command started. */
export interface TestDatabase {
  readonly url: string;
  readonly pool: pg.Pool;
  drop(): Promise<void>;
}

/** A suite that needs a native Postgres. */
export function describeNativePostgres(name: string, body: () => void): void {
  if (requestedLegs().includes("postgres")) describe(legTitle(name, "postgres"), body);
  else describeWhere("STORES leaves the native Postgres out", name, body);
}

/** `like`: a copy of the migrated template instead. */
export async function createDatabase(like?: "migrated"): Promise<TestDatabase> {
  const server = inject("postgresServer");
  if (server === null) throw new Error("Postgres was not prepared by the global setup");
  const name = `worker_test_${randomBytes(6).toString("hex")}`;
  await asAdmin(server.adminUrl, `create database ${name}${like === undefined ? "" : ` template ${server.template}`}`);
  const url = new URL(server.adminUrl);
  url.pathname = `/${name}`;
  const pool = new pg.Pool({ connectionString: url.href, max: 6 });
  pool.on("error", () => undefined);
  return {
    url: url.href,
    pool,
    async drop() {
      await pool.end();
      await asAdmin(server.adminUrl, `drop database ${name} with (force)`);
    },
  };
}

async function asAdmin(connectionString: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
