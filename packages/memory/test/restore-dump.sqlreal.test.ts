import { join } from "node:path";
import pg from "pg";
import { describe, test } from "vitest";
import { migrate } from "../src/index.js";
import { legTitle, requestedLegs } from "./support/legs.js";
import { startCluster } from "./support/native-postgres.js";
import { dumpBinaries, runProgram } from "./support/restore.js";
import { RestoreDrill } from "./support/restore-drill.js";

const NONE =
  "no pg_dump and pg_restore beside a server's binaries: install PostgreSQL 15 or later, or set TEST_POSTGRES_BIN to its bin folder";

if (requestedLegs().includes("postgres")) {
  describe(legTitle("a dump, taken before an erasure and restored after it,", "postgres"), () => {
    test.for(["custom", "tar"] as const)(
      "is detected, erased again, and then nothing more (pg_dump --format=%s)",
      { timeout: 120_000 },
      async (format, context) => {
        const bin = dumpBinaries();
        if (bin === undefined) {
          if (process.env["CI"] === "true") throw new Error(NONE);
          console.warn(`NOT RUN: ${NONE}`);
          return context.skip(NONE);
        }
        const cluster = await startCluster({ bin });
        try {
          const drill = new RestoreDrill();
          const file = join(cluster.root, "before.dump");

          await connected(cluster.url(), async (client) => {
            await migrate(client);
            await drill.store(client);
            runProgram(bin, "pg_dump", "--format", format, "--file", file, cluster.url());
            await drill.erase(client);
            await client.query("create database restored");
          });
          runProgram(bin, "pg_restore", "--exit-on-error", "--dbname", cluster.url("restored"), file);

          await connected(cluster.url("restored"), (client) => drill.recover(client));
        } finally {
          await cluster.remove();
        }
      },
    );
  });
}

async function connected(url: string, work: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => undefined);
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}
