// Type-checks every package, its tests, the examples and the benchmark.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../", import.meta.url));

const packages = readdirSync(`${ROOT}packages`).flatMap((name) => [`packages/${name}`, `packages/${name}/test`]);
const projects = [...packages, "examples", "bench"].filter((path) => existsSync(`${ROOT}${path}/tsconfig.json`));

for (const project of projects) {
  console.log(`tsc -p ${project}`);
  const { status } = spawnSync(process.execPath, ["node_modules/typescript/bin/tsc", "-p", project, "--noEmit"], {
    cwd: ROOT,
    stdio: "inherit",
  });
  if (status !== 0) process.exitCode = 1;
}
