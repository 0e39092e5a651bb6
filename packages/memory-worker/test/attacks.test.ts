import { afterEach, describe, expect, test, vi } from "vitest";
import { InMemoryStore, Memory } from "../../memory/src/index.js";
import { describeEachStore } from "../../memory/test/support/stores.js";
import { runOnce, SinkError, Worker, type Sink } from "../src/index.js";
import { anErasureWithACopy, aPlacedCopy, listening } from "./support/placing.js";
import { Shelf, shelfSink } from "./support/shelf.js";

describeEachStore("nothing is confirmed that was not seen", (given) => {
  test("of a copy that is put back between its destruction and the look", async () => {
    const { memory, tenantKey } = await given.tenant();
    const shelf = new Shelf();
    const { erasure, placementId } = await anErasureWithACopy(memory, tenantKey, shelf);
    const restless = shelfSink(shelf, {
      destroy: async (copy) => {
        shelf.remove(copy);
        shelf.write({ placementId, tenantTag: "" }, "put back");
        return "acknowledged";
      },
    });
    const { options, ofType } = listening({ memory, sinks: [restless], tenantKeys: [tenantKey] });

    await runOnce(options);

    expect(ofType("copy_failed")).toMatchObject([{ code: "still_present" }]);
    expect(await memory.erasures.status(erasure)).toMatchObject({ state: "in_progress" });
  });

  test("of a copy that a writer puts elsewhere, and reports, while the worker is at the old place", async () => {
    const { memory, tenantKey } = await given.tenant();
    const shelf = new Shelf();
    await memory.sinks.register({ tenantKey, sink: "shelf", requiredProof: "absent" });
    const { erasure, placementId } = await anErasureWithACopy(memory, tenantKey, shelf);
    let moved = false;
    const byRefOnly: Sink = {
      ...shelfSink(shelf),
      destroy: async ({ ref }) => {
        shelf.entries.delete(ref);
        return "acknowledged";
      },
      readBackById: async ({ ref }) => {
        const seen = shelf.entries.has(ref) ? "present" : "absent";
        if (seen === "absent" && !moved) {
          moved = true;
          const elsewhere = shelf.write({ placementId, tenantTag: "" }, "moved");
          await memory.placements.written({ tenantKey, placementId, ref: elsewhere }).catch(() => undefined);
        }
        return seen;
      },
    };
    delete byRefOnly.readBackByTag;
    const { options, ofType } = listening({ memory, sinks: [byRefOnly], tenantKeys: [tenantKey] });

    const first = await runOnce(options);
    const between = await memory.erasures.status(erasure);
    const second = await runOnce(options);

    expect(first).toMatchObject({ confirmed: 0, waiting: 1 });
    expect(ofType("copy_waits")).toMatchObject([{ for: "lease", retryInSeconds: 0 }]);
    expect(between).toMatchObject({ state: "in_progress" });
    expect(second).toMatchObject({ confirmed: 1, completed: 1 });
    expect(shelf.entries.size).toBe(0);
  });

  test("by two workers that share a name: the copy is confirmed once, by whoever looked under the last lease", async () => {
    const { memory, tenantKey } = await given.tenant();
    const shelf = new Shelf();
    const { erasure } = await anErasureWithACopy(memory, tenantKey, shelf);
    const owner = "worker-twin";
    const twin = listening({
      memory: await given.second(),
      sinks: [shelfSink(shelf, { destroy: async () => Promise.reject(new SinkError("unavailable")) })],
      tenantKeys: [tenantKey],
      owner,
    });
    let asked = false;
    const sink = shelfSink(shelf, {
      readBackByTag: async ({ placementId }) => {
        const seen = shelf.tagged(placementId);
        if (seen.length === 0 && !asked) {
          asked = true;
          await runOnce(twin.options);
        }
        return seen;
      },
    });
    const one = listening({ memory, sinks: [sink], tenantKeys: [tenantKey], owner });

    const first = await runOnce(one.options);
    const then = await runOnce(one.options);

    expect(first).toMatchObject({ confirmed: 0, waiting: 1 });
    expect(one.ofType("copy_waits")).toMatchObject([{ for: "lease" }]);
    expect(then).toMatchObject({ confirmed: 1, completed: 1 });
    expect(await memory.erasures.status(erasure)).toMatchObject({ state: "complete" });
  });

  test("by a look that has gone blind since it last showed something", async () => {
    const { memory, tenantKey } = await given.tenant();
    const shelf = new Shelf();
    let behind = false;
    const stale = shelfSink(shelf, {
      // A replica that is no longer fed, or a name that points to an empty place by now.
      readBackById: async ({ ref }) => (!behind && shelf.entries.has(ref) ? "present" : "absent"),
      readBackByTag: async ({ placementId }) => (behind ? [] : shelf.tagged(placementId)),
      destroy: async (copy) => {
        if (!behind) shelf.remove(copy);
        return "acknowledged";
      },
    });
    const { options, ofType, pass } = listening({ memory, sinks: [stale], tenantKeys: [tenantKey] });
    const worker = new Worker(options);
    await anErasureWithACopy(memory, tenantKey, shelf);
    await worker.runOnce();

    behind = true;
    pass(61);
    const copy = await aPlacedCopy(memory, tenantKey, {
      subjectKey: "customer:priya",
      write: (tag) => shelf.write(tag),
    });
    await memory.forget({ tenantKey, subjectKey: "customer:priya" }).catch(() => undefined);
    const report = await worker.runOnce();

    expect(ofType("copy_confirmed")).toHaveLength(1);
    expect(report).toMatchObject({ confirmed: 0, failed: 1 });
    expect(ofType("sink_blind")).toMatchObject([{ sink: "shelf" }]);
    expect(shelf.entries.has(copy.ref)).toBe(true);
  });

  test("of a copy that another worker finishes meanwhile: its end is recorded once", async () => {
    const { memory, tenantKey } = await given.tenant();
    const shelf = new Shelf();
    const { erasure } = await anErasureWithACopy(memory, tenantKey, shelf);
    const other = listening({ memory: await given.second(), sinks: [shelfSink(shelf)], tenantKeys: [tenantKey] });
    let asked = false;
    const sink = shelfSink(shelf, {
      destroy: async (copy) => {
        shelf.remove(copy);
        if (!asked) {
          asked = true;
          // Its lease ran out.
          await memory.erasures.outstanding(erasure, { lease: { owner: "worker-slow", seconds: 0 } });
          await runOnce(other.options);
        }
        return "acknowledged";
      },
    });
    const slow = listening({ memory, sinks: [sink], tenantKeys: [tenantKey], owner: "worker-slow" });

    const report = await runOnce(slow.options);

    expect(report).toMatchObject({ errors: 0, failed: 0 });
    expect([...slow.ofType("erasure_completed"), ...other.ofType("erasure_completed")]).toHaveLength(1);
    expect(await memory.erasures.status(erasure)).toMatchObject({ state: "complete", closure: "confirmed" });
  });
});

