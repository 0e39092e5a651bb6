import { resolve } from "node:path";
import { Option, type Command } from "commander";
import { UsageError } from "../cli-error.js";
import type { Invocation } from "../commands/command.js";
import type { Database } from "../database/database.js";
import { openServer } from "../database/server.js";
import { readSecretFile } from "./secret-file.js";

export interface DatabaseOptions {
  readonly databaseUrlFile?: string;
  readonly embedded?: string;
}

/** Adds where the database is. The URL holds a password, so it is not an argument. */
export function declareDatabase(command: Command): Command {
  return command
    .option("--database-url-file <file>", "a file with the database URL (default: DATABASE_URL in the environment)")
    .addOption(new Option("--embedded <folder>", "an embedded Postgres in this folder").conflicts("databaseUrlFile"));
}

/** The URL that was given, or `null`. An option is worth more than the environment. */
export function databaseUrl({ options, console, progress }: Invocation<DatabaseOptions>): string | null {
  if (options.embedded !== undefined) return null;
  if (options.databaseUrlFile !== undefined) {
    return readSecretFile(options.databaseUrlFile, "--database-url-file", progress).trim();
  }
  const given = console.env["DATABASE_URL"] ?? "";
  return given === "" ? null : given;
}

/** Whether any database was named. */
export function namesDatabase(invocation: Invocation<DatabaseOptions>): boolean {
  const { options, console } = invocation;
  const named = options.embedded ?? options.databaseUrlFile ?? console.env["DATABASE_URL"] ?? "";
  return named !== "";
}

/** How to open. */
export interface OpenOptions {
  /** Set in every session, where the installation works with `tenant_scope = 'host'`. */
  readonly sessionTenant?: string | null;
  /** Make an embedded database where there is none. Elsewhere a mistyped folder would look like an empty database. */
  readonly create?: boolean;
}

/** Opens what was named. */
export async function openDatabase(
  invocation: Invocation<DatabaseOptions>,
  { sessionTenant = null, create = false }: OpenOptions = {},
): Promise<Database> {
  const { embedded } = invocation.options;
  if (embedded !== undefined) {
    if (embedded === "") throw new UsageError("the folder of --embedded is empty", "Name a folder.");
    const { holdsDatabase, openEmbedded } = await import("../database/embedded.js");
    if (!create && !holdsDatabase(resolve(embedded))) {
      throw new UsageError(
        `there is no database in the folder ${embedded}`,
        "Check the folder; demystify-memory migrate --embedded FOLDER makes one.",
      );
    }
    return openEmbedded(resolve(embedded), "--embedded", sessionTenant);
  }
  const url = databaseUrl(invocation);
  if (url === null) {
    throw new UsageError(
      "no database was named",
      "Set DATABASE_URL, or give --database-url-file FILE, or --embedded FOLDER for a Postgres in a folder.",
    );
  }
  return openServer(url, sessionTenant);
}

/** Opens the database for one piece of work, and closes it however that ends. */
export async function withDatabase<T>(
  invocation: Invocation<DatabaseOptions>,
  work: (database: Database) => Promise<T>,
  options: OpenOptions = {},
): Promise<T> {
  const database = await openDatabase(invocation, options);
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}
