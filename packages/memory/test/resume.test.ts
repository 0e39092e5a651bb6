import { expect, test } from "vitest";
import { ForgetIncompleteError, type MemoryStore, TombstoneOrderingError } from "../src/index.js";
import { aMemory, aSummaryOf, inTurn, UNKNOWN_ID } from "./support/builders.js";
import { aCanary } from "./support/canary.js";
import { describeEachStore } from "./support/stores.js";

describeEachStore("an erasure that was interrupted", (given) => {
  test("hides everything from the moment it is open, before anything is destroyed", async () => {
    const { memory, tenantKey } = await given.tenant();
    const source = await memory.remember(aMemory({ tenantKey }));
    const summary = await memory.derive(aSummaryOf(source));

    const open = await memory.erasures.open({ tenantKey, subjectKey: "customer:ramesh" });

    expect(open).toMatchObject({ state: "in_progress", owner: "library" });
    expect(open.destroyedAt).toBeUndefined();
    expect(await memory.getMemory(tenantKey, source.memory.memoryId)).toBeNull();
    expect(await memory.getDerived(tenantKey, summary.derived.derivedId)).toBeNull();
  });

  // Each number is the step after which the process is gone: 0 opened, then one chunk of two rows each.
  test.each([0, 1, 2, 3, 4, 5])("after step %i comes to the same end from another process", async (steps) => {
    const { memory, tenantKey } = await given.tenant();
    const canary = aCanary();
    const sources = await inTurn([1, 2, 3], () => memory.remember(aMemory({ tenantKey, text: canary })));
    await inTurn(sources, (source) => memory.derive({ ...aSummaryOf(source), text: canary }));
    const survivor = await memory.remember(aMemory({ tenantKey, subjectKey: "customer:priya" }));
    const { tombstoneId } = await memory.erasures.open({ tenantKey, subjectKey: "customer:ramesh" });
    await advance(given.store, tenantKey, tombstoneId, steps);

    const receipt = await (await given.second()).erasures.resume({ tenantKey, tombstoneId });

    expect(receipt).toMatchObject({
      tombstoneId,
      state: "complete",
      closure: "confirmed",
      counts: { memories: 3, derived: 3, provenanceEdges: 3 },
    });
    expect(await memory.getMemory(tenantKey, survivor.memory.memoryId)).toEqual(survivor.memory);
    await given.expectNowhere(canary);
  });

  test("is never said to be destroyed before the last row is gone", async () => {
    const { memory, tenantKey } = await given.tenant();
    await inTurn([1, 2, 3], () => memory.remember(aMemory({ tenantKey })));
    const { tombstoneId } = await memory.erasures.open({ tenantKey, subjectKey: "customer:ramesh" });

    const receipts = await advance(given.store, tenantKey, tombstoneId, 2);

    expect(receipts.map(({ destroyedAt }) => destroyedAt === undefined)).toEqual([true, false]);
    expect(receipts.map(({ state }) => state)).toEqual(["in_progress", "in_progress"]);
  });

  test("is finished by asking to forget again", async () => {
    const { memory, tenantKey } = await given.tenant();
    await memory.remember(aMemory({ tenantKey }));
    const { tombstoneId } = await memory.erasures.open({ tenantKey, subjectKey: "customer:ramesh" });
    await advance(given.store, tenantKey, tombstoneId, 1);

    const receipt = await (await given.second()).forget({ tenantKey, subjectKey: "customer:ramesh" });

    expect(receipt).toMatchObject({ tombstoneId, state: "complete", counts: { memories: 1 } });
  });

  test("may be resumed as often as one likes", async () => {
    const { memory, tenantKey } = await given.tenant();
    await memory.remember(aMemory({ tenantKey }));
    const { tombstoneId } = await memory.erasures.open({ tenantKey, subjectKey: "customer:ramesh" });
    const first = await memory.erasures.resume({ tenantKey, tombstoneId });

    const again = await memory.erasures.resume({ tenantKey, tombstoneId });

    expect(again).toEqual(first);
  });

  test("leaves alone what was said after it was opened", async () => {
    const { memory, tenantKey } = await given.tenant();
    await memory.remember(aMemory({ tenantKey }));
    const { tombstoneId } = await memory.erasures.open({ tenantKey, subjectKey: "customer:ramesh" });
    const later = await memory.remember(aMemory({ tenantKey, text: "said since" }));
    const summary = await memory.derive(aSummaryOf(later));

    await memory.erasures.resume({ tenantKey, tombstoneId });

    expect(await memory.getMemory(tenantKey, later.memory.memoryId)).toEqual(later.memory);
    expect(await memory.getDerived(tenantKey, summary.derived.derivedId)).toEqual(summary.derived);
  });

  test("of many rows, in chunks, is as complete as one of few", async () => {
    const { memory, tenantKey } = await given.tenant({ destroyChunkRows: 2 });
    const canary = aCanary();
    const sources = await inTurn([1, 2, 3, 4, 5], () => memory.remember(aMemory({ tenantKey, text: canary })));
    const summaries = await inTurn(sources, (source) => memory.derive({ ...aSummaryOf(source), text: canary }));
    await inTurn(summaries, (summary) => memory.derive({ ...aSummaryOf(summary), text: canary }));

    const receipt = await memory.forget({ tenantKey, subjectKey: "customer:ramesh" });

    expect(receipt).toMatchObject({
      state: "complete",
      counts: { memories: 5, derived: 10, provenanceEdges: 10 },
      cascadeDepth: 2,
    });
    await given.expectNowhere(canary);
  });
});

