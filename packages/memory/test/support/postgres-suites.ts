import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe } from "vitest";
import { legTitle, requestedLegs } from "./legs.js";
import { openPglite, openPostgres } from "./postgres-legs.js";
import type { PostgresLeg } from "./postgres-legs.js";
import type { Sql } from "./sql.js";

/** What a test of the database's own rules is given: SQL, and nothing of the library. */
export interface GivenPostgres {
  /** As the superuser who owns the database: to look, and to break things on purpose. */
  readonly sql: Sql;
  /**
   * One session as the application's unprivileged role, acting as `tenantKey` (`null`: no tenant is set). Use one at
   * a time; the session is gone afterwards.
   */
  actingAs<T>(tenantKey: string | null, work: (sql: Sql) => Promise<T>): Promise<T>;
  /** A key that nothing else uses. */
  freshTenant(): string;
}

/** Runs a suite of plain SQL on PGlite and on a native Postgres, each time on a migrated database of its own. */
export function describeEachPostgres(name: string, body: (given: GivenPostgres) => void): void {
  for (const leg of requestedLegs()) {
    if (leg === "in-memory") continue;
    describe(legTitle(name, leg), () => {
      let open: PostgresLeg | undefined;
      const current = () => open ?? unopened();
      beforeAll(async () => {
        open = await (leg === "pglite" ? openPglite() : openPostgres());
      });
      afterAll(() => open?.close());
      body({
        get sql() {
          return current().sql;
        },
        actingAs: (tenantKey, work) =>
          current().asApp(async (sql) => {
            if (tenantKey !== null) await sql("select set_config('app.current_tenant', $1, false)", [tenantKey]);
            return work(sql);
          }),
        freshTenant: () => `tenant-${randomUUID()}`,
      });
    });
  }
}

function unopened(): never {
  throw new Error("SQL is given to tests and hooks, not while they are being declared");
}
