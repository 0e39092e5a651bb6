import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { entriesOf, entriesWithCanary, TALKATIVE } from "./support/fault-log.js";
import { requestedLegs } from "./support/legs.js";
import { startCluster } from "./support/native-postgres.js";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const WHOLE = process.env["LONG"] === "1" || process.env["LOG_CANARIES"] === "1";
const SAMPLE = ["erasure.test.ts", "rematerialised.test.ts", "write-gate.sqlreal.test.ts"];

// What a superuser's own statement is refused for is quoted by the server; see docs/concepts/residue.md.
const QUOTING = ["DETAIL", "CONTEXT"];

if (requestedLegs().includes("postgres")) {
  describe("the server's log of a whole run of the tests", () => {
    test(
      `holds no canary (${WHOLE ? "every test" : "a sample; LOG_CANARIES=1 runs every test"})`,
      { timeout: WHOLE ? 3_600_000 : 180_000 },
      async () => {
        const cluster = await startCluster({ settings: { ...TALKATIVE, max_connections: "200" } });
        try {
          const files = WHOLE ? [] : SAMPLE.map((file) => `packages/memory/test/${file}`);

          await runTests(files, cluster.url());

          const log = cluster.log();
          const byApplication = entriesOf(log).filter(({ role }) => role.startsWith("memory_app_"));
          expect(byApplication.length).toBeGreaterThan(100);
          const found = entriesWithCanary(log).filter(
            ({ role, label }) => !(role === "postgres" && QUOTING.includes(label)),
          );
          expect(found).toEqual([]);
        } finally {
          await cluster.remove();
        }
      },
    );
  });
}

/** Whether they pass is for another run to say: here it is about what they leave in the log. */
async function runTests(files: readonly string[], url: string): Promise<void> {
  const vitest = fileURLToPath(new URL("../../../node_modules/vitest/vitest.mjs", import.meta.url));
  const environment = { ...process.env, TEST_DATABASE_URL: url, STORES: "postgres", LONG: "", LOG_CANARIES: "" };
  delete (environment as NodeJS.ProcessEnv)["TEST_RESULTS"];
  const child = spawn(process.execPath, [vitest, "run", "--exclude", "**/logs-of-the-suite.test.ts", ...files], {
    cwd: ROOT,
    env: environment,
    stdio: "ignore",
  });
  await new Promise((resolve) => child.once("exit", resolve));
}
