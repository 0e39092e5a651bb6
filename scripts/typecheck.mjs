// Type-checks every package: its tests, which take its sources in, or (where there are none yet) its sources alone.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../", import.meta.url));

for (const name of readdirSync(`${ROOT}packages`)) {
  const projects = [`packages/${name}`, `packages/${name}/test`];
  for (const project of projects.filter((path) => existsSync(`${ROOT}${path}/tsconfig.json`))) {
    console.log(`tsc -p ${project}`);
    const { status } = spawnSync(process.execPath, ["node_modules/typescript/bin/tsc", "-p", project, "--noEmit"], {
      cwd: ROOT,
      stdio: "inherit",
    });
    if (status !== 0) process.exitCode = 1;
  }
}