describeEachStore("a copy that failed", (given) => {
  const failing = { backoff: { baseSeconds: 600, maxSeconds: 600 } };

  test("says when it is tried again, and is tried at once by another process that was told to", async () => {
    const { memory, tenantKey } = await given.tenant();
    const shelf = new Shelf();
    const { erasure } = await anErasureWithACopy(memory, tenantKey, shelf);
    const down = shelfSink(shelf, { destroy: async () => Promise.reject(new SinkError("unavailable")) });
    const worker = new Worker(listening({ memory, sinks: [down], tenantKeys: [tenantKey], ...failing }).options);
    await worker.runOnce();
    const other = listening({ memory: await given.second(), sinks: [shelfSink(shelf)], tenantKeys: [tenantKey] });

    const [waiting] = await memory.erasures.outstanding(erasure);
    const unasked = await runOnce(other.options);
    const told = await runOnce(other.options, { only: erasure, retryGivenUp: true });
    const back = await worker.runOnce();

    const away = Date.parse(waiting?.retryAt ?? "") - Date.parse(waiting?.lastAttemptAt ?? "");
    expect(away).toBeGreaterThan(590_000);
    expect(away).toBeLessThan(610_000);
    expect(unasked).toMatchObject({ confirmed: 0, waiting: 1 });
    expect(told).toMatchObject({ confirmed: 1, completed: 1 });
    expect(back).toMatchObject({ erasures: 0, errors: 0 });
  });

  test("is not taken from a worker that is at it, by whoever was told to try at once", async () => {
    const { memory, tenantKey } = await given.tenant();
    const shelf = new Shelf();
    const { erasure } = await anErasureWithACopy(memory, tenantKey, shelf);
    const other = listening({ memory: await given.second(), sinks: [shelfSink(shelf)], tenantKeys: [tenantKey] });
    let seen: unknown;
    const sink = shelfSink(shelf, {
      destroy: async (copy) => {
        seen ??= await runOnce(other.options, { only: erasure, retryGivenUp: true });
        shelf.remove(copy);
        return "acknowledged";
      },
    });

    const report = await runOnce(listening({ memory, sinks: [sink], tenantKeys: [tenantKey] }).options);

    expect(seen).toMatchObject({ confirmed: 0, waiting: 1 });
    expect(report).toMatchObject({ confirmed: 1, completed: 1 });
  });
});

describe("a worker whose machine's clock is set", () => {
  afterEach(() => vi.useRealTimers());
  const aMinute = 60_000;

  test("forward does not take the second look of a sink that settles late any sooner", async () => {
    const memory = new Memory({ store: new InMemoryStore() });
    const shelf = new Shelf();
    await anErasureWithACopy(memory, "acme", shelf);
    const { options } = listening({ memory, sinks: [shelfSink(shelf, { settleSeconds: 600 })], tenantKeys: ["acme"] });
    const { clock: _ownClock, ...byTheMachine } = options;
    const worker = new Worker(byTheMachine);
    await worker.runOnce();

    vi.setSystemTime(Date.now() + 60 * aMinute);
    const report = await worker.runOnce();

    expect(report).toMatchObject({ confirmed: 0, waiting: 1 });
  });

  test("back still tries a failed copy when it is due", async () => {
    const memory = new Memory({ store: new InMemoryStore() });
    const shelf = new Shelf();
    await anErasureWithACopy(memory, "acme", shelf);
    let fails = true;
    const sink = shelfSink(shelf, {
      destroy: async (copy) => {
        if (fails) throw new SinkError("unavailable");
        shelf.remove(copy);
        return "acknowledged";
      },
    });
    const backoff = { baseSeconds: 0 };
    const { options } = listening({ memory, sinks: [sink], tenantKeys: ["acme"], backoff });
    const { clock: _ownClock, ...byTheMachine } = options;
    const worker = new Worker(byTheMachine);
    await worker.runOnce();
    fails = false;

    vi.setSystemTime(Date.now() - 365 * 24 * 60 * aMinute);
    const report = await worker.runOnce();

    expect(report).toMatchObject({ confirmed: 1, completed: 1 });
  });
});
