import { expect, test } from "vitest";
import { aMemory } from "./support/builders.js";
import { aCanary } from "./support/canary.js";
import { describeEachStore } from "./support/stores.js";

describeEachStore("an idempotency key", (given) => {
  test("stores once, and gives the first row again whatever the second call says", async () => {
    const { memory, tenantKey } = await given.tenant();
    const first = await memory.remember(aMemory({ tenantKey, text: "first", idempotencyKey: "message one" }));

    const again = await memory.remember(aMemory({ tenantKey, text: "second", idempotencyKey: "message one" }));
    const elsewhere = await (
      await given.second()
    ).remember(aMemory({ tenantKey, text: "third", subjectKey: "customer:priya", idempotencyKey: "message one" }));

    expect(again.memory).toEqual(first.memory);
    expect(elsewhere.memory).toEqual(first.memory);
    expect((await memory.listMemories({ tenantKey })).rows).toEqual([first.memory]);
  });

  test("stores once also where the calls run at the same time", async () => {
    const { memory, tenantKey } = await given.tenant();
    const second = await given.second();

    const results = await Promise.all(
      [memory, second, memory, second].map((from, n) =>
        from.remember(aMemory({ tenantKey, text: `attempt ${n}`, idempotencyKey: "message one" })),
      ),
    );

    const { rows } = await memory.listMemories({ tenantKey });
    expect(rows).toHaveLength(1);
    expect(results.map((result) => result.memory)).toEqual(results.map(() => rows[0]));
  });

  test("stores once also within one batch", async () => {
    const { memory, tenantKey } = await given.tenant();

    const results = await memory.rememberMany([
      aMemory({ tenantKey, text: "first", idempotencyKey: "message one" }),
      aMemory({ tenantKey, text: "again", idempotencyKey: "message one" }),
      aMemory({ tenantKey, text: "other", idempotencyKey: "message two" }),
    ]);

    expect(results).toMatchObject([
      { memory: { text: "first" } },
      { memory: { text: "first" } },
      { memory: { text: "other" } },
    ]);
    expect((await memory.listMemories({ tenantKey })).rows.map(({ text }) => text)).toEqual(["other", "first"]);
  });

  test.each(["open", "complete"])(
    "is free again once the erasure of its row is %s, and never gives the erased row",
    async (state) => {
      const { memory, tenantKey } = await given.tenant();
      const first = await memory.remember(aMemory({ tenantKey, text: "first", idempotencyKey: "message one" }));
      const scope = { tenantKey, subjectKey: "customer:ramesh" };
      await (state === "open" ? memory.erasures.open(scope) : memory.forget(scope));

      const anew = await memory.remember(aMemory({ tenantKey, text: "anew", idempotencyKey: "message one" }));

      expect(anew.memory.memoryId).not.toBe(first.memory.memoryId);
      expect(anew.memory.text).toBe("anew");
      expect(await memory.getMemory(tenantKey, anew.memory.memoryId)).toEqual(anew.memory);
    },
  );

  test("taken anew while the old row is being erased stays with the new row", async () => {
    const { memory, tenantKey } = await given.tenant();
    await memory.remember(aMemory({ tenantKey, text: "first", idempotencyKey: "message one" }));
    const { tombstoneId } = await memory.erasures.open({ tenantKey, subjectKey: "customer:ramesh" });
    const anew = await memory.remember(aMemory({ tenantKey, text: "anew", idempotencyKey: "message one" }));
    await memory.erasures.resume({ tenantKey, tombstoneId });

    const again = await memory.remember(aMemory({ tenantKey, text: "again", idempotencyKey: "message one" }));

    expect(again.memory).toEqual(anew.memory);
  });

  test("is kept as a hash only", async () => {
    const { memory, tenantKey } = await given.tenant();
    const canary = aCanary();

    await memory.remember(aMemory({ tenantKey, idempotencyKey: canary }));
    await memory.forget({ tenantKey, subjectKey: "customer:priya", requestId: canary });

    await given.expectNowhere(canary);
  });
});
