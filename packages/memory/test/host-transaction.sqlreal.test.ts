import type { PGlite } from "@electric-sql/pglite";
import { describe, expect, inject, test } from "vitest";
import { HostTransactionError, Memory, PgMemoryStore, TombstoneOrderingError } from "../src/index.js";
import { describeEachDatabase, describeNative } from "./sqlreal/databases.js";
import { insertLineage, liveRows, tombstonesOf } from "./sqlreal/rows.js";
import { outcomeOf } from "./sqlreal/sessions.js";
import { requestedLegs } from "./support/legs.js";
import { clonePglite } from "./support/pglite.js";
import type { Sql } from "./support/sql.js";

const SUBJECT = { subjectKey: "customer:ramesh" };

describeEachDatabase("inside a transaction of the host", (given) => {
  test("forget is refused before anything has happened, and the transaction can go on after a rollback", async () => {
    const tenantKey = given.freshTenant();
    await insertLineage(given.sql, { tenantKey });

    const [error, after] = await given.session({ role: given.appRole }, async (sql) => {
      await sql("begin");
      const refused: unknown = await on(sql)
        .forget({ ...SUBJECT, tenantKey })
        .catch((reason: unknown) => reason);
      await sql("rollback");
      return [refused, await on(sql).listMemories({ tenantKey })];
    });

    expect(error).toBeInstanceOf(HostTransactionError);
    expect(after.rows).toHaveLength(1);
    expect(await liveRows(given.sql, tenantKey)).toEqual({ memories: 1, derived: 2 });
    expect(await tombstonesOf(given.sql, tenantKey)).toEqual([]);
  });

  test("forget is refused even after a savepoint, and even if the host has written nothing yet", async () => {
    const tenantKey = given.freshTenant();
    await insertLineage(given.sql, { tenantKey });

    const error = await given.session({ role: given.appRole }, async (sql) => {
      await sql("begin");
      await sql("savepoint here");
      return on(sql)
        .forget({ ...SUBJECT, tenantKey })
        .catch((reason: unknown) => reason);
    });

    expect(error).toBeInstanceOf(HostTransactionError);
    expect(await tombstonesOf(given.sql, tenantKey)).toEqual([]);
  });

  test("open and resume in one transaction is refused: the tombstone is not durable yet", async () => {
    const tenantKey = given.freshTenant();
    await insertLineage(given.sql, { tenantKey });

    const error = await given.session({ role: given.appRole }, async (sql) => {
      await sql("begin");
      const { tombstoneId } = await on(sql).erasures.open({ ...SUBJECT, tenantKey });
      const refused: unknown = await on(sql)
        .erasures.resume({ tenantKey, tombstoneId })
        .catch((reason: unknown) => reason);
      await sql("rollback");
      return refused;
    });

    expect(error).toBeInstanceOf(TombstoneOrderingError);
    expect(await liveRows(given.sql, tenantKey)).toEqual({ memories: 1, derived: 2 });
  });

  test("open and resume in one transaction is refused also where open came in a savepoint", async () => {
    const tenantKey = given.freshTenant();
    await insertLineage(given.sql, { tenantKey });

    const error = await given.session({ role: given.appRole }, async (sql) => {
      await sql("begin");
      await sql("savepoint evidence");
      const { tombstoneId } = await on(sql).erasures.open({ ...SUBJECT, tenantKey });
      await sql("release savepoint evidence");
      return on(sql)
        .erasures.resume({ tenantKey, tombstoneId })
        .catch((reason: unknown) => reason);
    });

    expect(error).toBeInstanceOf(TombstoneOrderingError);
  });

  test("open, commit, resume, commit is a whole erasure", async () => {
    const tenantKey = given.freshTenant();
    await insertLineage(given.sql, { tenantKey });

    const [open, hidden, receipt] = await given.session({ role: given.appRole }, async (sql) => {
      await sql("begin");
      const opened = await on(sql).erasures.open({ ...SUBJECT, tenantKey });
      await sql("commit");
      const between = await on(sql).listMemories({ tenantKey });
      await sql("begin");
      const resumed = await on(sql).erasures.resume({ tenantKey, tombstoneId: opened.tombstoneId });
      await sql("commit");
      return [opened, between, resumed];
    });

    expect(open).toMatchObject({ state: "in_progress" });
    expect(hidden.rows).toEqual([]);
    expect(receipt).toMatchObject({ state: "complete", counts: { memories: 1, derived: 2, provenanceEdges: 2 } });
    expect(await liveRows(given.sql, tenantKey)).toEqual({ memories: 0, derived: 0 });
  });

  test("an open that is rolled back leaves the rows as they were, visible and without a tombstone", async () => {
    const tenantKey = given.freshTenant();
    await insertLineage(given.sql, { tenantKey });

    await given.session({ role: given.appRole }, async (sql) => {
      await sql("begin");
      await on(sql).erasures.open({ ...SUBJECT, tenantKey });
      await sql("rollback");
    });

    expect((await given.memory().listDerived({ tenantKey })).rows).toHaveLength(2);
    expect(await tombstonesOf(given.sql, tenantKey)).toEqual([]);
  });

  test("every other method works, and what it did goes with a rollback", async () => {
    const tenantKey = given.freshTenant();

    const seen = await given.session({ role: given.appRole }, async (sql) => {
      await sql("begin");
      const memory = on(sql);
      const source = await memory.remember({ ...SUBJECT, tenantKey, text: "prefers tea" });
      await memory.derive({
        tenantKey,
        kind: "summary",
        text: "tea",
        sources: [{ sourceKind: "memory", sourceId: source.memory.memoryId }],
      });
      const { hits } = await memory.recall({ tenantKey, text: "tea" });
      const preview = await memory.previewForget({ ...SUBJECT, tenantKey });
      await sql("rollback");
      return [hits.length, preview.counts.derived];
    });

    expect(seen).toEqual([2, 1]);
    expect(await liveRows(given.sql, tenantKey)).toEqual({ memories: 0, derived: 0 });
  });
});

