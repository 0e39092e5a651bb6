import { expect, test } from "vitest";
import { aMemory, aSummaryOf } from "./support/builders.js";
import { aCanary } from "./support/canary.js";
import { aCopyOf, refOf } from "./support/copies.js";
import { describeEachStore } from "./support/stores.js";

const PEPPER = [{ id: "k1", secret: "a secret of at least thirty-two bytes" }] as const;
const OTHER_PEPPER = [{ id: "k2", secret: "another secret of thirty-two bytes or more" }] as const;

describeEachStore("forgetTenant", (given) => {
  test("erases everybody in the tenant, and nobody in another", async () => {
    const { memory, tenantKey } = await given.tenant();
    const { tenantKey: other } = await given.tenant();
    const canary = aCanary();
    const ramesh = await memory.remember(aMemory({ tenantKey, text: canary }));
    const priya = await memory.remember(aMemory({ tenantKey, subjectKey: "customer:priya", text: canary }));
    await memory.derive({ ...aSummaryOf(ramesh, priya), text: canary });
    const kept = await memory.remember(aMemory({ tenantKey: other }));

    const result = await memory.erasures.forgetTenant({ tenantKey, confirm: tenantKey });

    expect(result).toEqual({ complete: 2, inProgress: 0, skippedHeld: 0, more: false });
    const history = await memory.erasureHistory(tenantKey);
    expect(history).toHaveLength(2);
    for (const tombstone of history) {
      expect(tombstone).toMatchObject({
        scope: "subject",
        origin: "forget",
        reason: "operator",
        legalBasis: "contract_end",
        state: "complete",
      });
    }
    expect(await memory.getMemory(other, kept.memory.memoryId)).toEqual(kept.memory);
    await given.expectNowhere(canary);
  });

  test.each(["", "another tenant", undefined])("needs the tenant key once more (%j)", async (confirm) => {
    const { memory, tenantKey } = await given.tenant();
    const { memory: row } = await memory.remember(aMemory({ tenantKey }));

    await expect(
      memory.erasures.forgetTenant({ tenantKey, confirm: confirm as unknown as string }),
    ).rejects.toMatchObject({ code: "ERR_INVALID_INPUT", argument: "confirm" });

    expect(await memory.getMemory(tenantKey, row.memoryId)).toEqual(row);
  });

  test("goes in bounded batches, and can be called until nothing is left", async () => {
    const { memory, tenantKey } = await given.tenant();
    await memory.rememberMany([1, 2, 3].map((n) => aMemory({ tenantKey, subjectKey: `person:${n}` })));
    const input = { tenantKey, confirm: tenantKey, limit: 2 };

    expect(await memory.erasures.forgetTenant(input)).toMatchObject({ complete: 2, more: true });
    expect(await memory.erasures.forgetTenant(input)).toMatchObject({ complete: 1, more: false });
    expect(await memory.erasures.forgetTenant(input)).toMatchObject({ complete: 0, more: false });
  });

  test("finishes what a crash left open", async () => {
    const { memory, tenantKey } = await given.tenant();
    const canary = aCanary();
    await memory.remember(aMemory({ tenantKey, text: canary }));
    const opened = await memory.erasures.open({ tenantKey, subjectKey: "customer:ramesh" });

    const result = await memory.erasures.forgetTenant({ tenantKey, confirm: tenantKey });

    expect(result).toEqual({ complete: 1, inProgress: 0, skippedHeld: 0, more: false });
    expect(await memory.erasures.status(refOf(opened))).toMatchObject({ state: "complete" });
    await given.expectNowhere(canary);
  });

  test("counts what still waits for copies, in this call and in the next", async () => {
    const { memory, tenantKey } = await given.tenant();
    const source = await memory.remember(aMemory({ tenantKey }));
    const { placement } = await memory.recordPlacement(aCopyOf(source));
    const input = { tenantKey, confirm: tenantKey };

    expect(await memory.erasures.forgetTenant(input)).toMatchObject({ complete: 0, inProgress: 1, more: false });
    expect(await memory.erasures.forgetTenant(input)).toMatchObject({ complete: 0, inProgress: 1, more: false });
    const { receipts } = await memory.erasures.list({ tenantKey, state: "in_progress" });
    await memory.erasures.confirm({
      ...refOf(receipts[0]!),
      placementId: placement.placementId,
      proof: "unfindable",
      by: "worker",
    });

    expect(receipts).toHaveLength(1);
    expect(await memory.erasures.forgetTenant(input)).toMatchObject({ complete: 0, inProgress: 0 });
  });

  test("skips and counts persons under a legal hold", async () => {
    const { memory, tenantKey } = await given.tenant();
    const { memory: held } = await memory.remember(aMemory({ tenantKey }));
    await memory.remember(aMemory({ tenantKey, subjectKey: "customer:priya" }));
    await memory.holds.place({ tenantKey, subjectKey: "customer:ramesh", code: "litigation" });

    const result = await memory.erasures.forgetTenant({ tenantKey, confirm: tenantKey });

    expect(result).toEqual({ complete: 1, inProgress: 0, skippedHeld: 1, more: false });
    expect((await memory.listMemories({ tenantKey })).rows).toEqual([held]);
  });

  test("needs no pepper: persons under whatever key are erased", async () => {
    const { memory: first, tenantKey } = await given.tenant({ subjectHashPepper: PEPPER });
    const { memory: second } = await given.tenant({ subjectHashPepper: OTHER_PEPPER });
    const { memory: without } = await given.tenant();
    await first.remember(aMemory({ tenantKey, subjectKey: "person:1" }));
    await second.remember(aMemory({ tenantKey, subjectKey: "person:2" }));
    await without.remember(aMemory({ tenantKey, subjectKey: "person:3" }));

    const result = await without.erasures.forgetTenant({ tenantKey, confirm: tenantKey });

    expect(result).toEqual({ complete: 3, inProgress: 0, skippedHeld: 0, more: false });
    expect((await without.listMemories({ tenantKey })).rows).toEqual([]);
    expect(await first.erasureHistory(tenantKey)).toHaveLength(3);
  });

  test("erases a row that several persons share once", async () => {
    const { memory, tenantKey } = await given.tenant();
    await memory.remember(aMemory({ tenantKey, alsoAbout: ["customer:priya"] }));

    const result = await memory.erasures.forgetTenant({ tenantKey, confirm: tenantKey });

    expect(result).toMatchObject({ inProgress: 0, more: false });
    const { receipts } = await memory.erasures.list({ tenantKey });
    expect(receipts.reduce((sum, { counts }) => sum + counts.memories, 0)).toBe(1);
  });
});
