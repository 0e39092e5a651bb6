import { readFields } from "../../domain/input/fields.js";
import { readInteger } from "../../domain/input/numbers.js";
import { InstallError, InvalidInputError } from "../../errors.js";
import { MIGRATIONS, type Migration } from "./migrations.generated.js";
import type { Queryable } from "./queryable.js";
import { toMemoryError } from "./sqlstate.js";

/** The schema version this package works with. */
export const SCHEMA_VERSION = MIGRATIONS.length;

/** What `migrate` would run here, and why. */
export interface MigrationPlan {
  /** The version installed now; 0 if none is. */
  readonly currentVersion: number;
  readonly targetVersion: number;
  /** What is still to run, in order. */
  readonly pending: readonly Migration[];
  /** All of it as one script for `psql -f`; empty if nothing is to run. */
  readonly sql: string;
}

/** What is chosen once, by the first migration. */
export interface InstallChoices {
  /**
   * Hash-partitions the tables of payload by tenant, into so many partitions: 2 to 256. For tens of millions of rows;
   * see docs/guides/scale.md for what it costs. Default: not partitioned.
   */
  readonly partitions?: number;
}

/**
 * The migrations that this database still needs, as SQL. Runs nothing.
 *
 * @throws InvalidInputError; InstallError if the schema is newer than this package, or is installed in another number of
 * partitions than asked for
 */
export async function plan(db: Queryable, choices: InstallChoices = {}): Promise<MigrationPlan> {
  const fields = readFields(choices, ["partitions"]);
  const partitions =
    fields.partitions === undefined ? undefined : readInteger(fields.partitions, "partitions", { min: 2, max: 256 });
  const currentVersion = await installedVersion(db);
  if (currentVersion > 0 && partitions !== undefined) await assertPartitions(db, partitions);
  if (currentVersion > SCHEMA_VERSION) {
    throw new InstallError(
      `the schema is at version ${currentVersion}, this package knows ${SCHEMA_VERSION}`,
      "Upgrade @demystify/memory: npm install @demystify/memory@latest.",
    );
  }
  const pending = MIGRATIONS.filter(({ version }) => version > currentVersion);
  const chosen = partitions === undefined ? [] : [`set demystify_memory.partitions = '${String(partitions)}';\n`];
  const unset = partitions === undefined ? [] : ["reset demystify_memory.partitions;\n"];
  const scripts = pending.length === 0 ? [] : [...chosen, ...pending.map(({ sql }) => sql), ...unset];
  return { currentVersion, targetVersion: SCHEMA_VERSION, pending, sql: scripts.join("\n") };
}

/**
 * Runs what `plan` shows, each migration in a transaction of its own. Nothing happens if the schema is current, and
 * two processes that migrate at once wait for each other. Needs a role that may create the schema, or one that owns
 * it; never a superuser.
 *
 * @param options.dryRun answers the plan and runs nothing
 */
export async function migrate(
  db: Queryable,
  options: InstallChoices & { readonly dryRun?: boolean } = {},
): Promise<MigrationPlan & { readonly applied: readonly number[] }> {
  const { dryRun, ...choices } = options;
  const planned = await plan(db, choices);
  if (dryRun === true) return { ...planned, applied: [] };
  const { partitions } = choices;
  for (const { sql } of planned.pending) {
    try {
      // In the script itself: a pool would give each statement another session.
      await runScript(
        db,
        partitions === undefined
          ? sql
          : `set demystify_memory.partitions = '${String(partitions)}';\n${sql}\nreset demystify_memory.partitions;`,
      );
    } catch (error) {
      // The script's own transaction is still open and aborted on a client that is not a pool.
      await db.query("rollback").catch(() => undefined);
      throw migrationError(error);
    }
  }
  return { ...planned, applied: planned.pending.map(({ version }) => version) };
}

/** Changes the install-wide choices. Only the role that installed may; a choice left out stays as it is. */
export async function configure(
  db: Queryable,
  choices: { readonly directDelete?: "record" | "refuse"; readonly tenantScope?: "per-call" | "host" },
): Promise<void> {
  const { directDelete = null, tenantScope = null } = choices;
  if (directDelete !== null && directDelete !== "record" && directDelete !== "refuse") {
    throw new InvalidInputError("directDelete", 'must be "record" or "refuse"');
  }
  if (tenantScope !== null && tenantScope !== "per-call" && tenantScope !== "host") {
    throw new InvalidInputError("tenantScope", 'must be "per-call" or "host"');
  }
  try {
    await db.query("select demystify_memory.configure($1::text, $2::text)", [directDelete, tenantScope]);
  } catch (error) {
    throw toMemoryError(error);
  }
}

async function installedVersion(db: Queryable): Promise<number> {
  try {
    const there = await db.query("select to_regclass('demystify_memory.schema_migration')::text as name");
    if ((there.rows[0] as { name?: unknown } | undefined)?.name == null) return 0;
    const { rows } = await db.query(
      "select coalesce(max(version), 0)::text as version from demystify_memory.schema_migration",
    );
    return Number((rows[0] as { version?: unknown } | undefined)?.version);
  } catch (error) {
    throw toMemoryError(error);
  }
}

async function assertPartitions(db: Queryable, wanted: number): Promise<void> {
  const { rows } = await db.query(
    `select count(*)::text as partitions from pg_catalog.pg_inherits i
      where i.inhparent = to_regclass('demystify_memory.memory')`,
  );
  const there = Number((rows[0] as { partitions?: unknown } | undefined)?.partitions);
  if (there === wanted) return;
  throw new InstallError(
    there === 0 ? "the schema is installed without partitions" : `the schema is installed in ${there} partitions`,
    "Partitions are chosen by the first migration: install anew elsewhere and move the rows, or leave the option out.",
  );
}

// PGlite takes several statements only through exec(); pg and its kin take them in a query without parameters.
async function runScript(db: Queryable, sql: string): Promise<void> {
  if ("exec" in db && typeof db.exec === "function") {
    await (db as { exec(script: string): Promise<unknown> }).exec(sql);
  } else {
    await db.query(sql);
  }
}

function migrationError(error: unknown): Error {
  const known = toMemoryError(error);
  if (known instanceof InstallError && known.message.includes("may not call")) {
    return new InstallError(
      "the role that connects may not install the schema demystify_memory",
      "Have an administrator run: create schema demystify_memory authorization <that role>; then migrate again.",
    );
  }
  return known;
}
