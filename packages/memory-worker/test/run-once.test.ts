import { describe, expect, test } from "vitest";
import { InMemoryStore, Memory } from "../../memory/src/index.js";
import { describeEachStore } from "../../memory/test/support/stores.js";
import { manualSink, runOnce, SinkError, Worker, type Sink } from "../src/index.js";
import { forgetIncompletely } from "../../memory/test/support/copies.js";
import { aCopyBeingWritten, anErasureWithACopy, aPlacedCopy, listening } from "./support/placing.js";
import { Shelf, shelfSink } from "./support/shelf.js";

describeEachStore("one round of the worker", (given) => {
  test("an erasure with a copy in a sink is complete once the copy is gone, and says at which level", async () => {
    const { memory, tenantKey } = await given.tenant();
    const shelf = new Shelf();
    const { erasure, placementId } = await anErasureWithACopy(memory, tenantKey, shelf);
    const { options, events } = listening({ memory, sinks: [shelfSink(shelf)], tenantKeys: [tenantKey] });

    const report = await runOnce(options);

    expect(report).toMatchObject({ erasures: 1, confirmed: 1, completed: 1, failed: 0, errors: 0 });
    expect(shelf.entries.size).toBe(0);
    expect(events).toEqual([
      { type: "copy_confirmed", ...erasure, placementId, sink: "shelf", proof: "unfindable" },
      { type: "erasure_completed", ...erasure },
    ]);
    expect(await memory.erasures.status(erasure)).toMatchObject({ state: "complete", closure: "confirmed" });
  });

  test("what a sink acknowledges and keeps is never confirmed", async () => {
    const { memory, tenantKey } = await given.tenant();
    const shelf = new Shelf();
    const { erasure } = await anErasureWithACopy(memory, tenantKey, shelf);
    const lying = shelfSink(shelf, { destroy: async () => "acknowledged" });
    const { options, ofType } = listening({ memory, sinks: [lying], tenantKeys: [tenantKey] });

    const report = await runOnce(options);

    expect(report).toMatchObject({ confirmed: 0, failed: 1 });
    expect(ofType("copy_failed")).toMatchObject([{ code: "still_present", attempts: 1 }]);
    expect(await memory.erasures.outstanding(erasure)).toMatchObject([{ attempts: 1, lastErrorCode: "still_present" }]);
  });

  test("a sink that shows nothing at all is not believed when it shows nothing", async () => {
    const { memory, tenantKey } = await given.tenant();
    const shelf = new Shelf();
    const { erasure } = await anErasureWithACopy(memory, tenantKey, shelf);
    const blind = shelfSink(shelf, { readBackById: async () => "absent", readBackByTag: async () => [] });
    const { options, ofType } = listening({ memory, sinks: [blind], tenantKeys: [tenantKey] });

    await runOnce(options);

    expect(ofType("sink_blind")).toMatchObject([{ sink: "shelf" }]);
    expect(shelf.entries.size).toBe(0);
    expect(await memory.erasures.status(erasure)).toMatchObject({ state: "in_progress" });
  });

  test("a copy that is gone already is confirmed only after the sink has shown a planted entry", async () => {
    const { memory, tenantKey } = await given.tenant();
    const shelf = new Shelf();
    const { erasure } = await anErasureWithACopy(memory, tenantKey, shelf);
    shelf.entries.clear();
    const { options } = listening({ memory, sinks: [shelfSink(shelf)], tenantKeys: [tenantKey] });

    await runOnce(options);

    expect(shelf.calls).toContain("plant");
    expect(shelf.entries.size).toBe(0);
    expect(await memory.erasures.status(erasure)).toMatchObject({ state: "complete" });
  });

  test("a copy that carries no tag is absent and not unfindable, and is left to a person", async () => {
    const { memory, tenantKey } = await given.tenant();
    const shelf = new Shelf();
    const { erasure, ref } = await anErasureWithACopy(memory, tenantKey, shelf);
    shelf.entries.set(ref, { placementId: null, tenantTag: "", text: "stored without its tag" });
    const { options, ofType } = listening({ memory, sinks: [shelfSink(shelf)], tenantKeys: [tenantKey] });

    await runOnce(options);

    expect(ofType("proof_too_weak")).toMatchObject([{ reached: "absent", required: "unfindable" }]);
    expect(await memory.erasures.status(erasure)).toMatchObject({
      state: "escalated",
      escalation: { code: "operator" },
    });
  });

  test("a failing copy is tried later and later, then given up, and its erasure goes to a person", async () => {
    const { memory, tenantKey } = await given.tenant();
    const shelf = new Shelf();
    const { erasure } = await anErasureWithACopy(memory, tenantKey, shelf);
    const down = shelfSink(shelf, { destroy: async () => Promise.reject(new SinkError("unavailable")) });
    const { options, ofType, pass } = listening({
      memory,
      sinks: [down],
      tenantKeys: [tenantKey],
      maxAttempts: 3,
      backoff: { baseSeconds: 10, maxSeconds: 1000 },
    });
    const worker = new Worker(options);

    for (let round = 0; round < 8; round++) {
      await worker.runOnce();
      pass(5.5);
    }
    pass(1000);
    await worker.runOnce();
    await worker.runOnce();

    expect(ofType("copy_failed").map(({ retryInSeconds }) => retryInSeconds)).toEqual([10, 20, 40]);
    expect(ofType("erasure_escalated")).toEqual([{ type: "erasure_escalated", ...erasure, code: "sink_unreachable" }]);
    expect(shelf.entries.size).toBe(1);
    expect(await memory.erasures.status(erasure)).toMatchObject({ state: "escalated", owner: "person" });
  });

  test("what was given up is left alone by a new process too, until somebody asks to try again", async () => {
    const { memory, tenantKey } = await given.tenant();
    const shelf = new Shelf();
    const { erasure } = await anErasureWithACopy(memory, tenantKey, shelf);
    const down = shelfSink(shelf, { destroy: async () => Promise.reject(new SinkError("auth")) });
    await runOnce(listening({ memory, sinks: [down], tenantKeys: [tenantKey], maxAttempts: 1 }).options);

    const { options } = listening({ memory, sinks: [shelfSink(shelf)], tenantKeys: [tenantKey], maxAttempts: 1 });
    const left = await runOnce(options);
    const retried = await runOnce(options, { only: erasure, retryGivenUp: true });

    expect(left).toMatchObject({ confirmed: 0, left: { givenUp: 1 } });
    expect(retried).toMatchObject({ confirmed: 1, completed: 1 });
  });

  test("one sink that is down does not keep the copies in another", async () => {
    const { memory, tenantKey } = await given.tenant();
    const shelf = new Shelf();
    const other = new Shelf();
    await aPlacedCopy(memory, tenantKey, { sink: "other", write: (tag) => other.write(tag) });
    const { erasure } = await anErasureWithACopy(memory, tenantKey, shelf);
    const down = shelfSink(shelf, { destroy: () => new Promise(() => undefined) });
    const { options, ofType } = listening({
      memory,
      sinks: [down, shelfSink(other, { name: "other" })],
      tenantKeys: [tenantKey],
      callTimeoutSeconds: 0.05,
    });

    await runOnce(options);

    expect(ofType("copy_failed")).toMatchObject([{ sink: "shelf", code: "timeout" }]);
    expect(ofType("copy_confirmed")).toMatchObject([{ sink: "other" }]);
    expect(await memory.erasures.status(erasure)).toMatchObject({ counts: { placements: { outstanding: 1 } } });
  });

  test("copies of a sink that this worker does not have, or that a person clears, are left and counted", async () => {
    const { memory, tenantKey } = await given.tenant();
    const shelf = new Shelf();
    await aPlacedCopy(memory, tenantKey, { sink: "vendor", write: () => "form 7" });
    const { erasure } = await anErasureWithACopy(memory, tenantKey, shelf);
    const sinks = [manualSink({ name: "vendor" })];
    const { options, ofType } = listening({ memory, sinks, tenantKeys: [tenantKey] });
    const worker = new Worker(options);

    await worker.runOnce();
    const report = await worker.runOnce();

    expect(
      ofType("copy_left")
        .map(({ sink, reason }) => `${sink} ${reason}`)
        .sort(),
    ).toEqual(["shelf no_adapter", "vendor manual"]);
    expect(report).toMatchObject({ confirmed: 0, failed: 0, left: { manual: 1, noAdapter: 1, givenUp: 0 } });
    expect(await memory.erasures.outstanding(erasure)).toMatchObject([{ attempts: 0 }, { attempts: 0 }]);
  });

  test("two workers on one erasure do not touch the same copy", async () => {
    const { memory, tenantKey } = await given.tenant();
    const shelf = new Shelf();
    await anErasureWithACopy(memory, tenantKey, shelf);
    const slow = shelfSink(shelf, {
      destroy: async (copy) => {
        shelf.calls.push(copy.placementId);
        await other();
        shelf.remove(copy);
        return "acknowledged";
      },
    });
    const second = listening({ memory: await given.second(), sinks: [slow], tenantKeys: [tenantKey] });
    let asked = false;
    let seen: unknown;
    const other = async () => {
      if (asked) return;
      asked = true;
      seen = await runOnce(second.options);
    };

    const report = await runOnce(listening({ memory, sinks: [slow], tenantKeys: [tenantKey] }).options);

    expect(report).toMatchObject({ confirmed: 1, completed: 1 });
    expect(seen).toMatchObject({ confirmed: 0, failed: 0, waiting: 1 });
  });

  test("a failed copy is not tried by another worker before it is due", async () => {
    const { memory, tenantKey } = await given.tenant();
    const shelf = new Shelf();
    const { erasure } = await anErasureWithACopy(memory, tenantKey, shelf);
    const down = shelfSink(shelf, { destroy: async () => Promise.reject(new SinkError("unavailable")) });
    await runOnce(listening({ memory, sinks: [down], tenantKeys: [tenantKey], backoff: { baseSeconds: 600 } }).options);

    const report = await runOnce(listening({ memory, sinks: [shelfSink(shelf)], tenantKeys: [tenantKey] }).options);

    expect(report).toMatchObject({ confirmed: 0, waiting: 1 });
    expect(await memory.erasures.outstanding(erasure)).toMatchObject([{ attempts: 1 }]);
  });

  test("while a writer may still write nothing is confirmed, and it is looked at again", async () => {
    const { memory, tenantKey } = await given.tenant();
    const shelf = new Shelf();
    const placementId = await aCopyBeingWritten(memory, tenantKey);
    await forgetIncompletely(memory, { tenantKey, subjectKey: "customer:ramesh" });
    const { options, ofType, pass } = listening({ memory, sinks: [shelfSink(shelf)], tenantKeys: [tenantKey] });
    const worker = new Worker(options);

    await worker.runOnce();
    const ref = shelf.write({ placementId, tenantTag: "" });
    const late = memory.placements.written({ tenantKey, placementId, ref });
    await expect(late).rejects.toMatchObject({ code: "ERR_SOURCE_FORGOTTEN" });
    pass(60);
    const report = await worker.runOnce();

    expect(ofType("copy_waits")).toMatchObject([{ for: "writer" }]);
    expect(report).toMatchObject({ confirmed: 1, completed: 1 });
    expect(shelf.entries.size).toBe(0);
  });

  test("an erasure that was left between its steps is resumed", async () => {
    const { memory, tenantKey } = await given.tenant();
    const shelf = new Shelf();
    await aPlacedCopy(memory, tenantKey, { write: (tag) => shelf.write(tag) });
    const { tombstoneId } = await memory.erasures.open({ tenantKey, subjectKey: "customer:ramesh" });
    const { options } = listening({ memory, sinks: [shelfSink(shelf)], tenantKeys: [tenantKey] });

    const report = await runOnce(options);

    expect(report).toMatchObject({ resumed: 1, confirmed: 1, completed: 1 });
    expect(await memory.erasures.status({ tenantKey, tombstoneId })).toMatchObject({ state: "complete" });
  });

  test("a sink that settles late is looked at twice before anything is confirmed", async () => {
    const { memory, tenantKey } = await given.tenant();
    const shelf = new Shelf();
    await anErasureWithACopy(memory, tenantKey, shelf);
    const settling = shelfSink(shelf, { settleSeconds: 30 });
    const { options, ofType, pass } = listening({ memory, sinks: [settling], tenantKeys: [tenantKey] });
    const worker = new Worker(options);

    const first = await worker.runOnce();
    pass(31);
    const second = await worker.runOnce();

    expect(first).toMatchObject({ confirmed: 0, waiting: 1 });
    expect(ofType("copy_waits")).toMatchObject([{ for: "second_look", retryInSeconds: 30 }]);
    expect(second).toMatchObject({ confirmed: 1, completed: 1 });
  });

  test("a sink that does it later is asked and looked at until the copy is gone", async () => {
    const { memory, tenantKey } = await given.tenant();
    const shelf = new Shelf();
    const { erasure } = await anErasureWithACopy(memory, tenantKey, shelf);
    const queue: Parameters<Sink["destroy"]>[0][] = [];
    const queued = shelfSink(shelf, { destroy: async (copy) => (queue.push(copy), "requested") });
    const { options, pass } = listening({ memory, sinks: [queued], tenantKeys: [tenantKey] });
    const worker = new Worker(options);

    const first = await worker.runOnce();
    for (const copy of queue) shelf.remove(copy);
    pass(60);
    const second = await worker.runOnce();

    expect(first).toMatchObject({ confirmed: 0, failed: 0, waiting: 1 });
    expect(second).toMatchObject({ confirmed: 1 });
    expect(await memory.erasures.status(erasure)).toMatchObject({ state: "complete" });
  });

  test("a copy that comes back after its confirmation is found, destroyed again, and on record", async () => {
    const { memory, tenantKey } = await given.tenant();
    const shelf = new Shelf();
    const { erasure, placementId } = await anErasureWithACopy(memory, tenantKey, shelf);
    const { options, ofType, pass } = listening({ memory, sinks: [shelfSink(shelf)], tenantKeys: [tenantKey] });
    const worker = new Worker(options);
    await worker.runOnce();
    shelf.write({ placementId, tenantTag: "" }, "restored from a snapshot");

    const early = await worker.runOnce();
    pass(3601);
    const late = await worker.runOnce();

    expect(early).toMatchObject({ reappeared: 0 });
    expect(late).toMatchObject({ reappeared: 1, confirmed: 1, completed: 1 });
    expect(ofType("copy_reappeared")).toEqual([{ type: "copy_reappeared", tenantKey, placementId, sink: "shelf" }]);
    expect(shelf.entries.size).toBe(0);
    const { receipts } = await memory.erasures.list({ tenantKey, state: "complete" });
    expect(receipts.map(({ origin }) => origin).sort()).toEqual(["forget", "late_write"]);
    expect(receipts.map(({ tombstoneId }) => tombstoneId)).toContain(erasure.tombstoneId);
  });

  test("where a person must prove that nothing is left in versions, a weaker proof is not enough", async () => {
    const { memory, tenantKey } = await given.tenant();
    const shelf = new Shelf();
    await memory.sinks.register({ tenantKey, sink: "shelf", requiredProof: "purged" });
    const { erasure } = await anErasureWithACopy(memory, tenantKey, shelf);
    const { options, ofType } = listening({ memory, sinks: [shelfSink(shelf)], tenantKeys: [tenantKey] });

    await runOnce(options);

    expect(ofType("proof_too_weak")).toMatchObject([{ reached: "unfindable", required: "purged" }]);
    expect(ofType("copy_confirmed")).toEqual([]);
    expect(await memory.erasures.status(erasure)).toMatchObject({ state: "escalated" });
  });

  test("a store that fails is told and counted, and the other tenants are served", async () => {
    const { memory, tenantKey } = await given.tenant();
    const shelf = new Shelf();
    await anErasureWithACopy(memory, tenantKey, shelf);
    const { options, ofType } = listening({ memory, sinks: [shelfSink(shelf)], tenantKeys: ["", tenantKey] });

    const report = await runOnce(options);

    expect(report).toMatchObject({ errors: 1, confirmed: 1 });
    expect(ofType("store_failed")).toEqual([{ type: "store_failed", tenantKey: "", code: "ERR_INVALID_INPUT" }]);
  });
});

describe("what the worker tells", () => {
  test("no event holds a ref, or a word that a sink or a driver said", async () => {
    const memory = new Memory({ store: new InMemoryStore() });
    const shelf = new Shelf();
    const { ref } = await anErasureWithACopy(memory, "acme", shelf);
    const talkative = shelfSink(shelf, {
      destroy: async ({ ref: key }) => Promise.reject(new Error(`could not delete ${key} of ramesh@example.org`)),
    });
    const { options, events } = listening({ memory, sinks: [talkative], tenantKeys: ["acme"], maxAttempts: 1 });

    await runOnce(options);

    expect(events.length).toBeGreaterThan(1);
    expect(JSON.stringify(events)).not.toContain(ref);
    expect(JSON.stringify(events)).not.toContain("ramesh");
  });

  test("a listener that throws does not stop the work", async () => {
    const memory = new Memory({ store: new InMemoryStore() });
    const shelf = new Shelf();
    await anErasureWithACopy(memory, "acme", shelf);
    const { options } = listening({ memory, sinks: [shelfSink(shelf)], tenantKeys: ["acme"] });
    const onEvent = () => {
      throw new Error("the log is full");
    };

    expect(await runOnce({ ...options, onEvent })).toMatchObject({ completed: 1 });
  });
});
