import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { LegReporter } from "./packages/memory/test/support/leg-reporter.js";

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));
const results = process.env["TEST_RESULTS"];

export default defineConfig({
  resolve: {
    // package.json maps #digest to the build; tests run on the source.
    alias: { "#digest": path("packages/memory/src/hash/digest-node.ts") },
  },
  test: {
    include: ["packages/*/test/**/*.test.ts"],
    globalSetup: [path("packages/memory/test/support/global-setup.ts")],
    // TEST_RESULTS: a file that gets the results as JSON, for whoever has to add them up.
    reporters: ["default", new LegReporter(), ...(results === undefined ? [] : ["json"])],
    outputFile: { json: results ?? "" },
    pool: "forks",
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    coverage: {
      provider: "v8",
      include: ["packages/memory/src/**/*.ts"],
      exclude: ["**/*.generated.ts"],
      reporter: ["text-summary", "json-summary"],
      thresholds: { statements: 97, branches: 92 },
    },
  },
});
