import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { plan, type Migration } from "@demystify/memory";
import { UsageError } from "../cli-error.js";
import { EMITTERS, type EmitFormat, type EmittedFile } from "./emit.js";

/** An emitted migration, and where it went. */
export interface Emitted extends EmittedFile {
  readonly version: number;
  /** In the folder that was named; else only the name. */
  readonly path: string;
  readonly written: boolean;
}

/** Every migration after `since` in a tool's format; written into `folder` unless that is `null`. */
export async function emitFiles(
  format: EmitFormat,
  since: number,
  folder: string | null,
  now = new Date(),
): Promise<readonly Emitted[]> {
  const migrations = (await allMigrations()).filter(({ version }) => version > since);
  return migrations.map((migration) => {
    const file = EMITTERS[format](migration, now);
    if (folder === null) return { ...file, version: migration.version, path: file.name, written: false };
    const path = join(folder, file.name);
    writeNew(path, file.content);
    return { ...file, version: migration.version, path, written: true };
  });
}

/** What a database in which nothing is installed would need. */
export async function allMigrations(): Promise<readonly Migration[]> {
  const nothingInstalled = { query: () => Promise.resolve({ rows: [{ name: null }] }) };
  return (await plan(nothingInstalled)).pending;
}

function writeNew(path: string, content: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content, { flag: "wx" });
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? "unknown";
    throw new UsageError(
      code === "EEXIST" ? `${path} is already there` : `${path} cannot be written (${code})`,
      code === "EEXIST" ? "It stays as it is. Give another folder with --out." : "Check the folder given to --out.",
    );
  }
}
