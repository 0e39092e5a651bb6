import { describe, expect, test } from "vitest";
import { InMemoryStore, Memory } from "../../memory/src/index.js";
import { describeEachStore } from "../../memory/test/support/stores.js";
import { Worker } from "../src/index.js";
import { anErasureWithACopy, aPlacedCopy, listening } from "./support/placing.js";
import { Shelf, shelfSink } from "./support/shelf.js";

describeEachStore("workers", (given) => {
  test("the loop finishes what comes while it runs, and ends when it is stopped", async () => {
    const { memory, tenantKey } = await given.tenant();
    const shelf = new Shelf();
    const { options } = listening({ memory, sinks: [shelfSink(shelf)], tenantKeys: [tenantKey], pollSeconds: 0.01 });
    const worker = new Worker(options);
    const running = worker.start();

    const { erasure } = await anErasureWithACopy(memory, tenantKey, shelf);
    await expect.poll(async () => (await memory.erasures.status(erasure)).state, { timeout: 20_000 }).toBe("complete");
    await worker.stop();

    await expect(running).resolves.toBeUndefined();
  });

  test("three of them on one store finish twelve erasures, each copy confirmed once", async () => {
    const { memory, tenantKey } = await given.tenant();
    const shelf = new Shelf();
    for (let person = 0; person < 12; person++) {
      const subjectKey = `customer:${String.fromCharCode(97 + person)}`;
      await aPlacedCopy(memory, tenantKey, { subjectKey, write: (tag) => shelf.write(tag) });
      const { tombstoneId } = await memory.erasures.open({ tenantKey, subjectKey });
      await memory.erasures.resume({ tenantKey, tombstoneId });
    }
    const slow = shelfSink(shelf, {
      destroy: async (copy) => {
        await new Promise((resolve) => setImmediate(resolve));
        shelf.remove(copy);
        return "acknowledged";
      },
    });
    const workers = await Promise.all(
      [1, 2, 3].map(async () => listening({ memory: await given.second(), sinks: [slow], tenantKeys: [tenantKey] })),
    );

    const reports = await Promise.all(workers.map(({ options }) => new Worker(options).runOnce()));

    expect(reports.reduce((sum, { confirmed }) => sum + confirmed, 0)).toBe(12);
    expect(reports.reduce((sum, { completed }) => sum + completed, 0)).toBe(12);
    const confirmed = workers.flatMap(({ ofType }) => ofType("copy_confirmed").map(({ placementId }) => placementId));
    expect(new Set(confirmed).size).toBe(12);
    expect(shelf.entries.size).toBe(0);
  });

  test("one that is stopped gives back what was backing off", async () => {
    const { memory, tenantKey } = await given.tenant();
    const shelf = new Shelf();
    await anErasureWithACopy(memory, tenantKey, shelf);
    const down = shelfSink(shelf, { destroy: async () => Promise.reject(new Error("down")) });
    const told = listening({ memory, sinks: [down], tenantKeys: [tenantKey], backoff: { baseSeconds: 600 } });
    const worker = new Worker({ ...told.options, pollSeconds: 0.01 });
    const running = worker.start();
    await expect.poll(() => told.ofType("copy_failed").length, { timeout: 20_000 }).toBe(1);
    await worker.stop();
    await running;

    const next = listening({ memory: await given.second(), sinks: [shelfSink(shelf)], tenantKeys: [tenantKey] });

    expect(await new Worker(next.options).runOnce()).toMatchObject({ confirmed: 1, completed: 1 });
  });

  test("one that is stopped in the middle gives back what it had, and the next one goes on at once", async () => {
    const { memory, tenantKey } = await given.tenant();
    const shelf = new Shelf();
    await aPlacedCopy(memory, tenantKey, { write: (tag) => shelf.write(tag) });
    const { erasure } = await anErasureWithACopy(memory, tenantKey, shelf);
    const stop = new AbortController();
    const stopping = shelfSink(shelf, {
      destroy: async (copy) => {
        shelf.remove(copy);
        stop.abort();
        return "acknowledged";
      },
    });

    const first = await new Worker(listening({ memory, sinks: [stopping], tenantKeys: [tenantKey] }).options).runOnce({
      signal: stop.signal,
    });
    const second = await new Worker(
      listening({ memory: await given.second(), sinks: [shelfSink(shelf)], tenantKeys: [tenantKey] }).options,
    ).runOnce();

    expect(first).toMatchObject({ confirmed: 0 });
    expect(second).toMatchObject({ confirmed: 2, completed: 1 });
    expect(await memory.erasures.status(erasure)).toMatchObject({ state: "complete" });
  });
});

