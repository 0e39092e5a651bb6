import { expect, test } from "vitest";
import { aMemory } from "./support/builders.js";
import { describeEachStore } from "./support/stores.js";

describeEachStore("asking twice", (given) => {
  test("the same requestId gives the same receipt, also after the erasure is complete", async () => {
    const { memory, tenantKey } = await given.tenant();
    await memory.remember(aMemory({ tenantKey }));
    const scope = { tenantKey, subjectKey: "customer:ramesh", requestId: "ticket one" };
    const first = await memory.forget(scope);

    const again = await memory.forget(scope);
    const elsewhere = await (await given.second()).forget(scope);

    expect(again).toEqual(first);
    expect(elsewhere).toEqual(first);
    expect(await memory.erasureHistory(tenantKey)).toHaveLength(1);
  });

  test("a requestId that was used for somebody else is refused, and nothing is opened", async () => {
    const { memory, tenantKey } = await given.tenant();
    const priya = await memory.remember(aMemory({ tenantKey, subjectKey: "customer:priya" }));
    await memory.forget({ tenantKey, subjectKey: "customer:ramesh", requestId: "ticket one" });

    const forgetting = memory.forget({ tenantKey, subjectKey: "customer:priya", requestId: "ticket one" });

    await expect(forgetting).rejects.toMatchObject({ code: "ERR_INVALID_INPUT", argument: "requestId" });
    expect(await memory.getMemory(tenantKey, priya.memory.memoryId)).toEqual(priya.memory);
  });

  test("forgetting a person whose erasure is open joins it", async () => {
    const { memory, tenantKey } = await given.tenant();
    await memory.remember(aMemory({ tenantKey }));
    const open = await memory.erasures.open({ tenantKey, subjectKey: "customer:ramesh" });

    const receipt = await memory.forget({ tenantKey, subjectKey: "customer:ramesh" });

    expect(receipt).toMatchObject({ tombstoneId: open.tombstoneId, state: "complete", counts: { memories: 1 } });
    expect(await memory.erasureHistory(tenantKey)).toHaveLength(1);
  });

  test("a requestId that joined an open erasure gives its receipt from then on, and serves no other scope", async () => {
    const { memory, tenantKey } = await given.tenant();
    await memory.remember(aMemory({ tenantKey }));
    const open = await memory.erasures.open({ tenantKey, subjectKey: "customer:ramesh" });
    const joining = { tenantKey, subjectKey: "customer:ramesh", requestId: "ticket one" };
    const joined = await memory.forget(joining);
    await memory.remember(aMemory({ tenantKey, text: "said since" }));

    const again = await memory.forget(joining);
    const other = memory.forget({ tenantKey, subjectKey: "customer:priya", requestId: "ticket one" });

    expect(joined.tombstoneId).toBe(open.tombstoneId);
    expect(again).toEqual(joined);
    await expect(other).rejects.toMatchObject({ code: "ERR_INVALID_INPUT", argument: "requestId" });
    expect(await memory.erasureHistory(tenantKey)).toHaveLength(1);
  });

  test("a requestId finds its erasure half destroyed, where what is left of the memories is filed under several people", async () => {
    const { memory, tenantKey } = await given.tenant({ destroyChunkRows: 1 });
    const own = await memory.remember(aMemory({ tenantKey }));
    const shared = await memory.remember(aMemory({ tenantKey, alsoAbout: ["customer:priya"] }));
    const memoryIds = [own.memory.memoryId, shared.memory.memoryId];
    const chosen = { tenantKey, requestId: "ticket one", memoryIds };
    const open = await memory.erasures.open(chosen);
    // One row a step, in the order of their ids: the one that says whose both are may go first.
    await given.store.advanceErasure(tenantKey, open.tombstoneId, 1);

    const receipt = await memory.forget(chosen);

    expect(receipt).toMatchObject({ tombstoneId: open.tombstoneId, state: "complete", counts: { memories: 2 } });
  });

  test("forgetting a person who said something new since the erasure was opened erases that too", async () => {
    const { memory, tenantKey } = await given.tenant();
    await memory.remember(aMemory({ tenantKey }));
    const open = await memory.erasures.open({ tenantKey, subjectKey: "customer:ramesh" });
    const later = await memory.remember(aMemory({ tenantKey, text: "said since" }));

    const receipt = await memory.forget({ tenantKey, subjectKey: "customer:ramesh" });

    expect(receipt.tombstoneId).not.toBe(open.tombstoneId);
    expect(receipt.state).toBe("complete");
    expect(await memory.getMemory(tenantKey, later.memory.memoryId)).toBeNull();
    const resumed = await memory.erasures.resume({ tenantKey, tombstoneId: open.tombstoneId });
    expect(resumed.state).toBe("complete");
    expect(resumed.counts.memories + receipt.counts.memories).toBe(2);
  });
});
