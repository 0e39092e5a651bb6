import { beforeAll, describe, expect, test } from "vitest";
import { subjectHash } from "../src/index.js";
import { describeEachDatabase } from "./sqlreal/databases.js";
import { refusalOf } from "./sqlreal/refusals.js";
import { insertDerived, insertMemory, liveRows, tombstonesOf } from "./sqlreal/rows.js";
import type { Sql } from "./support/sql.js";

const HELD = "customer:held";
const FREE = "customer:free";

describeEachDatabase("a legal hold, for plain SQL,", (given) => {
  let tenantKey: string;
  let held: string;
  let shared: string;
  let free: string;
  let ofHeld: string;
  let ofBoth: string;

  beforeAll(async () => {
    tenantKey = given.freshTenant();
    held = await insertMemory(given.sql, { tenantKey, subjectKey: HELD });
    shared = await insertMemory(given.sql, { tenantKey, subjectKey: FREE, alsoAbout: HELD });
    free = await insertMemory(given.sql, { tenantKey, subjectKey: FREE });
    ofHeld = await insertDerived(given.sql, { tenantKey, memories: [held] });
    ofBoth = await insertDerived(given.sql, { tenantKey, memories: [free], derived: [ofHeld] });
    await placeHold(given.sql, tenantKey, HELD);
  });

  describe.each(["by the superuser", "with ordinary triggers off"])("%s,", (who) => {
    const attempt = (statement: string, id: string) =>
      given.session({}, async (sql) => {
        if (who === "with ordinary triggers off") await sql("set session_replication_role = replica");
        return refusalOf(sql(statement, [id]));
      });

    test.each([
      ["a memory of the held person", "memory", () => held],
      ["a memory that is also about the held person", "memory", () => shared],
      ["somebody else's memory, of which a summary with the held person was made", "memory", () => free],
      ["a summary of the held person", "derived", () => ofHeld],
      ["a summary of several people, the held one among them", "derived", () => ofBoth],
    ])("keeps a DELETE from taking %s", async (_what, table, id) => {
      const refusal = await attempt(`delete from demystify_memory.${table} where ${table}_id = $1`, id());

      expect(refusal.code).toBe("ME007");
      expect(await liveRows(given.sql, tenantKey)).toEqual({ memories: 3, derived: 2 });
      expect(await tombstonesOf(given.sql, tenantKey)).toEqual([]);
    });
  });

  test("that is over keeps nothing", async () => {
    const other = given.freshTenant();
    const memory = await insertMemory(given.sql, { tenantKey: other, subjectKey: HELD });
    await placeHold(given.sql, other, HELD, "2001-01-01");

    await given.sql("delete from demystify_memory.memory where memory_id = $1", [memory]);

    expect(await liveRows(given.sql, other)).toEqual({ memories: 0, derived: 0 });
  });

  test("that was released keeps nothing, and both rows of it stay", async () => {
    const other = given.freshTenant();
    const memory = await insertMemory(given.sql, { tenantKey: other, subjectKey: HELD });
    const hold = await placeHold(given.sql, other, HELD);
    await given.sql("select demystify_memory.release_hold($1, $2)", [other, hold]);

    await given.sql("delete from demystify_memory.memory where memory_id = $1", [memory]);

    expect(await liveRows(given.sql, other)).toEqual({ memories: 0, derived: 0 });
    const rows = await given.sql(
      "select releases is null as placed from demystify_memory.legal_hold where tenant_key = $1 order by at",
      [other],
    );
    expect(rows).toEqual([{ placed: true }, { placed: false }]);
  });

  test("keeps nothing of the same person in another tenant", async () => {
    const other = given.freshTenant();
    const memory = await insertMemory(given.sql, { tenantKey: other, subjectKey: HELD });

    await given.sql("delete from demystify_memory.memory where memory_id = $1", [memory]);

    expect(await liveRows(given.sql, other)).toEqual({ memories: 0, derived: 0 });
  });

  test("holds what is derived from the held person after it was placed", async () => {
    const other = given.freshTenant();
    const memory = await insertMemory(given.sql, { tenantKey: other, subjectKey: HELD });
    await placeHold(given.sql, other, HELD);
    const later = await insertDerived(given.sql, { tenantKey: other, memories: [memory] });

    const refusal = await refusalOf(given.sql("delete from demystify_memory.derived where derived_id = $1", [later]));

    expect(refusal.code).toBe("ME007");
  });
});

