import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Memory, PgMemoryStore, migrate } from "../src/index.js";
import { sqlOf } from "./sqlreal/databases.js";
import { insertLineage, insertMemory, liveRows, tombstonesOf } from "./sqlreal/rows.js";
import { startAgain } from "./support/fault-server.js";
import { legTitle, requestedLegs } from "./support/legs.js";
import { startCluster } from "./support/native-postgres.js";
import type { Cluster } from "./support/native-postgres.js";

const SUBJECT = { subjectKey: "customer:ramesh" };
const LONG = process.env["LONG"] === "1";
// As many memories, and a summary of each: 100,000 rows in the long run.
const ROWS = LONG ? 50_000 : 1500;
const CHUNK = LONG ? 1000 : 10;

if (requestedLegs().includes("postgres")) {
  describe(legTitle("a server that is killed", "postgres"), () => {
    let cluster: Cluster;

    // Nothing is written to disk unless a transaction insists: what the host's default may be.
    beforeAll(async () => {
      const quiet = { wal_level: "minimal", max_wal_senders: "0", autovacuum: "off" };
      cluster = await startCluster({ settings: { ...quiet, synchronous_commit: "off", wal_writer_delay: "10s" } });
      await connected(async (client) => {
        await migrate(client);
      });
    });
    afterAll(() => cluster.remove());

    const connected = async <T>(work: (client: pg.Client) => Promise<T>): Promise<T> => {
      const client = new pg.Client({ connectionString: cluster.url() });
      client.on("error", () => undefined);
      await client.connect();
      try {
        return await work(client);
      } finally {
        await client.end().catch(() => undefined);
      }
    };
    const crash = async () => {
      await cluster.kill();
      await startAgain(cluster);
    };

    test("after open has answered still has the tombstone, although the host commits asynchronously", async () => {
      const tenantKey = "after-open";
      await connected((client) => insertLineage(sqlOf(client), { tenantKey }));
      await connected((client) => client.query("checkpoint"));
      const receipt = await connected(async (client) => {
        const opened = await on(client).erasures.open({ ...SUBJECT, tenantKey });
        // The control: this commit is acknowledged and lost.
        await insertMemory(sqlOf(client), { tenantKey, subjectKey: "customer:priya" });
        await cluster.kill();
        return opened;
      });
      await startAgain(cluster);

      await connected(async (client) => {
        const { tombstoneId } = receipt;
        expect(await liveRows(sqlOf(client), tenantKey)).toEqual({ memories: 1, derived: 2 });
        expect(await on(client).erasures.status({ tenantKey, tombstoneId })).toEqual(receipt);
        expect((await on(client).listMemories({ tenantKey })).rows).toEqual([]);
        expect(await on(client).erasures.resume({ tenantKey, tombstoneId })).toMatchObject({ state: "complete" });
      });
    });

    test("after forget has answered keeps everything gone and the receipt as it was", async () => {
      const tenantKey = "after-forget";
      await connected((client) => insertLineage(sqlOf(client), { tenantKey }));
      await connected((client) => client.query("checkpoint"));
      const receipt = await connected(async (client) => {
        const forgotten = await on(client).forget({ ...SUBJECT, tenantKey });
        await cluster.kill();
        return forgotten;
      });
      await startAgain(cluster);

      await connected(async (client) => {
        expect(receipt).toMatchObject({ state: "complete", counts: { memories: 1, derived: 2 } });
        expect(await on(client).erasures.status({ tenantKey, tombstoneId: receipt.tombstoneId })).toEqual(receipt);
        expect(await liveRows(sqlOf(client), tenantKey)).toEqual({ memories: 0, derived: 0 });
      });
    });

    test("with synchronous_commit off still has the tombstone on disk before anybody is told of it, and so has every step", async () => {
      const tenantKey = "flushed";
      await connected((client) => insertLineage(sqlOf(client), { tenantKey }));

      await connected(async (client) => {
        const memory = on(client);
        // The control: a commit of the host's own is acknowledged before it is on disk.
        expect(
          await commitsAreFlushed(client, () =>
            insertMemory(sqlOf(client), { tenantKey, subjectKey: "customer:priya" }),
          ),
        ).toBe(false);
        let tombstoneId = "";
        const opened = await commitsAreFlushed(client, async () => {
          ({ tombstoneId } = await memory.erasures.open({ ...SUBJECT, tenantKey }));
        });
        expect(opened).toBe(true);
        const store = new PgMemoryStore(client);
        for (const step of ["destroyed", "completed"]) {
          expect([
            step,
            await commitsAreFlushed(client, () => store.advanceErasure(tenantKey, tombstoneId, 1000)),
          ]).toEqual([step, true]);
        }
        // The setting was the transaction's: the host's own is as it was.
        expect((await client.query("show synchronous_commit")).rows).toEqual([{ synchronous_commit: "off" }]);
      });
    });

    test(
      `in the middle of a destruction of ${ROWS * 2} rows in chunks, again and again, hides all of it, and another process finishes it with true counts`,
      { timeout: LONG ? 1_200_000 : 60_000 },
      async () => {
        const tenantKey = "in-chunks";
        const tombstoneId = await connected(async (client) => {
          await insertMany(client, tenantKey);
          return (await on(client).erasures.open({ ...SUBJECT, tenantKey })).tombstoneId;
        });

        for (const share of [0.02, 0.4, 0.8]) {
          await connected(async (client) => {
            const destroying = on(client)
              .erasures.resume({ tenantKey, tombstoneId })
              .catch(() => "killed");
            await untilDestroyed(tenantKey, 2 * ROWS * share);
            await cluster.kill();
            expect(await destroying).toBe("killed");
          });
          await startAgain(cluster);

          await connected(async (client) => {
            const [tombstone] = await tombstonesOf(sqlOf(client), tenantKey);
            const left = await liveRows(sqlOf(client), tenantKey);
            expect(left.memories + left.derived).toBeGreaterThan(0);
            expect(left.memories + Number(tombstone?.["memories"])).toBe(ROWS);
            expect(left.derived + Number(tombstone?.["derived"])).toBe(ROWS);
            const between = await on(client).erasures.status({ tenantKey, tombstoneId });
            expect(between).toMatchObject({ state: "in_progress", counts: { memories: ROWS, derived: ROWS } });
            expect(between.destroyedAt).toBeUndefined();
            expect((await on(client).listMemories({ tenantKey, limit: 1 })).rows).toEqual([]);
            expect((await on(client).listDerived({ tenantKey, limit: 1 })).rows).toEqual([]);
          });
        }

        await connected(async (client) => {
          const receipt = await on(client).erasures.resume({ tenantKey, tombstoneId });

          expect(receipt).toMatchObject({
            state: "complete",
            counts: { memories: ROWS, derived: ROWS, provenanceEdges: ROWS },
          });
          expect(await liveRows(sqlOf(client), tenantKey)).toEqual({ memories: 0, derived: 0 });
        });
      },
    );

    /** Watches from another connection until so many rows are gone, each chunk committed. */
    const untilDestroyed = (tenantKey: string, rows: number) =>
      connected(async (watcher) => {
        for (;;) {
          const [tombstone] = await tombstonesOf(sqlOf(watcher), tenantKey);
          if (Number(tombstone?.["memories"]) + Number(tombstone?.["derived"]) >= rows) return;
        }
      });

    test.each(["open", "destroyed", "complete"])("right after the step %s comes to the same end", async (step) => {
      const tenantKey = `after-${step}`;
      const tombstoneId = await connected(async (client) => {
        await insertLineage(sqlOf(client), { tenantKey });
        const opened = await on(client).erasures.open({ ...SUBJECT, tenantKey });
        const store = new PgMemoryStore(client);
        if (step !== "open") await store.advanceErasure(tenantKey, opened.tombstoneId, 1000);
        if (step === "complete") await store.advanceErasure(tenantKey, opened.tombstoneId, 1000);
        return opened.tombstoneId;
      });
      await crash();

      const receipt = await connected((client) => on(client).forget({ ...SUBJECT, tenantKey }));

      expect(receipt).toMatchObject({ state: "complete", matched: step !== "complete" });
      await connected(async (client) => {
        const first = await on(client).erasures.status({ tenantKey, tombstoneId });
        expect(first).toMatchObject({ state: "complete", counts: { memories: 1, derived: 2, provenanceEdges: 2 } });
        expect(await liveRows(sqlOf(client), tenantKey)).toEqual({ memories: 0, derived: 0 });
      });
    });
  });
}

