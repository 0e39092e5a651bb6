import { expect, test } from "vitest";
import { aMemory, aSummaryOf, LONG_AGO, NEVER_SOON } from "./support/builders.js";
import { aCanary } from "./support/canary.js";
import { aCopyOf, refOf } from "./support/copies.js";
import { describeEachStore } from "./support/stores.js";

const SUBJECT = "customer:ramesh";

describeEachStore("expire", (given) => {
  test("erases what has expired, under one tombstone for each person, and nothing else", async () => {
    const { memory, tenantKey } = await given.tenant();
    const canary = aCanary();
    await memory.remember(aMemory({ tenantKey, text: canary, expiresAt: LONG_AGO }));
    await memory.remember(aMemory({ tenantKey, text: canary, expiresAt: LONG_AGO }));
    await memory.remember(aMemory({ tenantKey, subjectKey: "customer:priya", text: canary, expiresAt: LONG_AGO }));
    const kept = await memory.remember(aMemory({ tenantKey, expiresAt: NEVER_SOON }));

    const result = await memory.erasures.expire({ tenantKey });

    expect(result).toMatchObject({ skippedHeld: 0, more: false });
    expect(result.receipts).toHaveLength(2);
    for (const receipt of result.receipts) {
      expect(receipt).toMatchObject({
        state: "complete",
        closure: "confirmed",
        scope: "memories",
        origin: "expiry",
        reason: "retention_policy",
        requestedBy: { role: "system", idHash: null },
      });
    }
    expect(result.receipts.map(({ counts }) => counts.memories).sort()).toEqual([1, 2]);
    expect(result.receipts.map(({ subjectHash }) => subjectHash).sort()).toEqual(
      [SUBJECT, "customer:priya"].map((key) => memory.subjectFingerprint(tenantKey, key)).sort(),
    );
    expect((await memory.listMemories({ tenantKey })).rows).toEqual([kept.memory]);
    await given.expectNowhere(canary);
  });

  test("takes what was derived from an expired memory with it", async () => {
    const { memory, tenantKey } = await given.tenant();
    const canary = aCanary();
    const soon = new Date(Date.now() + 700);
    const source = await memory.remember(aMemory({ tenantKey, text: canary, expiresAt: soon }));
    await memory.derive({ ...aSummaryOf(source), text: canary });
    await untilPast(soon);

    const { receipts } = await memory.erasures.expire({ tenantKey });

    expect(receipts).toMatchObject([{ counts: { memories: 1, derived: 1 } }]);
    await given.expectNowhere(canary);
  });

  test("also erases a row that several persons share", async () => {
    const { memory, tenantKey } = await given.tenant();
    const canary = aCanary();
    await memory.remember(aMemory({ tenantKey, alsoAbout: ["customer:priya"], text: canary, expiresAt: LONG_AGO }));

    const { receipts } = await memory.erasures.expire({ tenantKey });

    expect(receipts).toMatchObject([
      { state: "complete", counts: { memories: 1 }, subjectHash: memory.subjectFingerprint(tenantKey, SUBJECT) },
    ]);
    await given.expectNowhere(canary);
  });

  test("goes in bounded batches and says whether there is more", async () => {
    const { memory, tenantKey } = await given.tenant();
    await memory.rememberMany([1, 2, 3].map((n) => aMemory({ tenantKey, text: `note ${n}`, expiresAt: LONG_AGO })));

    const first = await memory.erasures.expire({ tenantKey, limit: 2 });
    const second = await memory.erasures.expire({ tenantKey, limit: 2 });
    const third = await memory.erasures.expire({ tenantKey, limit: 2 });

    expect([first, second, third].map(({ more }) => more)).toEqual([true, false, false]);
    expect([first, second, third].map(({ receipts }) => receipts.map(({ counts }) => counts.memories))).toEqual([
      [2],
      [1],
      [],
    ]);
  });

  test("skips and counts what a legal hold keeps", async () => {
    const { memory, tenantKey } = await given.tenant();
    await memory.remember(aMemory({ tenantKey, expiresAt: LONG_AGO }));
    await memory.remember(aMemory({ tenantKey, subjectKey: "customer:priya", expiresAt: LONG_AGO }));
    const { holdId } = await memory.holds.place({ tenantKey, subjectKey: SUBJECT, code: "litigation" });

    const held = await memory.erasures.expire({ tenantKey });
    await memory.holds.release({ tenantKey, holdId });
    const released = await memory.erasures.expire({ tenantKey });

    expect(held).toMatchObject({ receipts: [{ counts: { memories: 1 } }], skippedHeld: 1, more: false });
    expect(released).toMatchObject({ receipts: [{ counts: { memories: 1 } }], skippedHeld: 0 });
  });

  test("leaves an erasure in progress where a copy is outstanding, and does not throw for it", async () => {
    const { memory, tenantKey } = await given.tenant();
    const soon = new Date(Date.now() + 700);
    const source = await memory.remember(aMemory({ tenantKey, expiresAt: soon }));
    const { placement } = await memory.recordPlacement(aCopyOf(source));
    await untilPast(soon);

    const { receipts } = await memory.erasures.expire({ tenantKey });

    expect(receipts).toMatchObject([{ state: "in_progress", outstanding: [{ placementId: placement.placementId }] }]);
    expect(await memory.erasures.expire({ tenantKey })).toEqual({ receipts: [], skippedHeld: 0, more: false });
    const confirmed = await memory.erasures.confirm({
      ...refOf(receipts[0]!),
      placementId: placement.placementId,
      proof: "unfindable",
      by: "worker",
    });
    expect(confirmed).toMatchObject({ state: "complete", origin: "expiry" });
  });

  test("does not close the gate for the person: older data may still come", async () => {
    const { memory, tenantKey } = await given.tenant();
    await memory.remember(aMemory({ tenantKey, expiresAt: LONG_AGO }));
    await memory.erasures.expire({ tenantKey });

    const { memory: row } = await memory.remember(aMemory({ tenantKey, capturedAt: "2001-01-01T00:00:00Z" }));

    expect(await memory.getMemory(tenantKey, row.memoryId)).toEqual(row);
  });
});

// The stores read their own clocks, which may run a little behind this one.
async function untilPast(instant: Date): Promise<void> {
  const end = instant.getTime() + 50;
  while (Date.now() <= end) await new Promise((resolve) => setImmediate(resolve));
}
