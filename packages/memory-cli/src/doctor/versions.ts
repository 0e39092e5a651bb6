import type { Queryable } from "../database/database.js";
import { allMigrations } from "../install/emit-files.js";
import { installedVersion } from "../install/installed-version.js";
import { failure, ok, skipped, warning, type Finding } from "./finding.js";

const OLDEST = 15;
const NEWEST = 18;

/** Postgres, the schema and the extension. */
export async function checkVersions(db: Queryable): Promise<readonly Finding[]> {
  return [await checkServer(db), await checkSchema(db), await checkVector(db)];
}

async function checkServer(db: Queryable): Promise<Finding> {
  const { rows } = await db.query<{ major: number }>(
    "select current_setting('server_version_num')::int / 10000 as major",
  );
  const major = rows[0]?.major ?? 0;
  if (major < OLDEST) {
    return failure("server_version", `PostgreSQL ${major} is not supported`, `Use PostgreSQL ${OLDEST} to ${NEWEST}.`);
  }
  if (major > NEWEST) {
    return warning(
      "server_version",
      `PostgreSQL ${major} is newer than what this version was tested on`,
      "Run demystify-memory verify, and look for a newer version of these packages.",
    );
  }
  return ok("server_version", `PostgreSQL ${major}`);
}

async function checkSchema(db: Queryable): Promise<Finding> {
  const installed = await installedVersion(db);
  const known = (await allMigrations()).length;
  switch (installed) {
    case null:
      return skipped("schema_version", "this role may not ask which version is installed", "See grants, below.");
    case 0:
      return failure(
        "schema_version",
        "the schema is not installed here",
        "Run demystify-memory migrate as the role that is to own the installation.",
      );
    case known:
      return ok("schema_version", `version ${installed}`);
    default:
      return failure(
        "schema_version",
        `the schema is at version ${installed}, these packages work with ${known}`,
        installed < known
          ? "Run demystify-memory migrate as the role that installed it."
          : "Upgrade @demystify/memory on every client: npm install @demystify/memory@latest.",
      );
  }
}

async function checkVector(db: Queryable): Promise<Finding> {
  const { rows } = await db.query<{ installed: string | null; available: string | null }>(
    `select (select extversion from pg_catalog.pg_extension where extname = 'vector') as installed,
            (select default_version from pg_catalog.pg_available_extensions where name = 'vector') as available`,
  );
  const { installed = null, available = null } = rows[0] ?? {};
  if (installed !== null) return ok("pgvector", `version ${installed}`);
  if (available === null) return ok("pgvector", "not to be had here; vectors are ranked in the library's process");
  return warning(
    "pgvector",
    `version ${available} could be had and is not installed; vectors are ranked in the library's process`,
    "create extension vector; as a role that may.",
  );
}
