import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { describeEachStore } from "../../memory/test/support/stores.js";
import { manualSink, runOnce, sweep, tenantTag, type Sink } from "../src/index.js";
import { aCopyBeingWritten, anErasureWithACopy, aPlacedCopy, listening } from "./support/placing.js";
import { Shelf, shelfSink } from "./support/shelf.js";
import { Memory } from "../../memory/src/index.js";

describeEachStore("the sweep", (given) => {
  test("a sink that holds what is on record, and nothing else, is clean", async () => {
    const { memory, tenantKey } = await given.tenant();
    const shelf = new Shelf();
    await aPlacedCopy(memory, tenantKey, { write: (tag) => shelf.write(tag) });

    const report = await sweep({ memory, sinks: [shelfSink(shelf)], tenantKeys: [tenantKey] });

    expect(report).toMatchObject({ verdict: "clean", sinks: [{ entries: 1, awaiting: 0, findings: [] }] });
  });

  test("a copy that came back after its erasure is a resurrection", async () => {
    const { memory, tenantKey } = await given.tenant();
    const shelf = new Shelf();
    const { placementId } = await anErasureWithACopy(memory, tenantKey, shelf);
    await runOnce(listening({ memory, sinks: [shelfSink(shelf)], tenantKeys: [tenantKey] }).options);
    shelf.write({ placementId, tenantTag: tenantTag(tenantKey) }, "restored from a snapshot");

    const report = await sweep({ memory, sinks: [shelfSink(shelf)], tenantKeys: [tenantKey] });

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

  test("a copy that its writer says was never written, or that was recorded for another sink, is an orphan", async () => {
    const { memory, tenantKey } = await given.tenant();
    const shelf = new Shelf();
    const abandoned = await aCopyBeingWritten(memory, tenantKey);
    await memory.placements.abandoned({ tenantKey, placementId: abandoned });
    shelf.write({ placementId: abandoned, tenantTag: tenantTag(tenantKey) });
    const { placementId: elsewhere } = await aPlacedCopy(memory, tenantKey, {
      sink: "other",
      write: (tag) => shelf.write(tag),
    });

    const report = await sweep({ memory, sinks: [shelfSink(shelf)], tenantKeys: [tenantKey] });

    expect(report.sinks[0]?.findings).toEqual([
      { code: "orphan", placementId: abandoned },
      { code: "orphan", placementId: elsewhere },
    ]);
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
      ["shelf", undefined],
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

    const report = await sweep({ memory, sinks: [shelfSink(shelf)], tenantKeys: [tenantKey] });

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

describe("a sweep", () => {
  test("names every sink once", async () => {
    const memory = new Memory();

    await expect(
      sweep({ memory, sinks: [manualSink({ name: "a" }), manualSink({ name: "a" })], tenantKeys: [] }),
    ).rejects.toMatchObject({ code: "ERR_INVALID_INPUT" });
  });
});