describeEachDatabase("in a session whose default is another", (given) => {
  test.each(["repeatable read", "serializable"])("isolation level (%s), forget works all the same", async (level) => {
    const tenantKey = given.freshTenant();
    await insertLineage(given.sql, { tenantKey });

    const receipt = await given.session({ role: given.appRole }, async (sql) => {
      await sql(`set default_transaction_isolation = '${level}'`);
      return on(sql).forget({ ...SUBJECT, tenantKey });
    });

    expect(receipt).toMatchObject({ state: "complete", counts: { memories: 1, derived: 2 } });
  });

  test.each(["repeatable read", "serializable"])("isolation level (%s), resume works all the same", async (level) => {
    const tenantKey = given.freshTenant();
    await insertLineage(given.sql, { tenantKey });
    const { tombstoneId } = await given.memory().erasures.open({ ...SUBJECT, tenantKey });

    const receipt = await given.session({ role: given.appRole }, async (sql) => {
      await sql(`set default_transaction_isolation = '${level}'`);
      return on(sql).erasures.resume({ tenantKey, tombstoneId });
    });

    expect(receipt).toMatchObject({ state: "complete", counts: { memories: 1, derived: 2 } });
  });

  test.each(["repeatable read", "serializable"])(
    "isolation level (%s), open is refused rather than blind",
    async (level) => {
      const tenantKey = given.freshTenant();
      await insertLineage(given.sql, { tenantKey });

      const error = await given.session({ role: given.appRole }, async (sql) => {
        await sql(`set default_transaction_isolation = '${level}'`);
        return on(sql)
          .erasures.open({ ...SUBJECT, tenantKey })
          .catch((reason: unknown) => reason);
      });

      expect(error).toBeInstanceOf(HostTransactionError);
      expect(await tombstonesOf(given.sql, tenantKey)).toEqual([]);
    },
  );

  test("access mode (read only), forget fails and nothing has happened", async () => {
    const tenantKey = given.freshTenant();
    await insertLineage(given.sql, { tenantKey });

    const outcome = await given.session({ role: given.appRole }, async (sql) => {
      await sql("set default_transaction_read_only = on");
      return outcomeOf(on(sql).forget({ ...SUBJECT, tenantKey }));
    });

    expect(outcome).toBe("25006");
    expect(await liveRows(given.sql, tenantKey)).toEqual({ memories: 1, derived: 2 });
    expect(await tombstonesOf(given.sql, tenantKey)).toEqual([]);
  });

  test("search path, in which hostile functions and operators come first, calls none of them", async () => {
    const tenantKey = given.freshTenant();
    await insertLineage(given.sql, { tenantKey });
    await given.sql(`
      do $$ begin
        create schema hostile;
        create function hostile.json_extract_path_text(json, variadic text[]) returns text language sql as 'select ''hostile''';
        create function hostile.clock_timestamp() returns timestamptz language sql as 'select ''2001-01-01''::timestamptz';
        create function hostile.never(text, text) returns boolean language sql as 'select false';
        create operator hostile.= (leftarg = text, rightarg = text, function = hostile.never);
        grant usage on schema hostile to public;
      end $$`);

    const receipt = await given.session({ role: given.appRole }, async (sql) => {
      await sql("set search_path = hostile, pg_catalog");
      return on(sql).forget({ ...SUBJECT, tenantKey });
    });

    expect(receipt).toMatchObject({ state: "complete", counts: { memories: 1, derived: 2 } });
    expect(Date.parse(receipt.openedAt)).toBeGreaterThan(Date.parse("2002-01-01"));
  });
});

describeNative("in one simple query with other statements", (given) => {
  test("forget is refused, because they are one transaction", async () => {
    const tenantKey = given.freshTenant();
    await insertLineage(given.sql, { tenantKey });
    const client = await given.connect("app");

    const outcome = await outcomeOf(
      client.query(`select 1; call demystify_memory.forget('${tenantKey}', '{}', 1000, null)`),
    );

    expect(outcome).toBe("2D000");
  });
});

if (requestedLegs().includes("pglite")) {
  describe("PGlite's own transaction() [pglite]", () => {
    test("refuses forget before anything has happened", async () => {
      const db: PGlite = await clonePglite(inject("pgliteTemplate")!);
      const memory = new Memory({ store: new PgMemoryStore(db) });
      await memory.remember({ ...SUBJECT, tenantKey: "acme", text: "prefers tea" });

      const error: unknown = await db
        .transaction(async (transaction) => {
          const sql: Sql = async (text, params = []) =>
            (await transaction.query<Record<string, unknown>>(text, [...params])).rows;
          await on(sql).forget({ ...SUBJECT, tenantKey: "acme" });
        })
        .catch((reason: unknown) => reason);

      expect(error).toBeInstanceOf(HostTransactionError);
      expect((await memory.listMemories({ tenantKey: "acme" })).rows).toHaveLength(1);
      expect(await memory.erasureHistory("acme")).toEqual([]);
      await db.close();
    });
  });
}

function on(sql: Sql): Memory {
  return new Memory({
    store: new PgMemoryStore({ query: async (text, params) => ({ rows: await sql(text, params) }) }),
  });
}