describe("a worker", () => {
  const memory = new Memory({ store: new InMemoryStore() });

  test("sweeps when it starts, and opens anew what came back", async () => {
    const shelf = new Shelf();
    const { placementId } = await anErasureWithACopy(memory, "acme", shelf);
    const told = listening({ memory, sinks: [shelfSink(shelf)], tenantKeys: ["acme"], pollSeconds: 0.01 });
    const worker = new Worker(told.options);
    await worker.runOnce();
    const { tenantTag } = await import("../src/index.js");
    shelf.write({ placementId, tenantTag: tenantTag("acme") }, "back");

    const running = worker.start();
    await expect.poll(() => told.ofType("copy_confirmed").length).toBe(2);
    await worker.stop();
    await running;

    expect(told.ofType("sink_swept")[0]).toMatchObject({ verdict: "residue", resurrections: 1 });
    expect(told.ofType("copy_reappeared")).toMatchObject([{ placementId }]);
    expect(shelf.entries.size).toBe(0);
  });

  test("does one round at a time, whoever asks for it", async () => {
    const shelf = new Shelf();
    await anErasureWithACopy(memory, "umbrella", shelf);
    const { options } = listening({ memory, sinks: [shelfSink(shelf)], tenantKeys: ["umbrella"] });
    const worker = new Worker(options);

    const reports = await Promise.all([worker.runOnce(), worker.runOnce()]);

    expect(reports).toMatchObject([{ erasures: 1, confirmed: 1 }, { erasures: 0 }]);
    expect(shelf.calls.filter((call) => call === "destroy")).toHaveLength(1);
  });

  test("started twice is one loop; a signal that is aborted already ends it before it begins", async () => {
    const shelf = new Shelf();
    const { options, events } = listening({ memory, sinks: [shelfSink(shelf)], tenantKeys: ["globex"] });
    const worker = new Worker(options);

    await Promise.all([worker.start({ signal: AbortSignal.abort() }), worker.start()]);

    expect(events).toEqual([]);
  });

  test("the host's list of tenants may fail, and the loop goes on", async () => {
    const shelf = new Shelf();
    const { erasure } = await anErasureWithACopy(memory, "initech", shelf);
    let asked = 0;
    const tenantKeys = async () => {
      asked += 1;
      if (asked < 3) throw new Error("the directory of tenants is down");
      return ["initech"];
    };
    const told = listening({ memory, sinks: [shelfSink(shelf)], tenantKeys, pollSeconds: 0.01, sweepEverySeconds: 0 });
    const worker = new Worker(told.options);

    const running = worker.start();
    await expect.poll(async () => (await memory.erasures.status(erasure)).state).toBe("complete");
    await worker.stop();
    await running;

    expect(told.ofType("store_failed").length).toBeGreaterThanOrEqual(2);
  });

  test.each([
    ["leaseSeconds", { leaseSeconds: -1 }],
    ["maxAttempts", { maxAttempts: Number.NaN }],
    ["recheckAfterSeconds", { recheckAfterSeconds: [-1] }],
    ["backoff", { backoff: { maxSeconds: Number.POSITIVE_INFINITY } }],
    ["sinks", { sinks: [shelfSink(new Shelf()), shelfSink(new Shelf())] }],
  ])("refuses %s out of its bounds", (_what, wrong) => {
    expect(() => new Worker({ memory, sinks: [], tenantKeys: [], ...wrong })).toThrow(
      expect.objectContaining({ code: "ERR_INVALID_INPUT" }),
    );
  });
});