function on(client: pg.Client): Memory {
  return new Memory({ store: new PgMemoryStore(client), destroyChunkRows: CHUNK });
}

/** Whether what `work` commits is on disk by the time it has been answered. */
async function commitsAreFlushed(client: pg.Client, work: () => Promise<unknown>): Promise<boolean | undefined> {
  const { rows: before } = await client.query<{ lsn: string }>("select pg_current_wal_insert_lsn()::text as lsn");
  await work();
  const { rows } = await client.query<{ wrote: boolean; flushed: boolean }>(
    `select pg_current_wal_insert_lsn() > $1::text::pg_lsn as wrote,
            pg_current_wal_flush_lsn() >= pg_current_wal_insert_lsn() as flushed`,
    [before[0]!.lsn],
  );
  return rows[0]!.wrote ? rows[0]!.flushed : undefined;
}

/** As many memories of one person as `ROWS`, and a summary of each. */
async function insertMany(client: pg.Client, tenantKey: string): Promise<void> {
  const first = await insertMemory(sqlOf(client), { tenantKey });
  await client.query(
    `insert into demystify_memory.memory (tenant_key, subject_hash, text)
     select m.tenant_key, m.subject_hash, m.text from demystify_memory.memory m, generate_series(2, $2::int)
      where m.memory_id = $1`,
    [first, ROWS],
  );
  await client.query(
    `insert into demystify_memory.derived (tenant_key, kind, text, source_memories)
     select tenant_key, 'summary', text, array[memory_id] from demystify_memory.memory where tenant_key = $1`,
    [tenantKey],
  );
}
