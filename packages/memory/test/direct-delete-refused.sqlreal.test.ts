import { beforeAll, describe, expect, test } from "vitest";
import { configure, subjectHash } from "../src/index.js";
import { describeEachDatabase } from "./sqlreal/databases.js";
import { refusalOf } from "./sqlreal/refusals.js";
import { insertDerived, insertLineage, liveRows, tombstonesOf } from "./sqlreal/rows.js";
import type { Sql } from "./support/sql.js";

describeEachDatabase("where direct_delete is refuse", (given) => {
  beforeAll(async () => {
    await configure(
      { query: async (text, params) => ({ rows: await given.sql(text, params) }) },
      { directDelete: "refuse" },
    );
  });

  describe("destroys nothing without a tombstone that an earlier transaction committed:", () => {
    // $1 is the memory. Each attempt is one session of a superuser.
    const attempts: Readonly<Record<string, (sql: Sql, tenantKey: string, memory: string) => Promise<unknown>>> = {
      "a plain DELETE": (sql, _tenantKey, memory) => sql(DELETE, [memory]),
      "a DELETE of a derived row": (sql, _tenantKey, memory) =>
        sql("delete from demystify_memory.derived where source_memories @> array[$1::uuid]", [memory]),
      "a tombstone in the same transaction": async (sql, tenantKey, memory) => {
        await sql("begin");
        await insertTombstone(sql, tenantKey, memory);
        await sql(DELETE, [memory]);
        await sql("commit");
      },
      "a tombstone in a savepoint": async (sql, tenantKey, memory) => {
        await sql("begin");
        await sql("savepoint evidence");
        await insertTombstone(sql, tenantKey, memory);
        await sql("release savepoint evidence");
        await sql(DELETE, [memory]);
        await sql("commit");
      },
      "a tombstone in a writable CTE": (sql, tenantKey, memory) =>
        sql(
          `with opened as (
             insert into demystify_memory.tombstone (tenant_key, scope, subject_hash, reason, origin, matched)
             values ($1, 'memories', $2, 'operator', 'forget', true) returning tombstone_id
           ), covered as (
             insert into demystify_memory.tombstone_item (tenant_key, item_id, tombstone_id, kind)
             select $1, $3, tombstone_id, 'memory' from opened
           )
           delete from demystify_memory.memory where memory_id = $3`,
          [tenantKey, subjectHash({ tenantKey, subjectKey: "customer:ramesh" }), memory],
        ),
      "a tombstone whose transaction is forged": async (sql, tenantKey, memory) => {
        await sql("begin");
        await insertTombstone(sql, tenantKey, memory, { opened_xid: "'3'" });
        await sql(DELETE, [memory]);
        await sql("commit");
      },
      "a tombstone whose time is forged": async (sql, tenantKey, memory) => {
        await sql("begin");
        await insertTombstone(sql, tenantKey, memory, { opened_at: "'2001-01-01'" });
        await sql(DELETE, [memory]);
        await sql("commit");
      },
      "a tombstone whose origin is forged to be the database's own record": async (sql, tenantKey, memory) => {
        await sql("begin");
        await insertTombstone(sql, tenantKey, memory, { origin: "'direct_delete'" });
        await sql(DELETE, [memory]);
        await sql("commit");
      },
      "the step of the library that opens, and a DELETE, in one transaction": async (sql, tenantKey, memory) => {
        await sql("begin");
        await openErasure(sql, tenantKey);
        await sql(DELETE, [memory]);
        await sql("commit");
      },
      "MERGE … DELETE": (sql, _tenantKey, memory) =>
        sql(
          `merge into demystify_memory.memory m using (select $1::uuid as id) gone on m.memory_id = gone.id
             when matched then delete`,
          [memory],
        ),
      "DELETE … WHERE CURRENT OF": async (sql, _tenantKey, memory) => {
        await sql("begin");
        await sql(
          `declare gone cursor for select * from demystify_memory.memory where memory_id = '${memory}' for update`,
        );
        await sql("fetch gone");
        await sql("delete from demystify_memory.memory where current of gone");
        await sql("commit");
      },
      "session_replication_role = replica": async (sql, _tenantKey, memory) => {
        await sql("set session_replication_role = replica");
        await sql(DELETE, [memory]);
      },
      "the setting that destruction itself uses": async (sql, tenantKey, memory) => {
        const [other] = await tombstonesOf(sql, tenantKey);
        await sql("select set_config('demystify_memory.destroying', $1, false)", [other?.["id"] ?? SOME_ID]);
        await sql(DELETE, [memory]);
      },
      "the owner's role": async (sql, _tenantKey, memory) => {
        await sql("set role demystify_memory_engine");
        await sql(DELETE, [memory]);
      },
    };

    test.each(Object.keys(attempts))("%s", async (name) => {
      const tenantKey = given.freshTenant();
      const { memory } = await insertLineage(given.sql, { tenantKey });

      const refusal = await given.session({}, (sql) => refusalOf(attempts[name]!(sql, tenantKey, memory)));

      expect(refusal.code).toBe("ME005");
      expect(refusal.hint ?? "").not.toContain(memory);
      expect(await liveRows(given.sql, tenantKey)).toEqual({ memories: 1, derived: 2 });
      expect(await tombstonesOf(given.sql, tenantKey)).toEqual([]);
    });
  });

  test("says in the hint what to do instead", async () => {
    const tenantKey = given.freshTenant();
    const { memory } = await insertLineage(given.sql, { tenantKey });

    const refusal = await refusalOf(given.sql(DELETE, [memory]));

    expect(refusal).toMatchObject({
      message: "delete is refused: no tombstone committed earlier covers these rows",
      hint: "Call forget, or open an erasure and commit it first (direct_delete is refuse here).",
    });
  });

  test("after a committed open, a plain DELETE is accepted, cascades, and is counted for that erasure", async () => {
    const tenantKey = given.freshTenant();
    const { memory } = await insertLineage(given.sql, { tenantKey });
    const tombstone = await openErasure(given.sql, tenantKey);

    await given.sql(DELETE, [memory]);

    expect(await liveRows(given.sql, tenantKey)).toEqual({ memories: 0, derived: 0 });
    expect(await tombstonesOf(given.sql, tenantKey)).toMatchObject([
      { id: tombstone, origin: "forget", state: "in_progress", memories: 1, derived: 2, edges: 2 },
    ]);
    const receipt = await given.memory().erasures.resume({ tenantKey, tombstoneId: tombstone });
    expect(receipt).toMatchObject({ state: "complete", counts: { memories: 1, derived: 2, provenanceEdges: 2 } });
  });

  test("a committed open covers its own rows and no others", async () => {
    const tenantKey = given.freshTenant();
    const { memory } = await insertLineage(given.sql, { tenantKey, subjectKey: "customer:ramesh" });
    await insertLineage(given.sql, { tenantKey, subjectKey: "customer:priya" });
    await openErasure(given.sql, tenantKey);

    const refusal = await refusalOf(
      given.sql("delete from demystify_memory.memory where tenant_key = $1", [tenantKey]),
    );

    expect(refusal.code).toBe("ME005");
    expect(await liveRows(given.sql, tenantKey)).toEqual({ memories: 2, derived: 4 });
    await given.sql(DELETE, [memory]);
    expect(await liveRows(given.sql, tenantKey)).toEqual({ memories: 1, derived: 2 });
  });

  test("forget works as ever, a summary that others share included", async () => {
    const tenantKey = given.freshTenant();
    const { weekly } = await insertLineage(given.sql, { tenantKey, subjectKey: "customer:ramesh" });
    const { memory: priya } = await insertLineage(given.sql, { tenantKey, subjectKey: "customer:priya" });
    await insertDerived(given.sql, { tenantKey, memories: [priya], derived: [weekly] });

    const receipt = await given.memory().forget({ tenantKey, subjectKey: "customer:ramesh" });

    expect(receipt).toMatchObject({ state: "complete", counts: { memories: 1, derived: 3 } });
    expect(await liveRows(given.sql, tenantKey)).toEqual({ memories: 1, derived: 2 });
  });
});

