import { PGlite } from "@electric-sql/pglite";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { InvalidInputError, Memory, PgMemoryStore, migrate, plan, verifyInstall } from "../src/index.js";
import { refusalOf } from "./sqlreal/refusals.js";
import { insertLineage, liveRows } from "./sqlreal/rows.js";
import { legTitle, requestedLegs } from "./support/legs.js";
import { startCluster } from "./support/native-postgres.js";
import type { Row, Sql } from "./support/sql.js";

const PARTITIONS = 4;
const SUBJECT = { subjectKey: "customer:ramesh" };
const TENANTS = Array.from({ length: 12 }, (_, index) => `tenant-${index}`);

interface Opened {
  readonly db: pg.Client | PGlite;
  readonly close: () => Promise<void>;
}

async function openNative(): Promise<Opened> {
  const cluster = await startCluster();
  const client = new pg.Client({ connectionString: cluster.url() });
  await client.connect();
  return {
    db: client,
    close: async () => {
      await client.end();
      await cluster.remove();
    },
  };
}

async function openPglite(): Promise<Opened> {
  const db = await PGlite.create();
  return { db, close: () => db.close() };
}

const OPEN = { pglite: openPglite, postgres: openNative };

for (const leg of ["pglite", "postgres"] as const) {
  if (!requestedLegs().includes(leg)) continue;
  describe(legTitle("an installation partitioned by tenant", leg), () => {
    let opened: Opened;
    let memory: Memory;
    const sql: Sql = async (text, params = []) => (await (opened.db as pg.Client).query<Row>(text, [...params])).rows;
    beforeAll(async () => {
      opened = await OPEN[leg]();
      await migrate(opened.db, { partitions: PARTITIONS });
      memory = new Memory({ store: new PgMemoryStore(opened.db) });
    });
    afterAll(() => opened.close());
    const notOk = async () =>
      (await verifyInstall(opened.db)).filter(({ ok }) => !ok).map(({ checkName }) => checkName);

    test("passes every check, and has as many partitions as asked for", async () => {
      const [count] = await sql(
        "select count(*)::int as n from pg_inherits where inhparent = 'demystify_memory.memory'::regclass",
      );

      expect(count).toEqual({ n: PARTITIONS });
      expect(await notOk()).toEqual([]);
    });

    test("erases a person with all that was derived, and nothing of the tenants in other partitions", async () => {
      for (const tenantKey of TENANTS) await insertLineage(sql, { tenantKey });
      const spread = await sql("select distinct tableoid from demystify_memory.memory");

      const receipts = [];
      for (const tenantKey of TENANTS.slice(0, 6)) receipts.push(await memory.forget({ ...SUBJECT, tenantKey }));

      expect(spread.length).toBeGreaterThan(1);
      for (const receipt of receipts) {
        expect(receipt).toMatchObject({ state: "complete", counts: { memories: 1, derived: 2, provenanceEdges: 2 } });
      }
      const left = [];
      for (const tenantKey of TENANTS) left.push(await liveRows(sql, tenantKey));
      expect(left).toEqual(TENANTS.map((_, index) => (index < 6 ? NOTHING : { memories: 1, derived: 2 })));
    });

    test.each([
      ["insert", (name: string) => `insert into demystify_memory.${name} default values`],
      ["update", (name: string) => `update demystify_memory.${name} set embedding = null`],
      ["delete", (name: string) => `delete from demystify_memory.${name}`],
      ["truncate", (name: string) => `truncate demystify_memory.${name}`],
    ])("refuses an %s that names a partition, whoever asks", async (_, statement) => {
      for (const table of ["memory", "derived"]) {
        for (let n = 0; n < PARTITIONS; n++) {
          expect(await refusalOf(sql(statement(`${table}_${n}`)))).toMatchObject({ code: "ME015" });
        }
      }
    });

    test("keeps texts, sources and identity as they are in every partition", async () => {
      for (const tenantKey of TENANTS) await insertLineage(sql, { tenantKey });

      for (const tenantKey of TENANTS) {
        for (const table of ["memory", "derived"]) {
          const change = `update demystify_memory.${table} set text = 'another' where tenant_key = $1`;
          expect(await refusalOf(sql(change, [tenantKey]))).toMatchObject({ code: "ME015" });
        }
      }
    });

    test("reads the partition of the tenant alone", async () => {
      const rows = await sql("explain select from demystify_memory.memory where tenant_key = 'tenant-1'");

      const plan = rows.map((row) => String(row["QUERY PLAN"])).join("\n");
      expect(new Set(plan.match(/memory_\d/g))).toHaveProperty("size", 1);
    });

    test.each([
      [
        "lets statements name it",
        "drop trigger memory_2_is_not_named on demystify_memory.memory_2",
        "partitions_are_not_named",
      ],
      [
        "is taken away",
        "alter table demystify_memory.derived detach partition demystify_memory.derived_1",
        "partitions_are_not_named",
      ],
      [
        "has statistics of texts",
        "alter table demystify_memory.memory_0 alter column text set statistics 100",
        "payload_has_no_statistics",
      ],
      [
        "skips a trigger",
        "alter table demystify_memory.memory_3 disable trigger memory_payload_is_immutable",
        "triggers_fire_always",
      ],
      [
        "shows its rows to its owner",
        "alter table demystify_memory.derived_0 no force row level security",
        "row_security_is_forced",
      ],
    ])("a partition that %s is found by exactly that check", async (_, sabotage, check) => {
      await sql("begin");
      try {
        await sql(sabotage);
        expect(await notOk()).toEqual([check]);
      } finally {
        await sql("rollback");
      }
    });

    test("is changed by no second migration, and cannot be asked for in another number of partitions", async () => {
      expect(await migrate(opened.db, { partitions: PARTITIONS })).toMatchObject({ applied: [] });
      const { sql: again } = await plan(opened.db);
      expect(again).toBe("");

      await expect(migrate(opened.db, { partitions: 8 })).rejects.toMatchObject({
        code: "ERR_INSTALL",
        message: expect.stringContaining(`in ${PARTITIONS} partitions`) as string,
      });
      for (const partitions of [0, 1, 257, 2.5, "4"]) {
        const asked = migrate(opened.db, { partitions: partitions as number });
        await expect(asked).rejects.toBeInstanceOf(InvalidInputError);
      }
    });
  });
}

const NOTHING = { memories: 0, derived: 0 };
