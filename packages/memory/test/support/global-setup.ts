import { join } from "node:path";
import type { Client } from "pg";
import type { TestProject } from "vitest/node";
import { grantsSql, migrate } from "../../src/adapters/postgres/index.js";
import { MIGRATIONS } from "../../src/adapters/postgres/migrations.generated.js";
import { guardedFolder } from "./guarded-folder.js";
import { requestedLegs } from "./legs.js";
import { INSTALL_CHOICES } from "./partitions.js";
import { PGLITE_APP_ROLE, writePgliteTemplate } from "./pglite.js";
import type { PgliteTemplate } from "./pglite.js";
import { startServer } from "./postgres-server.js";
import type { PostgresServer, RunningServer } from "./postgres-server.js";

declare module "vitest" {
  interface ProvidedContext {
    /** `null`: this run has no native Postgres leg. */
    postgresServer: PostgresServer | null;
    /** A migrated PGlite data directory; `null`: this run has no PGlite leg. */
    pgliteTemplate: string | null;
  }
}

/** Migrates one template for each Postgres, which every test file then copies. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const legs = requestedLegs();
  const folder = guardedFolder();
  const template = join(folder.path, "pglite.tar");
  let running: RunningServer | null;
  try {
    [running] = await Promise.all([
      legs.includes("postgres") ? startServer(prepareServer) : null,
      legs.includes("pglite") ? writePgliteTemplate(template, pgliteTemplate()) : null,
    ]);
  } catch (error) {
    folder.remove();
    throw error;
  }
  project.provide("postgresServer", running?.server ?? null);
  project.provide("pgliteTemplate", legs.includes("pglite") ? template : null);
  return async () => {
    await running?.remove();
    folder.remove();
  };
}

async function prepareServer(db: Client, appRole: string): Promise<void> {
  await migrate(db, INSTALL_CHOICES);
  await db.query(grantsSql({ appRole }));
}

function pgliteTemplate(): PgliteTemplate {
  const role = `create role ${PGLITE_APP_ROLE}; ${grantsSql({ appRole: PGLITE_APP_ROLE })}`;
  return {
    madeFrom: JSON.stringify([MIGRATIONS, INSTALL_CHOICES, role]),
    prepare: async (db) => {
      await migrate(db, INSTALL_CHOICES);
      await db.exec(role);
    },
  };
}
