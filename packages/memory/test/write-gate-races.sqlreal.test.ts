import type pg from "pg";
import { afterEach, describe, expect, test } from "vitest";
import { describeNative, sqlOf } from "./sqlreal/databases.js";
import { insertDerived, insertLineage, insertMemory, liveRows } from "./sqlreal/rows.js";
import { libraryOn, outcomeOf, untilBlocked } from "./sqlreal/sessions.js";

interface Lineage {
  readonly tenantKey: string;
  readonly memory: string;
  readonly weekly: string;
}

/** Each writes one row derived from what is being forgotten, on the connection given, in whatever transaction is open. */
const WRITERS: Readonly<Record<string, (client: pg.Client, from: Lineage) => Promise<unknown>>> = {
  "derive from a memory": (client, { tenantKey, memory }) =>
    libraryOn(client).derive({ ...SUMMARY, tenantKey, sources: [{ sourceKind: "memory", sourceId: memory }] }),
  "derive from a derived row": (client, { tenantKey, weekly }) =>
    libraryOn(client).derive({ ...SUMMARY, tenantKey, sources: [{ sourceKind: "derived", sourceId: weekly }] }),
  "a plain INSERT from a memory": (client, { tenantKey, memory }) =>
    insertDerived(sqlOf(client), { tenantKey, memories: [memory] }),
  "a plain INSERT from a derived row": (client, { tenantKey, weekly }) =>
    insertDerived(sqlOf(client), { tenantKey, derived: [weekly] }),
};
const SUMMARY = { kind: "summary", text: "a summary of what was said" };
const LEVELS = ["read committed", "repeatable read"] as const;
const SUBJECT = { subjectKey: "customer:ramesh" };

