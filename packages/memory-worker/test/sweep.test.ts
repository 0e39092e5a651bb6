import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { describeEachStore } from "../../memory/test/support/stores.js";
import { manualSink, runOnce, sqlLedger, sweep, tenantTag, type PlacementLedger, type Sink } from "../src/index.js";
import { createDatabase, describeNativePostgres } from "./support/native-database.js";
import { anErasureWithACopy, aPlacedCopy, listening } from "./support/placing.js";
import { Shelf, shelfSink } from "./support/shelf.js";
import { Memory, PgMemoryStore } from "../../memory/src/index.js";

/** A ledger that knows these placements, and no others. */
function ledgerOf(...live: readonly string[]): PlacementLedger {
  return { statesOf: async () => new Map(live.map((id) => [id, "live" as const])) };
}

describeEachStore("the sweep", (given) => {
  test("a sink that holds what is on record, and nothing else, is clean", async () => {
    const { memory, tenantKey } = await given.tenant();
    const shelf = new Shelf();
    const { placementId } = await aPlacedCopy(memory, tenantKey, { write: (tag) => shelf.write(tag) });

    const report = await sweep({
      memory,
      sinks: [shelfSink(shelf)],
      tenantKeys: [tenantKey],
      ledger: ledgerOf(placementId),
    });

    expect(report).toMatchObject({ verdict: "clean", sinks: [{ entries: 1, awaiting: 0, findings: [] }] });
  });

  test("a copy that came back after its erasure is a resurrection", async () => {
    const { memory, tenantKey } = await given.tenant();
    const shelf = new Shelf();
    const { placementId } = await anErasureWithACopy(memory, tenantKey, shelf);
    await runOnce(listening({ memory, sinks: [shelfSink(shelf)], tenantKeys: [tenantKey] }).options);
    shelf.write({ placementId, tenantTag: tenantTag(tenantKey) }, "restored from a snapshot");

    const report = await sweep({ memory, sinks: [shelfSink(shelf)], tenantKeys: [tenantKey], ledger: ledgerOf() });

    expect(report).toMatchObject({
      verdict: "residue",
      sinks: [{ findings: [{ code: "resurrection", placementId }], reopened: 0 }],
    });
    expect((await memory.erasures.list({ tenantKey, state: "in_progress" })).receipts).toEqual([]);
  });

  test("with repair its erasure is opened anew, and a worker finishes it", async () => {
    const { memory, tenantKey } = await given.tenant();
    const shelf = new Shelf();
    const { placementId } = await anErasureWithACopy(memory, tenantKey, shelf);
    const options = { memory, sinks: [shelfSink(shelf)], tenantKeys: [tenantKey] };
    await runOnce(listening(options).options);
    shelf.write({ placementId, tenantTag: tenantTag(tenantKey) }, "restored from a snapshot");

    const found = await sweep({ ...options, repair: true });
    const worked = await runOnce(listening(options).options);
    const after = await sweep(options);

    expect(found).toMatchObject({ verdict: "residue", sinks: [{ reopened: 1 }] });
    expect(worked).toMatchObject({ confirmed: 1, completed: 1 });
    expect(after).toMatchObject({ verdict: "clean", sinks: [{ entries: 0 }] });
  });

  test("a copy whose erasure still waits for it is known, and no finding", async () => {
    const { memory, tenantKey } = await given.tenant();
    const shelf = new Shelf();
    await anErasureWithACopy(memory, tenantKey, shelf);

    const report = await sweep({ memory, sinks: [shelfSink(shelf)], tenantKeys: [tenantKey], repair: true });

    expect(report).toMatchObject({ verdict: "clean", sinks: [{ entries: 1, awaiting: 1, findings: [] }] });
  });

  test("a copy that a worker finished while the sweep went by is no finding", async () => {
    const { memory, tenantKey } = await given.tenant();
    const shelf = new Shelf();
    const { placementId, ref } = await anErasureWithACopy(memory, tenantKey, shelf);
    await runOnce(listening({ memory, sinks: [shelfSink(shelf)], tenantKeys: [tenantKey] }).options);
    const stale = shelfSink(shelf, {
      async *enumerate() {
        yield { ref, placementId };
      },
    });

    const report = await sweep({ memory, sinks: [stale], tenantKeys: [tenantKey] });

    expect(report).toMatchObject({ verdict: "clean", sinks: [{ entries: 1, findings: [] }] });
  });

  test("an entry without a tag, or with one that nobody recorded, is an orphan, and told by ref to whoever asks", async () => {
    const { memory, tenantKey } = await given.tenant();
    const shelf = new Shelf();
    const unrecorded = randomUUID();
    shelf.entries.set("stray", { placementId: null, tenantTag: tenantTag(tenantKey), text: "" });
    shelf.entries.set("odd", { placementId: "not an id", tenantTag: tenantTag(tenantKey), text: "" });
    shelf.entries.set("unrecorded", { placementId: unrecorded, tenantTag: tenantTag(tenantKey), text: "" });
    const told: string[] = [];

    const report = await sweep({
      memory,
      sinks: [shelfSink(shelf)],
      tenantKeys: [tenantKey],
      ledger: ledgerOf(),
      repair: true,
      onOrphan: ({ ref }) => told.push(ref),
    });

    expect(report.sinks[0]?.findings).toEqual([
      { code: "orphan", placementId: null },
      { code: "orphan", placementId: null },
      { code: "orphan", placementId: unrecorded },
    ]);
    expect(told).toEqual(["stray", "odd", "unrecorded"]);
    expect(JSON.stringify(report)).not.toContain("stray");
  });

  test("what could not be looked at is unchecked, and never clean", async () => {
    const { memory, tenantKey } = await given.tenant();
    const shelf = new Shelf();
    await aPlacedCopy(memory, tenantKey, { write: (tag) => shelf.write(tag) });
    const silent = shelfSink(new Shelf(), { name: "silent", enumerate: () => neverAnswers() });
    const broken = shelfSink(new Shelf(), { name: "broken", enumerate: () => fails() });

    const report = await sweep({
      memory,
      sinks: [shelfSink(shelf), manualSink({ name: "vendor" }), silent, broken],
      tenantKeys: [tenantKey],
      callTimeoutSeconds: 0.05,
    });

    expect(report.verdict).toBe("unchecked");
    expect(report.sinks.map(({ sink, unchecked }) => [sink, unchecked])).toEqual([
      ["shelf", "not_compared"],
      ["vendor", "cannot_enumerate"],
      ["silent", "failed"],
      ["broken", "failed"],
    ]);
  });

  test("an empty list is believed only of a sink whose list shows what is planted", async () => {
    const { memory, tenantKey } = await given.tenant();
    const shelf = new Shelf();
    await aPlacedCopy(memory, tenantKey, { write: (tag) => shelf.write(tag) });
    const mute: Sink = {
      name: "mute",
      reaches: "acknowledged",
      whyNotMore: "It has no look.",
      destroy: async () => "acknowledged",
      enumerate: () => nothing(),
    };

    const report = await sweep({
      memory,
      sinks: [shelfSink(shelf, { enumerate: () => nothing() }), mute, shelfSink(new Shelf(), { name: "empty" })],
      tenantKeys: [tenantKey],
    });

    expect(report.sinks.map(({ sink, verdict, unchecked }) => [sink, verdict, unchecked])).toEqual([
      ["shelf", "unchecked", "uncontrolled"],
      ["mute", "unchecked", "uncontrolled"],
      ["empty", "clean", undefined],
    ]);
    expect(shelf.entries.size).toBe(1);
  });

  test("another tenant's copies are not looked at", async () => {
    const { memory, tenantKey } = await given.tenant();
    const other = await given.tenant();
    const shelf = new Shelf();
    await aPlacedCopy(other.memory, other.tenantKey, { write: (tag) => shelf.write(tag) });

    const report = await sweep({ memory, sinks: [shelfSink(shelf)], tenantKeys: [tenantKey], ledger: ledgerOf() });

    expect(report).toMatchObject({ verdict: "clean", sinks: [{ entries: 0 }] });
  });
});

