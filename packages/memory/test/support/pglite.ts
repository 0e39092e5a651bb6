import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { copyFile, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { PGlite } from "@electric-sql/pglite";
import { vector } from "@electric-sql/pglite-pgvector";

const extensions = { vector };

/** The unprivileged role in the template, for `set role`: PGlite itself connects as a superuser. */
export const PGLITE_APP_ROLE = "memory_app";

/** How to make a database that test files copy. */
export interface PgliteTemplate {
  /** Everything that decides what `prepare` makes; with the same, an earlier run's is taken. */
  readonly madeFrom: string;
  readonly prepare: (db: PGlite) => Promise<unknown>;
}

/**
 * Writes a prepared data directory to `file`, from which `clonePglite` opens copies in half a second. Making it takes
 * several seconds, so the last one is kept in a cache for later runs.
 */
export async function writePgliteTemplate(file: string, template: PgliteTemplate): Promise<void> {
  const cache = fileURLToPath(new URL("../../../../node_modules/.cache/demystify-memory/", import.meta.url));
  const cached = join(cache, `pglite-${fingerprint(template.madeFrom)}.tar`);
  if (await copied(cached, file)) return;
  const db = await PGlite.create({ extensions });
  try {
    await template.prepare(db);
    const dump = await db.dumpDataDir("none");
    await writeFile(file, Buffer.from(await dump.arrayBuffer()));
  } finally {
    await db.close();
  }
  await rm(cache, { recursive: true, force: true });
  await mkdir(cache, { recursive: true });
  // Another run may be looking: it appears whole or not at all.
  await copyFile(file, `${cached}.${String(process.pid)}`);
  await rename(`${cached}.${String(process.pid)}`, cached);
}

export async function clonePglite(file: string): Promise<PGlite> {
  return PGlite.create({ loadDataDir: new Blob([await readFile(file)]), extensions });
}

async function copied(from: string, to: string): Promise<boolean> {
  try {
    await copyFile(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw error;
  }
}

function fingerprint(madeFrom: string): string {
  const hash = createHash("sha256").update(madeFrom);
  const { resolve } = createRequire(import.meta.url);
  for (const name of ["@electric-sql/pglite", "@electric-sql/pglite-pgvector"]) {
    hash.update(readFileSync(join(dirname(resolve(name)), "..", "package.json")));
  }
  return hash.digest("hex").slice(0, 16);
}