describeNative("the write gate, with a writer and an erasure at the same time:", (given) => {
  const open: pg.Client[] = [];
  const connect = async () => {
    const client = await given.connect();
    open.push(client);
    return client;
  };
  afterEach(async () => {
    await Promise.all(open.splice(0).map((client) => client.end()));
  });

  const lineage = async (): Promise<Lineage> => {
    const tenantKey = given.freshTenant();
    return { tenantKey, ...(await insertLineage(given.sql, { tenantKey })) };
  };
  const begin = async (level: string) => {
    const client = await connect();
    await client.query(`begin isolation level ${level}`);
    // The snapshot of a repeatable read is taken by its first statement.
    await client.query("select 1");
    return client;
  };

  describe.each(Object.keys(WRITERS))("%s", (name) => {
    const write = WRITERS[name]!;

    describe.each(LEVELS)("at %s", (level) => {
      test("that is first is waited for, hidden once the erasure is open, and erased", async () => {
        const from = await lineage();
        const writer = await begin(level);
        await write(writer, from);
        const eraser = await connect();
        const memory = libraryOn(eraser);
        const opening = memory.erasures.open({ ...SUBJECT, tenantKey: from.tenantKey });
        await untilBlocked(given.sql, eraser);
        await writer.query("commit");

        const { tombstoneId, counts } = await opening;

        expect(counts).toMatchObject({ memories: 1, derived: 3 });
        expect((await memory.listDerived({ tenantKey: from.tenantKey })).rows).toEqual([]);
        const receipt = await memory.erasures.resume({ tenantKey: from.tenantKey, tombstoneId });
        expect(receipt).toMatchObject({ state: "complete", counts: { memories: 1, derived: 3 } });
        expect(await liveRows(given.sql, from.tenantKey)).toEqual({ memories: 0, derived: 0 });
      });

      test("that comes while the erasure is being opened waits, and is then refused", async () => {
        const from = await lineage();
        const eraser = await connect();
        await eraser.query("begin");
        const { tombstoneId } = await libraryOn(eraser).erasures.open({ ...SUBJECT, tenantKey: from.tenantKey });
        const writer = await begin(level);
        const outcome = outcomeOf(write(writer, from));
        await untilBlocked(given.sql, writer);
        await eraser.query("commit");

        expect(await outcome).toBe(level === "read committed" ? "ME003" : "40001");

        await writer.query("rollback");
        expect(await outcomeOf(write(writer, from))).toBe("ME003");
        await libraryOn(eraser).erasures.resume({ tenantKey: from.tenantKey, tombstoneId });
        expect(await liveRows(given.sql, from.tenantKey)).toEqual({ memories: 0, derived: 0 });
      });

      test.each(["open", "complete"])("that began before an erasure which is now %s is refused", async (state) => {
        const from = await lineage();
        const writer = await begin(level);
        const memory = libraryOn(await connect());
        const { tombstoneId } = await memory.erasures.open({ ...SUBJECT, tenantKey: from.tenantKey });
        if (state === "complete") await memory.erasures.resume({ tenantKey: from.tenantKey, tombstoneId });

        expect(await outcomeOf(write(writer, from))).toBe(level === "read committed" ? "ME003" : "40001");

        // What a retry of the whole transaction is told: not to retry again.
        await writer.query("rollback");
        expect(await outcomeOf(write(writer, from))).toBe("ME003");
      });
    });

    test("in a prepared transaction holds the erasure up; nothing is opened until it is decided", async () => {
      const from = await lineage();
      const writer = await begin("read committed");
      await write(writer, from);
      const prepared = `'${from.tenantKey}'`;
      await writer.query(`prepare transaction ${prepared}`);
      const eraser = await connect();
      await eraser.query("set lock_timeout = '50ms'");

      const outcome = await outcomeOf(libraryOn(eraser).forget({ ...SUBJECT, tenantKey: from.tenantKey }));

      expect(outcome).toBe("55P03");
      expect((await libraryOn(eraser).erasures.list({ tenantKey: from.tenantKey })).receipts).toEqual([]);
      await writer.query(`commit prepared ${prepared}`);
      const receipt = await libraryOn(eraser).forget({ ...SUBJECT, tenantKey: from.tenantKey });
      expect(receipt).toMatchObject({ state: "complete", counts: { memories: 1, derived: 3 } });
      expect(await liveRows(given.sql, from.tenantKey)).toEqual({ memories: 0, derived: 0 });
    });
  });

  describe.each(LEVELS)("remember at %s", (level) => {
    const remember = (client: pg.Client, tenantKey: string, capturedAt?: Date) =>
      libraryOn(client).remember({
        ...SUBJECT,
        tenantKey,
        text: "new",
        ...(capturedAt === undefined ? {} : { capturedAt }),
      });

    test.each(["remember", "a plain INSERT"])("that is first (%s) is waited for and erased", async (how) => {
      const tenantKey = given.freshTenant();
      const writer = await begin(level);
      await (how === "remember" ? remember(writer, tenantKey) : insertMemory(sqlOf(writer), { tenantKey }));
      const eraser = await connect();
      const forgetting = libraryOn(eraser).forget({ ...SUBJECT, tenantKey });
      await untilBlocked(given.sql, eraser);
      await writer.query("commit");

      expect(await forgetting).toMatchObject({ state: "complete", counts: { memories: 1 } });
      expect(await liveRows(given.sql, tenantKey)).toEqual({ memories: 0, derived: 0 });
    });

    test("that comes while the erasure is being opened is new data: later than it, visible, and not erased by it", async () => {
      const tenantKey = given.freshTenant();
      await insertMemory(given.sql, { tenantKey });
      const eraser = await connect();
      await eraser.query("begin");
      const { tombstoneId } = await libraryOn(eraser).erasures.open({ ...SUBJECT, tenantKey });
      const writer = await begin(level);
      const writing = outcomeOf(remember(writer, tenantKey));
      await untilBlocked(given.sql, writer);
      await eraser.query("commit");
      const outcome = await writing;
      await writer.query("commit");
      if (level === "repeatable read") {
        expect(outcome).toBe("40001");
        await remember(writer, tenantKey);
      } else {
        expect(outcome).toBeUndefined();
      }

      const receipt = await libraryOn(eraser).erasures.resume({ tenantKey, tombstoneId });

      expect(receipt).toMatchObject({ state: "complete", counts: { memories: 1 } });
      const { rows } = await libraryOn(eraser).listMemories({ tenantKey });
      expect(rows).toMatchObject([{ text: "new" }]);
      expect(Date.parse(rows[0]!.createdAt)).toBeGreaterThanOrEqual(Date.parse(receipt.openedAt));
    });

    test("of something captured earlier waits for the erasure that is being opened, and is then refused", async () => {
      const tenantKey = given.freshTenant();
      await insertMemory(given.sql, { tenantKey });
      const eraser = await connect();
      await eraser.query("begin");
      await libraryOn(eraser).erasures.open({ ...SUBJECT, tenantKey });
      const writer = await begin(level);
      const outcome = outcomeOf(remember(writer, tenantKey, new Date("2020-01-01")));
      await untilBlocked(given.sql, writer);
      await eraser.query("commit");

      expect(await outcome).toBe(level === "read committed" ? "ME004" : "40001");
      await writer.query("rollback");
      expect(await outcomeOf(remember(writer, tenantKey, new Date("2020-01-01")))).toBe("ME004");
    });
  });

  test.each(["customer:ramesh", "customer:priya"])(
    "two writers with one idempotency key store one memory: the second (%s) waits and is given the first",
    async (subjectKey) => {
      const tenantKey = given.freshTenant();
      const input = { tenantKey, text: "said", idempotencyKey: "first contact" };
      // Everybody is known before, so that the idempotency key is the first thing the second has to wait for.
      for (const known of ["customer:ramesh", "customer:priya"]) {
        await libraryOn(await connect()).remember({ tenantKey, subjectKey: known, text: "known" });
      }
      const first = await begin("read committed");
      const stored = await libraryOn(first).remember({ ...SUBJECT, ...input });
      const second = await connect();
      const storing = libraryOn(second).remember({ subjectKey, ...input });
      await untilBlocked(given.sql, second);
      await first.query("commit");

      expect((await storing).memory).toEqual(stored.memory);
      expect(await liveRows(given.sql, tenantKey)).toEqual({ memories: 3, derived: 0 });
    },
  );

  test("a writer who meets a used idempotency key holds the erasure of its memory up, and both answers are true", async () => {
    const tenantKey = given.freshTenant();
    const input = { tenantKey, text: "said", idempotencyKey: "first contact" };
    const stored = await libraryOn(await connect()).remember({ ...SUBJECT, ...input });
    const writer = await begin("read committed");
    const again = await libraryOn(writer).remember({ ...input, subjectKey: "customer:priya" });
    const eraser = await connect();
    const forgetting = libraryOn(eraser).forget({ ...SUBJECT, tenantKey });
    await untilBlocked(given.sql, eraser);
    await writer.query("commit");

    expect(again.memory).toEqual(stored.memory);
    expect(await forgetting).toMatchObject({ state: "complete", counts: { memories: 1 } });
    expect(await liveRows(given.sql, tenantKey)).toEqual({ memories: 0, derived: 0 });
  });

  test.each([1, 10_000])(
    "a destruction in chunks of %i holds none of the rows while it waits for a writer of the same person",
    async (destroyChunkRows) => {
      const { tenantKey } = await lineage();
      const eraser = await connect();
      const memory = libraryOn(eraser, { destroyChunkRows });
      const { tombstoneId } = await memory.erasures.open({ ...SUBJECT, tenantKey });
      const writer = await begin("read committed");
      await libraryOn(writer).remember({ ...SUBJECT, tenantKey, text: "said afterwards" });

      const resuming = memory.erasures.resume({ tenantKey, tombstoneId });
      await untilBlocked(given.sql, eraser);

      // Both tables: a row that the eraser holds would be refused with 55P03.
      for (const table of ["memory", "derived"]) {
        await writer.query(`select from demystify_memory.${table} where tenant_key = $1 for update nowait`, [
          tenantKey,
        ]);
      }
      await writer.query("commit");
      expect(await resuming).toMatchObject({ state: "complete", counts: { memories: 1, derived: 2 } });
      expect(await liveRows(given.sql, tenantKey)).toEqual({ memories: 1, derived: 0 });
    },
  );

  test("two at once for the same person are one erasure, and both are told the same", async () => {
    const from = await lineage();
    const [first, second] = [libraryOn(await connect()), libraryOn(await connect())];

    const receipts = await Promise.all(
      [first, second].map((memory) => memory.forget({ ...SUBJECT, tenantKey: from.tenantKey })),
    );

    const matched = receipts.filter((receipt) => receipt.matched);
    expect(new Set(matched.map(({ tombstoneId }) => tombstoneId)).size).toBe(1);
    expect(matched[0]).toMatchObject({ state: "complete", counts: { memories: 1, derived: 2 } });
    expect(await liveRows(given.sql, from.tenantKey)).toEqual({ memories: 0, derived: 0 });
  });

  test("a plain DELETE that a writer holds up takes along what the writer derives", async () => {
    const from = await lineage();
    const writer = await begin("read committed");
    await insertDerived(sqlOf(writer), { tenantKey: from.tenantKey, memories: [from.memory] });
    const deleter = await connect();
    const deleting = deleter.query("delete from demystify_memory.memory where tenant_key = $1", [from.tenantKey]);
    await untilBlocked(given.sql, deleter);
    await writer.query("commit");

    await deleting;

    expect(await liveRows(given.sql, from.tenantKey)).toEqual({ memories: 0, derived: 0 });
  });

  test.each(LEVELS)("a writer at %s that a plain DELETE holds up is refused", async (level) => {
    const from = await lineage();
    const deleter = await begin("read committed");
    await deleter.query("delete from demystify_memory.memory where tenant_key = $1", [from.tenantKey]);
    const writer = await begin(level);
    const outcome = outcomeOf(insertDerived(sqlOf(writer), { tenantKey: from.tenantKey, memories: [from.memory] }));
    await untilBlocked(given.sql, writer);
    await deleter.query("commit");

    expect(await outcome).toBe(level === "read committed" ? "ME003" : "40001");
    expect(await liveRows(given.sql, from.tenantKey)).toEqual({ memories: 0, derived: 0 });
  });
});