describeEachStore("proof that a row was erased", (given) => {
  test("is the receipt of the erasure that covers it", async () => {
    const { memory, tenantKey } = await given.tenant();
    const source = await memory.remember(aMemory({ tenantKey }));
    const summary = await memory.derive(aSummaryOf(source));
    const receipt = await memory.forget({ tenantKey, subjectKey: "customer:ramesh" });

    const ofMemory = await memory.erasures.assertAuditable({ tenantKey, memoryId: source.memory.memoryId });
    const ofDerived = await memory.erasures.assertAuditable({ tenantKey, derivedId: summary.derived.derivedId });

    expect(ofMemory).toEqual(receipt);
    expect(ofDerived).toEqual(receipt);
  });

  test("is refused while the erasure is open", async () => {
    const { memory, tenantKey } = await given.tenant();
    const source = await memory.remember(aMemory({ tenantKey }));
    const { tombstoneId } = await memory.erasures.open({ tenantKey, subjectKey: "customer:ramesh" });

    const proving = memory.erasures.assertAuditable({ tenantKey, memoryId: source.memory.memoryId });

    await expect(proving).rejects.toThrow(ForgetIncompleteError);
    await expect(proving).rejects.toMatchObject({ receipt: { tombstoneId, state: "in_progress" } });
  });

  test("is refused for a row that lives, and for one that never was", async () => {
    const { memory, tenantKey } = await given.tenant();
    const source = await memory.remember(aMemory({ tenantKey }));

    const proofs = await Promise.allSettled([
      memory.erasures.assertAuditable({ tenantKey, memoryId: source.memory.memoryId }),
      memory.erasures.assertAuditable({ tenantKey, derivedId: UNKNOWN_ID }),
    ]);

    expect(proofs).toEqual(
      proofs.map(() => ({ status: "rejected", reason: expect.any(TombstoneOrderingError) as unknown })),
    );
  });
});

describeEachStore("the record of erasures", (given) => {
  test("is found by the person, newest first, without their key", async () => {
    const { memory, tenantKey } = await given.tenant();
    await memory.remember(aMemory({ tenantKey, subjectKey: "customer:ramesh" }));
    const first = await memory.forget({ tenantKey, subjectKey: "customer:ramesh" });
    await memory.forget({ tenantKey, subjectKey: "customer:priya" });
    const second = await memory.forget({ tenantKey, subjectKey: "customer:ramesh" });

    const history = await memory.erasureHistory(tenantKey, { subjectKey: "customer:ramesh" });

    expect(history).toMatchObject([
      { tombstoneId: second.tombstoneId, matched: false, counts: { memories: 0, derived: 0, provenanceEdges: 0 } },
      { tombstoneId: first.tombstoneId, matched: true, counts: { memories: 1, derived: 0, provenanceEdges: 0 } },
    ]);
    expect(JSON.stringify(history)).not.toContain("ramesh");
  });

  test("can be read on from any tombstone", async () => {
    const { memory, tenantKey } = await given.tenant();
    const receipts = await inTurn([1, 2, 3, 4], () => memory.forget({ tenantKey, subjectKey: "customer:ramesh" }));
    const newestFirst = receipts.map(({ tombstoneId }) => tombstoneId).reverse();

    const all = await memory.erasureHistory(tenantKey);
    const rest = await memory.erasureHistory(tenantKey, { before: newestFirst[1] ?? "", limit: 1 });

    expect(all.map(({ tombstoneId }) => tombstoneId)).toEqual(newestFirst);
    expect(rest.map(({ tombstoneId }) => tombstoneId)).toEqual([newestFirst[2]]);
  });

  test("lists those in progress apart from those that are complete", async () => {
    const { memory, tenantKey } = await given.tenant();
    const complete = await memory.forget({ tenantKey, subjectKey: "customer:priya" });
    const open = await memory.erasures.open({ tenantKey, subjectKey: "customer:ramesh" });

    const inProgress = await memory.erasures.list({ tenantKey, state: "in_progress" });
    const done = await memory.erasures.list({ tenantKey, state: "complete" });

    expect(inProgress).toEqual({ receipts: [open], nextCursor: null });
    expect(done).toEqual({ receipts: [complete], nextCursor: null });
  });

  test("lists those that were opened before an instant", async () => {
    const { memory, tenantKey } = await given.tenant();
    const receipt = await memory.forget({ tenantKey, subjectKey: "customer:ramesh" });

    const before = await memory.erasures.list({ tenantKey, olderThan: "2001-01-01T00:00:00Z" });
    const after = await memory.erasures.list({ tenantKey, olderThan: "2999-01-01T00:00:00Z" });

    expect(before.receipts).toEqual([]);
    expect(after.receipts).toEqual([receipt]);
  });

  test("is paged without repeating or skipping one", async () => {
    const { memory, tenantKey } = await given.tenant();
    const receipts = await inTurn([1, 2, 3, 4, 5], () => memory.forget({ tenantKey, subjectKey: "customer:ramesh" }));

    const first = await memory.erasures.list({ tenantKey, limit: 2 });
    const second = await memory.erasures.list({ tenantKey, limit: 2, cursor: first.nextCursor ?? "" });
    const third = await memory.erasures.list({ tenantKey, limit: 2, cursor: second.nextCursor ?? "" });

    const paged = [...first.receipts, ...second.receipts, ...third.receipts];
    expect(paged).toEqual([...receipts].reverse());
    expect(third.nextCursor).toBeNull();
  });
});

async function advance(store: MemoryStore, tenantKey: string, tombstoneId: string, steps: number) {
  return inTurn(
    Array.from({ length: steps }),
    async () => (await store.advanceErasure(tenantKey, tombstoneId, 2)).receipt,
  );
}
