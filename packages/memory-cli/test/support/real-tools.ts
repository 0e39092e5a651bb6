import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const FOLDER = fileURLToPath(new URL("../real-tools", import.meta.url));
const MARK = join(FOLDER, "node_modules", ".installed");
const TEN_MINUTES = 600_000;

/** Installs what `test/real-tools` names, once; answers why that cannot be, or `undefined`. One test file uses it. */
export function realToolsAreMissing(): string | undefined {
  if (process.platform !== "linux" || process.arch !== "x64") return "its binaries were tried on Linux on x64 only";
  const wanted = createHash("sha256")
    .update(readFileSync(join(FOLDER, "package-lock.json")))
    .digest("hex");
  if (existsSync(MARK) && readFileSync(MARK, "utf8") === wanted) return undefined;
  const done = spawnSync("npm", ["ci"], { cwd: FOLDER, encoding: "utf8", timeout: TEN_MINUTES });
  if (done.status !== 0) return `npm ci failed in test/real-tools: ${done.stderr.slice(-500)}`;
  writeFileSync(MARK, wanted);
  return undefined;
}

/** `psql` of the machine, or `undefined`. */
export function findPsql(): string | undefined {
  const named = process.env["TEST_POSTGRES_BIN"];
  const debian = "/usr/lib/postgresql";
  const versions = existsSync(debian) ? readdirSync(debian).sort().reverse() : [];
  const candidates = [
    ...(named === undefined ? [] : [join(named, "psql")]),
    ...versions.map((version) => join(debian, version, "bin", "psql")),
    ...(process.env["PATH"] ?? "").split(":").map((folder) => join(folder, "psql")),
  ];
  return candidates.find((path) => existsSync(path));
}

/** A file of an installed tool, such as `.bin/node-pg-migrate`. */
export function toolPath(file: string): string {
  return join(FOLDER, "node_modules", file);
}

export interface ToolRun {
  readonly code: number | null;
  readonly output: string;
}

/** Runs a tool to its end, without a terminal. */
export function runTool(
  command: string,
  args: readonly string[],
  options: { readonly cwd: string; readonly env?: Readonly<Record<string, string>> },
): Promise<ToolRun> {
  const child = spawn(command, args, {
    cwd: options.cwd,
    // Of this machine's settings nothing but where programs are: none of the tools may find a database by itself.
    env: { PATH: process.env["PATH"], HOME: options.cwd, SUPABASE_TELEMETRY_DISABLED: "1", ...options.env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  }
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, output }));
  });
}
