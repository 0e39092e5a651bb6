import { describe, expect, test } from "vitest";
import { subjectHash } from "../src/index.js";
import { describeEachDatabase } from "./sqlreal/databases.js";
import { refusalOf } from "./sqlreal/refusals.js";
import { insertDerived, insertLineage, insertMemory, liveRows, tombstonesOf } from "./sqlreal/rows.js";
import { aCanary } from "./support/canary.js";

describeEachDatabase("a plain DELETE in SQL", (given) => {
  test("of a memory takes its summary and the summary of that summary, in rows the library never touched", async () => {
    const tenantKey = given.freshTenant();
    const canary = aCanary();
    const { memory } = await insertLineage(given.sql, { tenantKey, subjectKey: canary, text: `says ${canary}` });

    await given.sql("delete from demystify_memory.memory where tenant_key = $1 and memory_id = $2", [
      tenantKey,
      memory,
    ]);

    expect(await liveRows(given.sql, tenantKey)).toEqual({ memories: 0, derived: 0 });
    await given.expectNowhere(canary);
  });

  test("leaves a tombstone of its own, complete and with the counts that SQL shows", async () => {
    const tenantKey = given.freshTenant();
    const { memory } = await insertLineage(given.sql, { tenantKey });

    await given.sql("delete from demystify_memory.memory where memory_id = $1", [memory]);

    expect(await tombstonesOf(given.sql, tenantKey)).toMatchObject([
      {
        scope: "memories",
        origin: "direct_delete",
        reason: "operator",
        subject_hash: subjectHash({ tenantKey, subjectKey: "customer:ramesh" }),
        state: "complete",
        memories: 1,
        derived: 2,
        edges: 2,
        depth: 2,
      },
    ]);
  });

  test("leaves one tombstone for each tenant and person in the statement", async () => {
    const [first, second] = [given.freshTenant(), given.freshTenant()];
    for (const tenantKey of [first, second]) {
      await insertLineage(given.sql, { tenantKey, subjectKey: "customer:ramesh" });
      await insertMemory(given.sql, { tenantKey, subjectKey: "customer:ramesh" });
      await insertLineage(given.sql, { tenantKey, subjectKey: "customer:priya" });
    }

    await given.sql("delete from demystify_memory.memory where tenant_key in ($1, $2)", [first, second]);

    for (const tenantKey of [first, second]) {
      expect(await liveRows(given.sql, tenantKey)).toEqual({ memories: 0, derived: 0 });
      const counts = (await tombstonesOf(given.sql, tenantKey)).map((tombstone) => [
        tombstone["subject_hash"],
        tombstone["memories"],
        tombstone["derived"],
        tombstone["state"],
      ]);
      const expected = [
        [subjectHash({ tenantKey, subjectKey: "customer:priya" }), 1, 2, "complete"],
        [subjectHash({ tenantKey, subjectKey: "customer:ramesh" }), 2, 2, "complete"],
      ];
      expect(counts.sort()).toEqual(expected.sort());
    }
  });

  test("that takes a summary of two people counts it once", async () => {
    const tenantKey = given.freshTenant();
    const ramesh = await insertMemory(given.sql, { tenantKey, subjectKey: "customer:ramesh" });
    const priya = await insertMemory(given.sql, { tenantKey, subjectKey: "customer:priya" });
    await insertDerived(given.sql, { tenantKey, memories: [ramesh, priya] });

    await given.sql("delete from demystify_memory.memory where tenant_key = $1", [tenantKey]);

    const tombstones = await tombstonesOf(given.sql, tenantKey);
    expect(tombstones).toHaveLength(2);
    expect(sum(tombstones, "derived")).toBe(1);
    expect(sum(tombstones, "edges")).toBe(2);
  });

  test("of a row filed under several people leaves a tombstone for each, and counts the row once", async () => {
    const tenantKey = given.freshTenant();
    const ramesh = { tenantKey, subjectKey: "customer:ramesh" };
    const priya = { tenantKey, subjectKey: "customer:priya" };
    await insertMemory(given.sql, ramesh);
    await insertMemory(given.sql, { ...ramesh, alsoAbout: "customer:priya" });

    await given.sql("delete from demystify_memory.memory where tenant_key = $1", [tenantKey]);

    const tombstones = await tombstonesOf(given.sql, tenantKey);
    const found = tombstones.map((tombstone) => [tombstone["subject_hash"], tombstone["memories"], tombstone["state"]]);
    expect(found.sort()).toEqual(
      [
        [subjectHash(ramesh), 2, "complete"],
        [subjectHash(priya), 0, "complete"],
      ].sort(),
    );
    const history = await given.memory().erasureHistory(tenantKey, { subjectKey: "customer:priya" });
    expect(history).toMatchObject([{ origin: "direct_delete", scope: "memories", state: "complete" }]);
  });

  test("names as surviving sources only rows that are still there when the statement has ended", async () => {
    const tenantKey = given.freshTenant();
    const ramesh = await insertMemory(given.sql, { tenantKey, subjectKey: "customer:ramesh" });
    const priya = await insertMemory(given.sql, { tenantKey, subjectKey: "customer:priya" });
    const weekly = await insertDerived(given.sql, { tenantKey, memories: [ramesh] });
    const monthly = await insertDerived(given.sql, { tenantKey, derived: [weekly] });
    await insertDerived(given.sql, { tenantKey, memories: [priya], derived: [monthly], kind: "digest" });

    await given.sql("delete from demystify_memory.memory where tenant_key = $1", [tenantKey]);

    const { receipts } = await given.memory().erasures.list({ tenantKey });
    expect(receipts.flatMap(({ rebuildable }) => rebuildable)).toEqual([]);
  });

  test("is seen together with its tombstone or not at all, because they are one transaction", async () => {
    const tenantKey = given.freshTenant();
    const { memory } = await insertLineage(given.sql, { tenantKey });

    await given.session({}, async (sql) => {
      await sql("begin");
      await sql("delete from demystify_memory.memory where memory_id = $1", [memory]);
      await sql("rollback");
    });

    expect(await liveRows(given.sql, tenantKey)).toEqual({ memories: 1, derived: 2 });
    expect(await tombstonesOf(given.sql, tenantKey)).toEqual([]);
  });

  test("of a derived row is recorded too, without a person, and takes what was derived from it", async () => {
    const tenantKey = given.freshTenant();
    const { weekly } = await insertLineage(given.sql, { tenantKey });

    await given.sql("delete from demystify_memory.derived where derived_id = $1", [weekly]);

    expect(await liveRows(given.sql, tenantKey)).toEqual({ memories: 1, derived: 0 });
    expect(await tombstonesOf(given.sql, tenantKey)).toMatchObject([
      {
        scope: "derived",
        origin: "direct_delete",
        subject_hash: null,
        state: "complete",
        memories: 0,
        derived: 2,
        edges: 2,
      },
    ]);
  });

  test("is filed under the reason that the session names, if it is one of the codes", async () => {
    const tenantKey = given.freshTenant();
    for (const reason of ["retention_policy", "because Ramesh asked"]) {
      const memory = await insertMemory(given.sql, { tenantKey });
      await given.session({}, async (sql) => {
        await sql("select set_config('demystify_memory.reason', $1, false)", [reason]);
        await sql("delete from demystify_memory.memory where memory_id = $1", [memory]);
      });
    }

    const reasons = (await tombstonesOf(given.sql, tenantKey)).map(({ reason }) => reason);
    expect(reasons).toEqual(["retention_policy", "operator"]);
  });

  test("is recorded as ever where the session has set what destruction itself uses: a setting is no authority", async () => {
    const tenantKey = given.freshTenant();
    const { memory } = await insertLineage(given.sql, { tenantKey });

    await given.session({}, async (sql) => {
      await sql("select set_config('demystify_memory.destroying', $1, false)", [memory]);
      await sql("delete from demystify_memory.memory where memory_id = $1", [memory]);
    });

    expect(await tombstonesOf(given.sql, tenantKey)).toMatchObject([
      { origin: "direct_delete", state: "complete", memories: 1, derived: 2 },
    ]);
  });

  test("ends also where somebody forced a cycle into the provenance", async () => {
    const tenantKey = given.freshTenant();
    const { memory, weekly, monthly } = await insertLineage(given.sql, { tenantKey });
    await given.session({}, async (sql) => {
      await sql("begin");
      const rules = ["derived_is_never_rewritten", "derived_payload_is_immutable"];
      for (const rule of rules) await sql(`alter table demystify_memory.derived disable trigger ${rule}`);
      await sql("update demystify_memory.derived set source_derived = $2 where derived_id = $1", [weekly, [monthly]]);
      for (const rule of rules) await sql(`alter table demystify_memory.derived enable always trigger ${rule}`);
      await sql("commit");
    });

    await given.sql("delete from demystify_memory.memory where memory_id = $1", [memory]);

    expect(await liveRows(given.sql, tenantKey)).toEqual({ memories: 0, derived: 0 });
    expect(await tombstonesOf(given.sql, tenantKey)).toMatchObject([{ memories: 1, derived: 2, edges: 3 }]);
  });

  test("frees the idempotency key of what it deletes", async () => {
    const tenantKey = given.freshTenant();
    const memory = given.memory();
    const input = { tenantKey, subjectKey: "customer:ramesh", text: "first", idempotencyKey: "contact 1" };
    const first = await memory.remember(input);

    await given.sql("delete from demystify_memory.memory where memory_id = $1", [first.memory.memoryId]);

    const again = await memory.remember({ ...input, text: "second" });
    expect(again.memory).toMatchObject({ text: "second" });
  });

  test.each(["repeatable read", "serializable"])("is refused at %s, where it would miss a writer", async (level) => {
    const tenantKey = given.freshTenant();
    const { memory } = await insertLineage(given.sql, { tenantKey });

    const refusal = await given.session({}, async (sql) => {
      await sql(`begin isolation level ${level}`);
      return refusalOf(sql("delete from demystify_memory.memory where memory_id = $1", [memory]));
    });

    expect(refusal.code).toBe("ME011");
    expect(await liveRows(given.sql, tenantKey)).toEqual({ memories: 1, derived: 2 });
  });

  test("cascades also for a superuser who switches ordinary triggers off for the session", async () => {
    const tenantKey = given.freshTenant();
    const { memory } = await insertLineage(given.sql, { tenantKey });

    await given.session({}, async (sql) => {
      await sql("set session_replication_role = replica");
      await sql("delete from demystify_memory.memory where memory_id = $1", [memory]);
    });

    expect(await liveRows(given.sql, tenantKey)).toEqual({ memories: 0, derived: 0 });
    expect(await tombstonesOf(given.sql, tenantKey)).toMatchObject([{ memories: 1, derived: 2, state: "complete" }]);
  });

  describe("by a role that may DELETE and nothing else", () => {
    const asJob = async (tenantKey: string | undefined, statement: string) => {
      const role = await given.createRole();
      await given.sql(`grant usage on schema demystify_memory to ${role}`);
      await given.sql(`grant delete on demystify_memory.memory to ${role}`);
      await given.session({ role, ...(tenantKey === undefined ? {} : { tenantKey }) }, (sql) => sql(statement));
    };

    test("deletes nothing where no tenant is set", async () => {
      const tenantKey = given.freshTenant();
      await insertLineage(given.sql, { tenantKey });

      await asJob(undefined, "delete from demystify_memory.memory");

      expect(await liveRows(given.sql, tenantKey)).toEqual({ memories: 1, derived: 2 });
      expect(await tombstonesOf(given.sql, tenantKey)).toEqual([]);
    });

    test("deletes in its own tenant alone, with the cascade and the evidence that it may not touch itself", async () => {
      const [own, other] = [given.freshTenant(), given.freshTenant()];
      await insertLineage(given.sql, { tenantKey: own });
      await insertLineage(given.sql, { tenantKey: other });

      await asJob(own, "delete from demystify_memory.memory");

      expect(await liveRows(given.sql, own)).toEqual({ memories: 0, derived: 0 });
      expect(await liveRows(given.sql, other)).toEqual({ memories: 1, derived: 2 });
      expect(await tombstonesOf(given.sql, own)).toMatchObject([{ memories: 1, derived: 2, state: "complete" }]);
    });
  });
});

function sum(rows: readonly Readonly<Record<string, unknown>>[], column: string): number {
  return rows.reduce((total, row) => total + Number(row[column]), 0);
}
