import { expect, test } from "vitest";
import { describeEachDatabase } from "./sqlreal/databases.js";
import type { GivenDatabase } from "./sqlreal/databases.js";
import { insertDerived, insertMemory, liveRows } from "./sqlreal/rows.js";
import { UNKNOWN_ID } from "./support/builders.js";

const SUBJECT = { subjectKey: "customer:ramesh" };

describeEachDatabase("reconcile, where somebody went round the rules in SQL,", (given) => {
  test("reports a forgotten row that lives again, and erases it again", async () => {
    const { tenantKey, memory } = await forgotten(given);
    await withoutTriggers(given, "memory", () => reinsert(given, tenantKey, memory.memoryId));

    const found = await reconcile(given, tenantKey);
    const repaired = await given.memory().erasures.reconcile({ tenantKey, repair: true });

    expect(found).toMatchObject({
      verdict: "residue",
      findings: [
        { code: "forgotten_but_live", kind: "memory", id: memory.memoryId, tombstoneId: memory.receipt.tombstoneId },
      ],
    });
    expect(repaired).toMatchObject({ verdict: "residue", repaired: 1 });
    expect(await reconcile(given, tenantKey)).toMatchObject({ verdict: "clean", findings: [] });
    expect(await liveRows(given.sql, tenantKey)).toEqual({ memories: 0, derived: 0 });
  });

  test("reports a derived row whose source never was, and erases it", async () => {
    const tenantKey = given.freshTenant();
    const id = await withoutTriggers(given, "derived", () =>
      insertDerived(given.sql, { tenantKey, memories: [UNKNOWN_ID] }),
    );

    const found = await reconcile(given, tenantKey);
    await given.memory().erasures.reconcile({ tenantKey, repair: true });

    expect(found).toMatchObject({ verdict: "residue", findings: [{ code: "source_missing", kind: "derived", id }] });
    expect(await reconcile(given, tenantKey)).toMatchObject({ verdict: "clean" });
    expect(await liveRows(given.sql, tenantKey)).toEqual({ memories: 0, derived: 0 });
  });

  test("reports a derived row whose source was forgotten, under the tombstone that covers the source", async () => {
    const { tenantKey, memory } = await forgotten(given);
    const id = await withoutTriggers(given, "derived", () =>
      insertDerived(given.sql, { tenantKey, memories: [memory.memoryId] }),
    );

    const found = await reconcile(given, tenantKey);
    await given.memory().erasures.reconcile({ tenantKey, repair: true });

    expect(found.findings).toContainEqual({
      code: "source_forgotten",
      kind: "derived",
      id,
      tombstoneId: memory.receipt.tombstoneId,
    });
    expect(await reconcile(given, tenantKey)).toMatchObject({ verdict: "clean" });
  });

  test("reports a copy whose source is gone without an erasure that waits for it, and opens one", async () => {
    const tenantKey = given.freshTenant();
    await given.sql("insert into demystify_memory.sink (tenant_key, sink) values ($1, 'cache')", [tenantKey]);
    const id = await withoutTriggers(given, "placement", async () => {
      const [row] = await given.sql(
        `insert into demystify_memory.placement (tenant_key, sink, ref, kind, source_memories)
         values ($1, 'cache', 'answers/1', 'answer', $2) returning placement_id::text as id`,
        [tenantKey, [UNKNOWN_ID]],
      );
      return String(row?.["id"]);
    });

    const found = await reconcile(given, tenantKey);
    await given.memory().erasures.reconcile({ tenantKey, repair: true });

    expect(found).toMatchObject({
      verdict: "residue",
      findings: [{ code: "placement_source_missing", kind: "placement", id }],
    });
    expect(await reconcile(given, tenantKey)).toMatchObject({ verdict: "clean" });
    const { receipts } = await given.memory().erasures.list({ tenantKey, state: "in_progress" });
    expect(receipts).toMatchObject([{ outstanding: [{ placementId: id, sink: "cache" }] }]);
  });

  test("reports evidence of more rows than a tombstone has items for", async () => {
    const { tenantKey, memory } = await forgotten(given);
    const { tombstoneId } = memory.receipt;
    await given.sql(
      `insert into demystify_memory.erasure_event (tenant_key, tombstone_id, event, memories)
       values ($1, $2, 'rows_destroyed', 5)`,
      [tenantKey, tombstoneId],
    );

    expect(await reconcile(given, tenantKey)).toMatchObject({
      verdict: "residue",
      findings: [{ code: "count_mismatch", kind: "tombstone", id: tombstoneId, tombstoneId }],
    });
  });

  test("reports an erasure that has been open for more than a day", async () => {
    const tenantKey = given.freshTenant();
    await insertMemory(given.sql, { tenantKey, ...SUBJECT });
    const { tombstoneId } = await given.memory().erasures.open({ tenantKey, ...SUBJECT });
    await withoutTriggers(given, "tombstone", () =>
      given.sql(
        "update demystify_memory.tombstone set opened_at = opened_at - interval '25 hours' where tombstone_id = $1",
        [tombstoneId],
      ),
    );

    expect(await reconcile(given, tenantKey)).toMatchObject({
      verdict: "residue",
      findings: [{ code: "erasure_overdue", kind: "tombstone", id: tombstoneId, tombstoneId }],
    });
  });

  test("reports a rule that is switched off, by the name of the check that misses it", async () => {
    const tenantKey = given.freshTenant();

    const found = await withoutTriggers(given, "derived", () => reconcile(given, tenantKey));

    expect(found.verdict).toBe("residue");
    expect(found.findings).toContainEqual({ code: "rule_disabled", kind: "rule", id: "triggers_fire_always" });
    expect(await reconcile(given, tenantKey)).toMatchObject({ verdict: "clean", findings: [] });
  });
});

const reconcile = (given: GivenDatabase, tenantKey: string) => given.memory().erasures.reconcile({ tenantKey });

/** One memory, forgotten. */
async function forgotten(given: GivenDatabase) {
  const tenantKey = given.freshTenant();
  const memoryId = await insertMemory(given.sql, { tenantKey, ...SUBJECT });
  const receipt = await given.memory().forget({ tenantKey, ...SUBJECT });
  return { tenantKey, memory: { memoryId, receipt } };
}

/** What only the owner can do: the triggers of a table are off while it is done, and as before afterwards. */
async function withoutTriggers<T>(given: GivenDatabase, table: string, work: () => Promise<T>): Promise<T> {
  await given.sql(`alter table demystify_memory.${table} disable trigger user`);
  try {
    return await work();
  } finally {
    const triggers = await given.sql(
      `select tgname::text as name from pg_trigger
        where tgrelid = ('demystify_memory.' || $1)::regclass and not tgisinternal`,
      [table],
    );
    for (const { name } of triggers) {
      await given.sql(`alter table demystify_memory.${table} enable always trigger ${String(name)}`);
    }
  }
}

function reinsert(given: GivenDatabase, tenantKey: string, memoryId: string) {
  return given.sql(
    `insert into demystify_memory.memory (tenant_key, memory_id, subject_hash, text)
     select t.tenant_key, $2, t.subject_hash, 'it is back' from demystify_memory.tombstone t where t.tenant_key = $1`,
    [tenantKey, memoryId],
  );
}
