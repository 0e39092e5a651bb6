import { randomUUID } from "node:crypto";
import { Memory, PgMemoryStore } from "@demystify/memory";
import type pg from "pg";
import { afterAll, beforeAll, describe, inject } from "vitest";
import type {} from "../../../memory/test/support/global-setup.js";
import { legTitle } from "../../../memory/test/support/legs.js";
import { cloneDatabase, type TestDatabase } from "../../../memory/test/support/postgres-server.js";
import { run, type MainRun } from "./run-main.js";

export const PEPPER = "a pepper that is thirty-two bytes long or more";

/** A native Postgres with the schema, and the command line connected to it. */
export interface Given {
  readonly admin: pg.Pool;
  /** As the superuser, and as the application's role. */
  readonly adminUrl: string;
  readonly appUrl: string;
  readonly appRole: string;
  /** A fresh tenant, with the library as a host would use it. */
  tenant(): { readonly tenantKey: string; readonly memory: Memory; readonly cli: Cli };
}

/** Runs a command in one tenant as the application's role, unless `env` says otherwise. */
export type Cli = (
  args: readonly string[],
  options?: { readonly input?: string | Buffer; readonly env?: Readonly<Record<string, string>> },
) => Promise<MainRun>;

/** A suite on a migrated database of its own. */
export function describeOnServer(name: string, body: (given: Given) => void): void {
  const server = inject("postgresServer");
  if (server === null) return;
  describe(legTitle(name, "postgres"), () => {
    let database: TestDatabase | undefined;
    beforeAll(async () => {
      database = await cloneDatabase(server);
    });
    afterAll(() => database?.drop());
    const open = () => {
      if (database === undefined)
        throw new Error("the database is opened before the first test, not while tests are listed");
      return database;
    };
    const adminUrl = () => open().admin.options.connectionString ?? "";
    const appUrl = () => {
      const url = new URL(adminUrl());
      url.username = server.appRole;
      url.password = server.appPassword;
      return url.href;
    };
    body({
      get admin() {
        return open().admin;
      },
      get adminUrl() {
        return adminUrl();
      },
      get appUrl() {
        return appUrl();
      },
      appRole: server.appRole,
      tenant: () => {
        const tenantKey = `tenant-${randomUUID()}`;
        const env = {
          DATABASE_URL: appUrl(),
          DEMYSTIFY_MEMORY_TENANT: tenantKey,
          DEMYSTIFY_MEMORY_PEPPER: PEPPER,
        };
        return {
          tenantKey,
          memory: new Memory({ store: new PgMemoryStore(open().admin), subjectHashPepper: PEPPER }),
          cli: (args, options = {}) => run(args, { ...options, env: { ...env, ...options.env } }),
        };
      },
    });
  });
}
