// Packs the packages as they would be published, and checks each tarball from the outside: what is in it, whether its
// entries and types resolve, and whether the core, and the worker beside it, work in an empty folder without a network.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../", import.meta.url));
const COMMON = [/^dist\/.+\.(js|d\.ts)$/, /^(package\.json|README\.md|LICENSE)$/];
const PACKAGES = [
  {
    name: "memory",
    allowed: [...COMMON, /^migrations\/\d{4}_\w+\.sql$/, /^CHANGELOG\.md$/],
    required: [
      "package.json",
      "LICENSE",
      "README.md",
      "dist/index.js",
      "dist/index.d.ts",
      "migrations/0001_memory.sql",
    ],
  },
  {
    name: "memory-worker",
    allowed: COMMON,
    required: ["package.json", "LICENSE", "README.md", "dist/index.js", "dist/index.d.ts", "dist/testing/index.js"],
  },
  {
    name: "memory-cli",
    allowed: [...COMMON, /^dist\/.+\.jsonl$/],
    required: ["package.json", "LICENSE", "README.md", "dist/bin.js"],
    command: true,
  },
];

// Runs in the empty folder: a memory kept, recalled and erased with nothing but the tarball.
const SMOKE = `
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { Memory } from "@demystify/memory";
const memory = new Memory();
const tenantKey = "tenant", subjectKey = "person";
const kept = await memory.remember({ tenantKey, subjectKey, text: "prefers tea" });
const { hits } = await memory.recall({ tenantKey, text: "tea" });
if (hits.length !== 1) throw new Error("the memory was not recalled");
const receipt = await memory.forget({ tenantKey, subjectKey });
if (receipt.state !== "complete") throw new Error("the erasure is " + receipt.state);
if ((await memory.getMemory(tenantKey, kept.memory.memoryId)) !== null) throw new Error("the memory is still there");
const { resolve } = createRequire(import.meta.url);
readFileSync(resolve("@demystify/memory/migrations/0001_memory.sql"));
resolve("@demystify/memory/package.json");
`;

// The worker beside the core.
const WORKER_SMOKE = `
import { Memory } from "@demystify/memory";
import { runOnce, manualSink } from "@demystify/memory-worker";
import "@demystify/memory-worker/testing";
const memory = new Memory();
const report = await runOnce({ memory, sinks: [manualSink({ name: "paper" })], tenantKeys: ["tenant"] });
if (report.failed !== 0) throw new Error("a round with nothing to do failed");
`;

// Every type the entry shows must resolve without Node's types or anybody else's.
const CONSUMER = `
import { Memory, type ErasureReceipt } from "@demystify/memory";
export async function forget(memory: Memory): Promise<ErasureReceipt> {
  return memory.forget({ tenantKey: "tenant", subjectKey: "person" });
}
`;

const scratch = mkdtempSync(join(tmpdir(), "demystify-memory-pack-"));
try {
  const [core, worker] = PACKAGES.map(checkPackage);
  checkInstalled(core, worker);
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

function checkPackage({ name, allowed, required, command = false }) {
  const folder = join(ROOT, "packages", name);
  const [packed] = JSON.parse(run("npm", ["pack", "--json", "--pack-destination", scratch], folder));
  const tarball = join(scratch, packed.filename);
  checkFiles(
    packed.files.map(({ path }) => path),
    { allowed, required },
  );
  const tools = [
    ["publint", ["run", tarball, "--strict"]],
    // A command has no entry to import.
    ...(command ? [] : [["attw", [tarball, "--profile", "esm-only", "--no-definitely-typed", "--no-emoji"]]]),
  ];
  for (const [tool, args] of tools) console.log(run(join(ROOT, "node_modules", ".bin", tool), args, ROOT).trimEnd());
  console.log(`ok: ${packed.filename}, ${String(packed.files.length)} files, ${String(packed.size)} bytes packed`);
  return tarball;
}

function checkFiles(paths, { allowed, required }) {
  const stray = paths.filter((path) => !allowed.some((pattern) => pattern.test(path)));
  const missing = required.filter((path) => !paths.includes(path));
  if (stray.length > 0) throw new Error(`should not be published: ${stray.join(", ")}`);
  if (missing.length > 0) throw new Error(`missing in the tarball: ${missing.join(", ")}`);
}

function checkInstalled(core, worker) {
  const app = join(scratch, "app");
  mkdirSync(app);
  writeFileSync(join(app, "package.json"), '{ "name": "app", "private": true, "type": "module" }');
  const install = ["install", "--offline", "--no-audit", "--no-fund", "--cache", join(scratch, "cache")];
  run("npm", [...install, core], app);
  const installed = readdirSync(join(app, "node_modules"), { recursive: true, encoding: "utf8" });
  const packages = installed.filter((path) => path.endsWith("package.json"));
  if (packages.length !== 1) throw new Error(`installed more than itself: ${packages.join(", ")}`);
  writeFileSync(join(app, "smoke.mjs"), SMOKE);
  run(process.execPath, ["smoke.mjs"], app);
  writeFileSync(join(app, "consumer.ts"), CONSUMER);
  const tsc = join(ROOT, "node_modules", "typescript", "bin", "tsc");
  const options = ["--strict", "--noEmit", "--module", "nodenext", "--target", "es2022", "consumer.ts"];
  run(process.execPath, [tsc, "--ignoreConfig", ...options], app);

  run("npm", [...install, core, worker], app);
  writeFileSync(join(app, "worker-smoke.mjs"), WORKER_SMOKE);
  run(process.execPath, ["worker-smoke.mjs"], app);
}

function run(command, args, cwd) {
  try {
    return execFileSync(command, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  } catch (error) {
    throw new Error(`${command} ${args.join(" ")} failed:\n${error.stdout ?? ""}${error.stderr ?? ""}`);
  }
}
