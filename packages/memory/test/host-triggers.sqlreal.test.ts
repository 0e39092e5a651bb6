import { describe, expect, test } from "vitest";
import { InstallError } from "../src/index.js";
import type { GivenDatabase } from "./sqlreal/databases.js";
import { describeEachDatabase } from "./sqlreal/databases.js";
import { refusalOf } from "./sqlreal/refusals.js";
import { insertLineage, insertMemory, liveRows, tombstonesOf } from "./sqlreal/rows.js";

// Triggers fire in the order of their names: these come before and after every trigger of the schema.
const NAMES = ["AAA", "zzz"];

describeEachDatabase("beside triggers of the host", (given) => {
  describe.each(NAMES)("named %s,", (name) => {
    test("a host's own clean-up of summaries after each memory leaves no summary and counts none twice", async () => {
      const tenantKey = given.freshTenant();
      const { memory } = await insertLineage(given.sql, { tenantKey });

      await withTrigger(given, name, "after delete on demystify_memory.memory for each row", CLEAN_UP, () =>
        given.sql(DELETE, [memory]),
      );

      expect(await liveRows(given.sql, tenantKey)).toEqual({ memories: 0, derived: 0 });
      const tombstones = await tombstonesOf(given.sql, tenantKey);
      expect(tombstones.map(({ state }) => state)).not.toContain("in_progress");
      expect(total(tombstones, "memories")).toBe(1);
      expect(total(tombstones, "derived")).toBe(2);
      expect(total(tombstones, "edges")).toBe(2);
    });

    test("a summary that is made while its memory is being deleted goes with it", async () => {
      const tenantKey = given.freshTenant();
      const { memory } = await insertLineage(given.sql, { tenantKey });
      const archive = `insert into demystify_memory.derived (tenant_key, kind, text, source_memories)
                       values (old.tenant_key, 'archive', old.text, array[old.memory_id]); return old;`;

      await withTrigger(given, name, "before delete on demystify_memory.memory for each row", archive, () =>
        given.sql(DELETE, [memory]),
      );

      expect(await liveRows(given.sql, tenantKey)).toEqual({ memories: 0, derived: 0 });
      expect(await tombstonesOf(given.sql, tenantKey)).toMatchObject([{ memories: 1, derived: 3, state: "complete" }]);
    });

    test("a summary cannot be made of a memory once it is deleted", async () => {
      const tenantKey = given.freshTenant();
      const { memory } = await insertLineage(given.sql, { tenantKey });
      const archive = `insert into demystify_memory.derived (tenant_key, kind, text, source_memories)
                       values (old.tenant_key, 'archive', old.text, array[old.memory_id]); return old;`;

      const refusal = await withTrigger(
        given,
        name,
        "after delete on demystify_memory.memory for each row",
        archive,
        () => refusalOf(given.sql(DELETE, [memory])),
      );

      expect(refusal.code).toBe("ME002");
      expect(await liveRows(given.sql, tenantKey)).toEqual({ memories: 1, derived: 2 });
    });

    test("a deleted memory cannot be put back under its id", async () => {
      const tenantKey = given.freshTenant();
      const memory = await insertMemory(given.sql, { tenantKey });
      const putBack = `insert into demystify_memory.memory (tenant_key, memory_id, subject_hash, text)
                       values (old.tenant_key, old.memory_id, old.subject_hash, old.text); return old;`;

      const refusal = await withTrigger(
        given,
        name,
        "after delete on demystify_memory.memory for each row",
        putBack,
        () => refusalOf(given.sql(DELETE, [memory])),
      );

      expect(refusal.code).toMatch(/^ME0(?:04|18)$/);
      expect(await liveRows(given.sql, tenantKey)).toEqual({ memories: 1, derived: 0 });
      expect(await tombstonesOf(given.sql, tenantKey)).toEqual([]);
    });

    test("a trigger that swallows the delete of a summary makes forget fail, and nothing is certified", async () => {
      const tenantKey = given.freshTenant();
      await insertLineage(given.sql, { tenantKey });
      const memory = given.memory();

      const error: unknown = await withTrigger(given, name, SWALLOW_ON, "return null;", () =>
        memory.forget({ tenantKey, subjectKey: "customer:ramesh" }).catch((reason: unknown) => reason),
      );

      expect(error).toBeInstanceOf(InstallError);
      expect(await liveRows(given.sql, tenantKey)).toEqual({ memories: 1, derived: 2 });
      expect(await tombstonesOf(given.sql, tenantKey)).toMatchObject([{ state: "in_progress", memories: 0 }]);
      const [receipt] = (await memory.erasures.list({ tenantKey })).receipts;
      expect(await memory.erasures.resume({ tenantKey, tombstoneId: receipt!.tombstoneId })).toMatchObject({
        state: "complete",
        counts: { memories: 1, derived: 2 },
      });
    });

    test("a trigger that swallows the delete of a summary makes a plain DELETE fail, and nothing is certified", async () => {
      const tenantKey = given.freshTenant();
      const { memory } = await insertLineage(given.sql, { tenantKey });

      const refusal = await withTrigger(given, name, SWALLOW_ON, "return null;", () =>
        refusalOf(given.sql(DELETE, [memory])),
      );

      expect(refusal.code).toBe("ME018");
      expect(await liveRows(given.sql, tenantKey)).toEqual({ memories: 1, derived: 2 });
      expect(await tombstonesOf(given.sql, tenantKey)).toEqual([]);
    });
  });

  test("a rule that turns the delete of a summary into nothing makes forget fail, and nothing is certified", async () => {
    const tenantKey = given.freshTenant();
    await insertLineage(given.sql, { tenantKey });
    await given.sql("create rule keeps_summaries as on delete to demystify_memory.derived do instead nothing");

    const error: unknown = await given
      .memory()
      .forget({ tenantKey, subjectKey: "customer:ramesh" })
      .catch((reason: unknown) => reason);

    await given.sql("drop rule keeps_summaries on demystify_memory.derived");
    expect(error).toBeInstanceOf(InstallError);
    expect(await liveRows(given.sql, tenantKey)).toEqual({ memories: 1, derived: 2 });
  });
});

const DELETE = "delete from demystify_memory.memory where memory_id = $1";
const CLEAN_UP = "delete from demystify_memory.derived where source_memories @> array[old.memory_id]; return old;";
const SWALLOW_ON = "before delete on demystify_memory.derived for each row";

/** Runs `work` while a trigger of that name with that body stands on the table. */
async function withTrigger<T>(
  given: GivenDatabase,
  name: string,
  event: string,
  body: string,
  work: () => Promise<T>,
): Promise<T> {
  const [, table] = /on (\S+)/.exec(event)!;
  await given.sql(
    `create or replace function public.host_rule() returns trigger language plpgsql as $$ begin ${body} end $$`,
  );
  await given.sql(`create trigger "${name}" ${event} execute function public.host_rule()`);
  try {
    return await work();
  } finally {
    await given.sql(`drop trigger "${name}" on ${table}`);
  }
}

function total(rows: readonly Readonly<Record<string, unknown>>[], column: string): number {
  return rows.reduce((sum, row) => sum + Number(row[column]), 0);
}