async function* nothing(): AsyncIterable<never> {
  yield* [];
}

async function* neverAnswers() {
  await new Promise(() => undefined);
  yield { ref: "", placementId: null };
}

async function* fails() {
  throw new Error("the list is broken");
}

describeNativePostgres("the ledger in SQL", () => {
  test("tells what is live, what is gone and what was never recorded, of one tenant, under row-level security", async () => {
    const database = await createDatabase("migrated");
    const role = `ledger_${randomUUID().slice(0, 8)}`;
    try {
      const memory = new Memory({ store: new PgMemoryStore(database.pool) });
      const { placementId: live } = await aPlacedCopy(memory, "acme", { write: () => "1" });
      const { placementId: others } = await aPlacedCopy(memory, "globex", { write: () => "2" });
      const { memory: row } = await memory.remember({ tenantKey: "acme", subjectKey: "p", text: "said something" });
      const placed = { tenantKey: "acme", sink: "shelf", ref: "3", kind: "embedding", writeWithin: 60 };
      const sources = [{ sourceKind: "memory", sourceId: row.memoryId } as const];
      const abandoned = (await memory.recordPlacement({ ...placed, sources })).placement.placementId;
      await memory.placements.abandoned({ tenantKey: "acme", placementId: abandoned });
      const client = await database.pool.connect();
      await client.query(`create role ${role}; grant usage on schema demystify_memory to ${role};
        grant select on demystify_memory.placement to ${role}; set role ${role}`);

      const states = await sqlLedger(client).statesOf("acme", [live, others, abandoned, randomUUID()]);
      await client.query("reset role");
      client.release(true);

      expect([...states].sort()).toEqual(
        [
          [live, "live"],
          [abandoned, "gone"],
        ].sort(),
      );
    } finally {
      await database.pool.query(`drop owned by ${role}; drop role ${role}`).catch(() => undefined);
      await database.drop();
    }
  });
});

describe("a sweep", () => {
  test("names every sink once", async () => {
    const memory = new Memory();

    await expect(
      sweep({ memory, sinks: [manualSink({ name: "a" }), manualSink({ name: "a" })], tenantKeys: [] }),
    ).rejects.toMatchObject({ code: "ERR_INVALID_INPUT" });
  });
});
