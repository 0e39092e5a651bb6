// Measures what is left on disk after an erasure, and prints the table that docs/concepts/residue.md quotes. Whatever
// TEST_POSTGRES_BIN names is measured; else the Postgres of the development dependency.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "residue-"));
const table = join(folder, "table.md");
const vitest = join(root, "node_modules", "vitest", "vitest.mjs");
const result = spawnSync(process.execPath, [vitest, "run", "packages/memory/test/residue.sqlreal.test.ts"], {
  cwd: root,
  env: { ...process.env, STORES: "postgres", RESIDUE_TABLE: table },
  stdio: ["ignore", "ignore", "inherit"],
});
try {
  if (result.status === 0) console.log(readFileSync(table, "utf8"));
  else console.error("The measurement failed: run the test itself to see why.");
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exitCode = result.status ?? 1;
