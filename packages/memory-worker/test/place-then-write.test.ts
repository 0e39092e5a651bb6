import { expect, test } from "vitest";
import { aMemory, sourceOf } from "../../memory/test/support/builders.js";
import { forgetIncompletely, refOf } from "../../memory/test/support/copies.js";
import { describeEachStore } from "../../memory/test/support/stores.js";
import { placeThenWrite, runOnce } from "../src/index.js";
import { listening } from "./support/placing.js";
import { Shelf, shelfSink } from "./support/shelf.js";

describeEachStore("placing and writing a copy", (given) => {
  async function aSource() {
    const { memory, tenantKey } = await given.tenant();
    const source = await memory.remember(aMemory({ tenantKey }));
    const input = { memory, tenantKey, kind: "embedding", ref: "point 1", sources: [sourceOf(source)] };
    return { memory, tenantKey, input };
  }
  const person = "customer:ramesh";

  test("the copy is on record before it is written, and reported after", async () => {
    const { memory, tenantKey, input } = await aSource();
    const shelf = new Shelf();
    let outstanding = 0;
    const write = async (tag: Parameters<Shelf["write"]>[0]) => {
      outstanding = (await memory.previewForget({ tenantKey, subjectKey: person })).counts.placements;
      return shelf.write(tag);
    };

    const result = await placeThenWrite({ ...input, sink: shelfSink(shelf), write });

    expect(outstanding).toBe(1);
    expect(result).toMatchObject({ outcome: "written", placement: { state: "written", ref: "entry 0" } });
    expect(shelf.tagged(result.placement.placementId)).toEqual(["entry 0"]);
  });

  test("a person who is forgotten while it is written is undone at once, and the erasure waits until that is confirmed", async () => {
    const { memory, tenantKey, input } = await aSource();
    const shelf = new Shelf();
    let erasure: ReturnType<typeof refOf> | undefined;
    const write = async (tag: Parameters<Shelf["write"]>[0]) => {
      const ref = shelf.write(tag);
      erasure = refOf(await forgetIncompletely(memory, { tenantKey, subjectKey: person }));
      return ref;
    };

    const result = await placeThenWrite({ ...input, sink: shelfSink(shelf), write });

    expect(result).toMatchObject({ outcome: "forgotten", undone: true });
    expect(shelf.entries.size).toBe(0);
    expect(await memory.erasures.status(erasure!)).toMatchObject({ state: "in_progress" });
    await runOnce(listening({ memory, sinks: [shelfSink(shelf)], tenantKeys: [tenantKey] }).options);
    expect(await memory.erasures.status(erasure!)).toMatchObject({ state: "complete" });
  });

  test("where the undoing fails the copy is the worker's", async () => {
    const { memory, tenantKey, input } = await aSource();
    const shelf = new Shelf();
    const write = async (tag: Parameters<Shelf["write"]>[0]) => {
      await forgetIncompletely(memory, { tenantKey, subjectKey: person });
      return shelf.write(tag);
    };
    const down = shelfSink(shelf, { destroy: async () => Promise.reject(new Error("down")) });

    const result = await placeThenWrite({ ...input, sink: down, write });
    const report = await runOnce(listening({ memory, sinks: [shelfSink(shelf)], tenantKeys: [tenantKey] }).options);

    expect(result).toMatchObject({ outcome: "forgotten", undone: false });
    expect(report).toMatchObject({ confirmed: 1, completed: 1 });
    expect(shelf.entries.size).toBe(0);
  });

  test("of a person who is forgotten already nothing is written", async () => {
    const { memory, tenantKey, input } = await aSource();
    const shelf = new Shelf();
    await memory.forget({ tenantKey, subjectKey: person });

    const placing = placeThenWrite({ ...input, sink: shelfSink(shelf), write: async (tag) => shelf.write(tag) });

    await expect(placing).rejects.toMatchObject({ code: "ERR_SOURCE_FORGOTTEN" });
    expect(shelf.entries.size).toBe(0);
  });

  test("a writer that fails leaves the copy on record, for it may have written", async () => {
    const { memory, tenantKey, input } = await aSource();
    const shelf = new Shelf();
    const write = async (tag: Parameters<Shelf["write"]>[0]): Promise<string> => {
      shelf.write(tag);
      throw new Error("the answer was lost");
    };

    const placing = placeThenWrite({ ...input, sink: shelfSink(shelf), write });

    await expect(placing).rejects.toThrow("the answer was lost");
    const { erasure, confirmed } = await forgetAndWork(memory, tenantKey, shelf);
    expect(confirmed).toBe(0);
    expect(await memory.erasures.outstanding(erasure)).toHaveLength(1);
  });

  test("a writer that ends after its time is a time-out, and what it wrote is still found out", async () => {
    const { memory, tenantKey, input } = await aSource();
    const shelf = new Shelf();
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    let end: () => void = () => undefined;
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    const write = async (tag: Parameters<Shelf["write"]>[0]) => {
      await held;
      queueMicrotask(end);
      return shelf.write(tag);
    };

    const placing = placeThenWrite({ ...input, sink: shelfSink(shelf), write, writeWithin: 0.02 });
    await expect(placing).rejects.toMatchObject({ code: "ERR_SINK_TIMEOUT" });
    const { erasure } = await forgetAndWork(memory, tenantKey, shelf);
    expect(await memory.erasures.status(erasure)).toMatchObject({ state: "complete" });
    release();
    await ended;

    await expect
      .poll(async () => (await memory.erasures.list({ tenantKey, state: "in_progress" })).receipts)
      .toMatchObject([{ origin: "late_write" }]);
    await runOnce(listening({ memory, sinks: [shelfSink(shelf)], tenantKeys: [tenantKey] }).options);
    expect(shelf.entries.size).toBe(0);
  });

  async function forgetAndWork(memory: Parameters<typeof forgetIncompletely>[0], tenantKey: string, shelf: Shelf) {
    const erasure = refOf(await forgetIncompletely(memory, { tenantKey, subjectKey: person }));
    const report = await runOnce(listening({ memory, sinks: [shelfSink(shelf)], tenantKeys: [tenantKey] }).options);
    return { erasure, confirmed: report.confirmed };
  }
});
