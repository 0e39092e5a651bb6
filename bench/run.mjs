// Runs the benchmark's TypeScript without a build of its own; the product it measures is the built one.
import { fileURLToPath } from "node:url";
import { runnerImport } from "vite";

const root = fileURLToPath(new URL("../", import.meta.url));
const { module } = await runnerImport(fileURLToPath(new URL("src/main.ts", import.meta.url)), {
  root,
  configFile: false,
  logLevel: "error",
});
try {
  if (!(await module.main(process.argv.slice(2)))) process.exitCode = 1;
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
