// What a row takes on disk; like run.mjs, without a build of its own.
import { fileURLToPath } from "node:url";
import { runnerImport } from "vite";

const { module } = await runnerImport(fileURLToPath(new URL("src/sizing.ts", import.meta.url)), {
  root: fileURLToPath(new URL("../", import.meta.url)),
  configFile: false,
  logLevel: "error",
});
await module.main();
