import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Memory, PgMemoryStore } from "../src/index.js";
import { aMemory, aSummaryOf } from "./support/builders.js";
import { FaultServer } from "./support/fault-server.js";
import { legTitle, requestedLegs } from "./support/legs.js";
import type { Row } from "./support/sql.js";
import { residueTable, scan, type Counts, type Measured } from "./support/residue.js";

const SUBJECT = "customer:ramesh";
const NOTHING: Counts = { heap: 0, TOAST: 0, index: 0, statistics: 0, WAL: 0, elsewhere: 0 };
// Enough to fill log segments of 16 MB until the ones that held the payload have been used again and overwritten.
const SEGMENTS = 12;
const ROUNDS = 20;
const OTHER_ROWS = 30;

if (requestedLegs().includes("postgres")) {
  describe(legTitle("the bytes that are left on disk after forget has answered", "postgres"), () => {
    let server: FaultServer;
    let client: pg.Client;
    beforeAll(async () => {
      server = await FaultServer.start({
        settings: {
          autovacuum: "off",
          full_page_writes: "on",
          wal_compression: "off",
          checkpoint_timeout: "1h",
          min_wal_size: "32MB",
          max_wal_size: "64MB",
        },
      });
      client = new pg.Client({ connectionString: server.cluster.url() });
      client.on("error", () => undefined);
      await client.connect();
      for (const table of ["memory", "derived"]) {
        await client.query(`alter table demystify_memory.${table} alter column text set storage external`);
      }
    });
    afterAll(async () => {
      await client.end();
      await server.remove();
    });

    const found = (needle: Buffer) =>
      scan(server.cluster, async (text, params = []) => (await client.query<Row>(text, [...params])).rows, needle);
    const checkpoint = () => client.query("checkpoint");

    test("are found by the harness wherever a row can leave them", async () => {
      const planted = Buffer.from(`planted${randomBytes(16).toString("hex")}`);
      await client.query("create table public.naive (text text, long text)");
      await client.query("alter table public.naive alter column long set storage external");
      await client.query("create index naive_text on public.naive (text)");
      await client.query(
        "insert into public.naive select $1::text, $1::text || repeat($2::text, 10) from generate_series(1, 20)",
        [planted.toString(), randomBytes(400).toString("hex")],
      );
      await client.query("analyze public.naive");
      await checkpoint();

      const stored = await found(planted);
      await client.query("delete from public.naive");
      await client.query("vacuum (index_cleanup on) public.naive");
      await client.query("analyze public.naive");
      await checkpoint();
      const left = await found(planted);

      expect(Object.entries(stored).filter(([place, count]) => place !== "elsewhere" && count === 0)).toEqual([]);
      // VACUUM and ANALYZE do not help: an ordinary table keeps what it said in its statistics, and in its log.
      expect(left.statistics).toBeGreaterThan(0);
      expect(left.WAL).toBeGreaterThan(0);
    });

    test(
      "are those that the documentation states, step by step, and none once files are rewritten and the log is used up",
      { timeout: 120_000 },
      async () => {
        const words = { short: aNeedle(), long: aNeedle(), metadata: aNeedle(), key: aNeedle() };
        const vector = Float32Array.from({ length: 8 }, () => Math.random());
        const embedding = [...vector];
        const needles = { ...words, vector: Buffer.from(vector.buffer) };
        const tenantKey = "residue";
        const memory = new Memory({ store: new PgMemoryStore(client) });
        const subjectKey = `customer:${words.key.toString()}`;
        // Other people's rows in between, so that pages are shared, as they are in life.
        const others = async () => {
          const long = aMemory({ tenantKey, subjectKey: `${SUBJECT}:long`, text: aLongText("somebody else's") });
          const short = Array.from({ length: OTHER_ROWS }, (_, n) =>
            aMemory({ tenantKey, subjectKey: `${SUBJECT}:${n}` }),
          );
          await memory.rememberMany([long, ...short]);
        };
        const said = { tenantKey, subjectKey, metadata: { note: words.metadata.toString() }, embedding };
        for (let round = 0; round < ROUNDS; round++) {
          await others();
          const first = await memory.remember({ ...said, text: words.short.toString() });
          await memory.remember({ ...said, text: aLongText(words.long.toString()) });
          await memory.derive({ ...aSummaryOf(first), text: words.short.toString() });
        }
        await others();
        await client.query("analyze");
        await checkpoint();

        const steps: Record<keyof typeof needles, Measured[]> = {
          short: [],
          long: [],
          metadata: [],
          key: [],
          vector: [],
        };
        const measure = async (step: string) => {
          for (const [what, needle] of Object.entries(needles)) {
            steps[what as keyof typeof needles].push({ step, found: await found(needle) });
          }
        };
        await measure("stored, analyzed, on disk");
        const receipt = await memory.forget({ tenantKey, subjectKey });
        expect(receipt).toMatchObject({ state: "complete", counts: { memories: 2 * ROUNDS, derived: ROUNDS } });
        await measure("forget has answered");
        await checkpoint();
        await measure("+ CHECKPOINT");
        await client.query("vacuum (index_cleanup on)");
        await client.query("analyze");
        await checkpoint();
        await measure("+ VACUUM, ANALYZE");
        for (const table of ["memory", "derived"]) await client.query(`vacuum full demystify_memory.${table}`);
        await checkpoint();
        await measure("+ VACUUM FULL");
        await useUpTheLog();
        await measure("+ log used again");

        const tables = Object.entries(steps).map(([what, measured]) => residueTable(TITLES[what] ?? what, measured));
        report(`PostgreSQL ${await version()}\n\n${tables.join("\n\n")}\n`);
        for (const [what, measured] of Object.entries(steps)) {
          const [stored, forgotten] = measured;
          // It was there to be found, in its table and in the log; the log has more of it after the erasure than before.
          expect([what, stored!.found.heap + stored!.found.TOAST > 0, stored!.found.WAL > 0]).toEqual([
            what,
            true,
            true,
          ]);
          expect([what, forgotten!.found.WAL >= stored!.found.WAL]).toEqual([what, true]);
          // Never in an index and never in the statistics, at no step; and in the end nowhere.
          expect([
            what,
            measured.map(({ found: { index, statistics, elsewhere } }) => index + statistics + elsewhere),
          ]).toEqual([what, measured.map(() => 0)]);
          expect([what, measured.at(-1)?.found]).toEqual([what, NOTHING]);
        }
        expect((await memory.listMemories({ tenantKey, limit: 1000 })).rows).toHaveLength(
          (ROUNDS + 1) * (OTHER_ROWS + 1),
        );
      },
    );

    /** Writes other things until every segment of the log has been recycled and written over. */
    const useUpTheLog = async () => {
      await client.query("create table public.other (text text)");
      for (let segment = 0; segment < SEGMENTS; segment++) {
        await client.query("insert into public.other select repeat('x', 1900) from generate_series(1, 9000)");
        await client.query("truncate public.other");
        await client.query("select pg_switch_wal()");
        await checkpoint();
      }
    };

    const version = async () =>
      String((await client.query<{ v: string }>("select current_setting('server_version') as v")).rows[0]?.v);
  });
}

const TITLES: Readonly<Record<string, string>> = {
  short: "a short text, and a summary that repeats it",
  long: "a long text (12 kB)",
  metadata: "a value in metadata",
  key: "a subject key",
  vector: "an embedding",
};

/** Random, so that no compression makes it shorter, and nothing else on the disk can look like it. */
function aNeedle(): Buffer {
  return Buffer.from([...randomBytes(24)].map((byte) => String.fromCharCode(97 + (byte % 26))).join(""));
}

/** Too long for a page of the table, and too random to be compressed. */
function aLongText(beginning: string): string {
  return `${beginning} ${randomBytes(6000).toString("hex")}`;
}

/** `RESIDUE_TABLE`: a file for the table; it is printed by `scripts/residue.mjs`. */
function report(table: string): void {
  const file = process.env["RESIDUE_TABLE"];
  if (file !== undefined && file !== "") writeFileSync(file, table);
}