describeEachDatabase("a placement, for plain SQL,", (given) => {
  const place = async (tenantKey: string, memory: string) => {
    await given.sql(
      "insert into demystify_memory.sink (tenant_key, sink) values ($1, 'cache') on conflict do nothing",
      [tenantKey],
    );
    const [row] = await given.sql(
      `insert into demystify_memory.placement (tenant_key, sink, ref, kind, source_memories)
       values ($1, 'cache', 'answers/ramesh', 'answer', $2) returning placement_id`,
      [tenantKey, [memory]],
    );
    return String(row?.["placement_id"]);
  };

  test.each([
    ["be deleted", "delete from demystify_memory.placement where placement_id = $1"],
    ["lose its ref", "update demystify_memory.placement set ref = null where placement_id = $1"],
    ["be called gone", "update demystify_memory.placement set gone_at = now() where placement_id = $1"],
    [
      "be moved to other sources",
      "update demystify_memory.placement set source_memories = array[gen_random_uuid()] where placement_id = $1",
    ],
    [
      "be given to another tenant",
      "update demystify_memory.placement set tenant_key = 'another' where placement_id = $1",
    ],
  ])("cannot %s while its copy may exist: it is the only handle to it", async (_what, statement) => {
    const tenantKey = given.freshTenant();
    const placement = await place(tenantKey, await insertMemory(given.sql, { tenantKey }));

    const refusals = await given.session({}, async (sql) => {
      const asUsual = await refusalOf(sql(statement, [placement]));
      await sql("set session_replication_role = replica");
      return [asUsual, await refusalOf(sql(statement, [placement]))];
    });

    expect(refusals.map(({ code }) => code)).toEqual(["ME015", "ME015"]);
  });

  test("of a memory that a plain DELETE takes keeps the erasure open until the copy is confirmed gone", async () => {
    const tenantKey = given.freshTenant();
    const memory = await insertMemory(given.sql, { tenantKey });
    const summary = await insertDerived(given.sql, { tenantKey, memories: [memory] });
    const placement = await place(tenantKey, memory);
    await given.sql(
      `insert into demystify_memory.placement (tenant_key, sink, ref, kind, source_derived) values ($1, 'cache', 'weekly', 'answer', $2)`,
      [tenantKey, [summary]],
    );

    await given.sql("delete from demystify_memory.memory where memory_id = $1", [memory]);

    expect(await liveRows(given.sql, tenantKey)).toEqual({ memories: 0, derived: 0 });
    const [tombstone] = await tombstonesOf(given.sql, tenantKey);
    expect(tombstone).toMatchObject({ origin: "direct_delete", state: "in_progress", memories: 1, derived: 1 });
    const receipt = await given.memory().erasures.status({ tenantKey, tombstoneId: String(tombstone?.["id"]) });
    expect(receipt.counts.placements).toMatchObject({ total: 2, outstanding: 2 });
    expect(receipt.outstanding.map(({ placementId }) => placementId)).toContain(placement);
  });

  test("of a forgotten source is refused", async () => {
    const tenantKey = given.freshTenant();
    const memory = await insertMemory(given.sql, { tenantKey });
    await given.memory().forget({ tenantKey, subjectKey: "customer:ramesh" });

    const refusal = await refusalOf(place(tenantKey, memory));

    expect(refusal.code).toBe("ME003");
  });
});

describeEachDatabase("a restriction, for plain SQL,", (given) => {
  test("hides from the views and refuses derivation, and keeps the rows", async () => {
    const tenantKey = given.freshTenant();
    const memory = await insertMemory(given.sql, { tenantKey, subjectKey: HELD });
    await insertDerived(given.sql, { tenantKey, memories: [memory] });
    const [restriction] = await given.sql("select demystify_memory.restrict($1, $2, 'gdpr_18_1_a') as id", [
      tenantKey,
      JSON.stringify({ scope: "subject", subject: subjectOf(tenantKey, HELD) }),
    ]);
    const seen = () =>
      given.session({ role: given.appRole, tenantKey }, async (sql) => [
        (await sql("select * from demystify_memory.live_memory")).length,
        (await sql("select * from demystify_memory.provenance")).length,
      ]);

    expect(await seen()).toEqual([0, 0]);
    expect((await refusalOf(insertDerived(given.sql, { tenantKey, memories: [memory] }))).code).toBe("ME008");
    expect(await liveRows(given.sql, tenantKey)).toEqual({ memories: 1, derived: 1 });
    await given.sql("select demystify_memory.lift_restriction($1, $2)", [tenantKey, restriction?.["id"]]);
    expect(await seen()).toEqual([1, 1]);
  });
});

function subjectOf(tenantKey: string, subjectKey: string) {
  const hash = { hash: subjectHash({ tenantKey, subjectKey }), keyId: null };
  return { written: hash, known: [hash] };
}

async function placeHold(
  sql: Sql,
  tenantKey: string,
  subjectKey: string,
  until: string | null = null,
): Promise<string> {
  const [row] = await sql("select demystify_memory.place_hold($1, $2, 'litigation', $3) as id", [
    tenantKey,
    JSON.stringify(subjectOf(tenantKey, subjectKey).known),
    until,
  ]);
  return String(row?.["id"]);
}