const DELETE = "delete from demystify_memory.memory where memory_id = $1";
const SOME_ID = "018f3c2a-7b1d-7c4e-9a5f-6b7c8d9e0f1a";

/** A tombstone with an item for one memory, by plain INSERT; `stamp` gives further columns, as SQL. */
async function insertTombstone(
  sql: Sql,
  tenantKey: string,
  memory: string,
  stamp: Readonly<Record<string, string>> = {},
): Promise<void> {
  const { origin = "'forget'", ...others } = stamp;
  const columns = Object.keys(others).map((name) => `, ${name}`);
  const values = Object.values(others).map((value) => `, ${value}`);
  const [row] = await sql(
    `insert into demystify_memory.tombstone (tenant_key, scope, subject_hash, reason, origin, matched${columns.join("")})
     values ($1, 'memories', $2, 'operator', ${origin}, true${values.join("")}) returning tombstone_id`,
    [tenantKey, subjectHash({ tenantKey, subjectKey: "customer:ramesh" })],
  );
  await sql(
    "insert into demystify_memory.tombstone_item (tenant_key, item_id, tombstone_id, kind) values ($1, $2, $3, 'memory')",
    [tenantKey, memory, row?.["tombstone_id"]],
  );
}

/** Step 1 alone, for customer:ramesh. Answers the tombstone. */
async function openErasure(sql: Sql, tenantKey: string): Promise<string> {
  const hash = { hash: subjectHash({ tenantKey, subjectKey: "customer:ramesh" }), keyId: null };
  const [row] = await sql(`select demystify_memory.open_erasure($1, $2)::json ->> 'tombstoneId' as id`, [
    tenantKey,
    JSON.stringify({
      tombstoneId: crypto.randomUUID(),
      scope: "subject",
      subject: { written: hash, known: [hash] },
      memoryIds: null,
      reason: "subject_request",
      legalBasis: "unspecified",
      origin: "forget",
      requestedBy: { role: "unspecified", idHash: null },
      requestHash: null,
      previewToken: null,
    }),
  ]);
  return String(row?.["id"]);
}
