import { join } from "node:path";
import pg from "pg";
import { describe, expect, test } from "vitest";
import { migrate } from "../src/index.js";
import { guardedFolder } from "./support/guarded-folder.js";
import { legTitle, requestedLegs } from "./support/legs.js";
import { startCluster } from "./support/native-postgres.js";
import type { Cluster } from "./support/native-postgres.js";
import { archivingSettings, restoreTo, serverFolder, takeBaseBackup } from "./support/restore.js";
import { RestoreDrill } from "./support/restore-drill.js";

if (requestedLegs().includes("postgres")) {
  describe(legTitle("a base backup with its log, taken before an erasure and restored after it,", "postgres"), () => {
    test("is detected, erased again, and then nothing more", { timeout: 120_000 }, async () => {
      const folder = guardedFolder();
      const closing: (() => unknown)[] = [() => folder.remove()];
      try {
        // The server's own user reads and writes in it.
        serverFolder(folder.path);
        const archive = serverFolder(join(folder.path, "archive"));
        const backup = join(folder.path, "backup");
        const original = await startCluster({ settings: archivingSettings(archive) });
        closing.unshift(() => original.remove());
        const drill = new RestoreDrill();

        await connected(original, async (client) => {
          await migrate(client);
          await takeBaseBackup(original, client, backup);
          // After the copy of the files: it comes back from the log alone.
          await drill.store(client);
          await client.query("select pg_create_restore_point('before')");
          await drill.erase(client);
          await client.query("select pg_switch_wal()");
        });
        await original.stop();
        const restored = await restoreTo("before", { backup, archive, like: original });
        closing.unshift(() => restored.remove());

        await connected(restored, async (client) => {
          await untilPromoted(client);
          await drill.recover(client);
        });
      } finally {
        for (const close of closing) await close();
      }
    });
  });
}

async function connected(cluster: Cluster, work: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: cluster.url() });
  client.on("error", () => undefined);
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}

/** The server answers before it has come to the named point; it writes once it is past it. */
async function untilPromoted(client: pg.Client): Promise<void> {
  await expect
    .poll(async () => (await client.query<{ on: boolean }>("select pg_is_in_recovery() as on")).rows[0]?.on, {
      timeout: 30_000,
      interval: 20,
    })
    .toBe(false);
}
