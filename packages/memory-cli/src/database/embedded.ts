import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PGlite, type Extension } from "@electric-sql/pglite";
import { CliError, EXIT, UsageError } from "../cli-error.js";
import { enterSnapshot, type Database } from "./database.js";
import { lockFolder } from "./folder-lock.js";

/** Marks a folder as ours, and its database as whole: written after the first start succeeded. */
const READY = "ready";
const DATA = "pgdata";
/** Where the demo keeps its copies outside the database, while it runs. */
export const COPIES = "copies";

/**
 * Opens a Postgres that runs inside this process (PGlite) and keeps its files in a folder, with pgvector where that
 * loads. The folder is made if it is missing; one that holds other things is refused.
 */
export async function openEmbedded(
  folder: string,
  option = "--folder",
  sessionTenant: string | null = null,
): Promise<Database> {
  const unlock = prepareFolder(folder, option);
  try {
    const pglite = await start(join(folder, DATA));
    writeFileSync(join(folder, READY), "");
    if (sessionTenant !== null) {
      await pglite.query("select pg_catalog.set_config('app.current_tenant', $1, false)", [sessionTenant]);
    }
    return embedded(pglite, folder, unlock, () => openEmbedded(folder, option, sessionTenant));
  } catch (error) {
    unlock();
    if (error instanceof CliError) throw error;
    throw new CliError({
      code: "folder_unusable",
      message: `the embedded Postgres in ${folder} does not start`,
      help: `Delete the folder and run the command again, or choose another folder with ${option}.`,
      exitCode: EXIT.failed,
    });
  }
}

/** Whether an embedded database was made in this folder, and its first start succeeded. */
export function holdsDatabase(folder: string): boolean {
  return existsSync(join(folder, READY));
}

function prepareFolder(folder: string, option: string): () => void {
  try {
    mkdirSync(folder, { recursive: true });
    const names = readdirSync(folder);
    const ours = names.every((name) => [READY, DATA, COPIES, "in-use-by"].includes(name));
    if (!ours) {
      throw new UsageError(
        `the folder ${folder} holds other files`,
        `Choose an empty folder, or one that an earlier run made, with ${option}.`,
      );
    }
    const unlock = lockFolder(folder, option);
    // A first start that was interrupted leaves half a database, which would never start again.
    if (!existsSync(join(folder, READY))) rmSync(join(folder, DATA), { recursive: true, force: true });
    return unlock;
  } catch (error) {
    if (error instanceof CliError) throw error;
    const code = (error as NodeJS.ErrnoException).code ?? "unknown";
    throw new UsageError(`the folder ${folder} cannot be used (${code})`, `Choose another folder with ${option}.`);
  }
}

async function start(data: string): Promise<PGlite> {
  const vector = await loadPgvector();
  return PGlite.create(data, vector === null ? {} : { extensions: { vector } });
}

/** pgvector is detected, never assumed: without it vectors are ranked in this process. */
async function loadPgvector(): Promise<Extension | null> {
  try {
    return (await import("@electric-sql/pglite-pgvector")).vector as Extension;
  } catch {
    return null;
  }
}

function embedded(pglite: PGlite, folder: string, unlock: () => void, openAnew: () => Promise<Database>): Database {
  const close = async () => {
    if (!pglite.closed) await pglite.close();
    unlock();
  };
  return {
    queryable: pglite,
    label: folder,
    kind: "embedded",
    exclusive: (work) => work(pglite),
    snapshot: (tenantKey, work) =>
      pglite.transaction(async (transaction) => {
        await enterSnapshot(transaction, tenantKey);
        return work(transaction);
      }),
    reopen: async () => {
      await close();
      return openAnew();
    },
    close,
  };
}
