import { expect, test } from "vitest";
import { aMemory } from "./support/builders.js";
import { aCopyOf, forgetIncompletely, refOf } from "./support/copies.js";
import { describeEachStore, type Given } from "./support/stores.js";

/** An erasure that waits for one copy. */
async function waitingForACopy(given: Given) {
  const { memory, tenantKey } = await given.tenant();
  const source = await memory.remember(aMemory({ tenantKey, subjectKey: "customer:ramesh" }));
  const { placementId } = (await memory.recordPlacement(aCopyOf(source))).placement;
  const erasure = refOf(await forgetIncompletely(memory, { tenantKey, subjectKey: "customer:ramesh" }));
  const lease = async (owner: string, seconds: number, more: { idle?: boolean; takeIdle?: boolean } = {}) =>
    (await memory.erasures.outstanding(erasure, { lease: { owner, seconds, ...more } }))[0];
  const proof = { ...erasure, placementId, proof: "unfindable", by: "worker" } as const;
  return { memory, tenantKey, placementId, erasure, lease, proof };
}

const under = (copy: { leasedUntil: string | null; writtenAt: string | null } | undefined) => ({
  under: { owner: "one", leasedUntil: copy?.leasedUntil ?? "", writtenAt: copy?.writtenAt ?? null },
});

describeEachStore("a lease", (given) => {
  test("that is idle keeps a copy from others until it is due, says when, and yields to who may take it", async () => {
    const { memory, erasure, lease } = await waitingForACopy(given);
    const idle = await lease("one", 600, { idle: true });

    const other = await lease("two", 60);
    const [seen] = await memory.erasures.outstanding(erasure);
    const told = await lease("two", 60, { takeIdle: true });
    const back = await lease("one", 60, { takeIdle: true });

    expect(idle?.retryAt).toBe(idle?.leasedUntil);
    expect(other).toBeUndefined();
    expect(seen).toMatchObject({ retryAt: idle?.leasedUntil, leasedUntil: idle?.leasedUntil });
    expect(told).toMatchObject({ retryAt: null, leasedUntil: expect.any(String) as string });
    expect(back).toBeUndefined();
  });

  test("tells when a copy was last tried, and until when its writer may write", async () => {
    const { memory, tenantKey } = await given.tenant();
    const source = await memory.remember(aMemory({ tenantKey, subjectKey: "customer:ramesh" }));
    const { placementId } = (await memory.recordPlacement({ ...aCopyOf(source), writeWithin: 600 })).placement;
    const erasure = refOf(await forgetIncompletely(memory, { tenantKey, subjectKey: "customer:ramesh" }));

    const [before] = await memory.erasures.outstanding(erasure);
    await memory.erasures.attempt({ ...erasure, placementId, outcome: "failed", code: "timeout" });
    await memory.placements.written({ tenantKey, placementId }).catch(() => undefined);
    const [after] = await memory.erasures.outstanding(erasure);

    const anInstant = expect.stringMatching(/^\d{4}-.*Z$/) as string;
    expect(before).toMatchObject({ lastAttemptAt: null, writtenAt: null, writeDeadline: anInstant });
    expect(after).toMatchObject({ lastAttemptAt: anInstant, writtenAt: anInstant, writeDeadline: null });
  });

  test("that still holds lets what was seen under it be confirmed", async () => {
    const { lease, memory, proof } = await waitingForACopy(given);

    const receipt = await memory.erasures.confirm({ ...proof, ...under(await lease("one", 60)) });

    expect(receipt.state).toBe("complete");
  });

  test.each([
    ["is over", async ({ lease }: Waiting) => lease("one", 0)],
    [
      "was taken by another",
      async ({ lease }: Waiting) => {
        await lease("one", 0);
        await lease("two", 60);
      },
    ],
    ["was taken anew under the same name", async ({ lease }: Waiting) => lease("one", 61)],
    [
      "is of a copy that was written anew",
      async ({ memory, tenantKey, placementId }: Waiting) =>
        memory.placements.written({ tenantKey, placementId, ref: "elsewhere" }).catch(() => undefined),
    ],
  ])("that %s does not: the confirmation is refused and recorded as a try", async (_what, happens) => {
    const waiting = await waitingForACopy(given);
    const seen = await waiting.lease("one", 60);

    await happens(waiting);
    const refused = waiting.memory.erasures.confirm({ ...waiting.proof, ...under(seen) });

    await expect(refused).rejects.toMatchObject({ code: "ERR_CONFIRMATION_REJECTED" });
    expect(await waiting.memory.erasures.status(waiting.erasure)).toMatchObject({ state: "in_progress" });
    expect(await waiting.memory.erasures.outstanding(waiting.erasure)).toMatchObject([{ attempts: 1 }]);
  });

  test("is told that the copy was confirmed by another; without one a confirmation of what is confirmed changes nothing", async () => {
    const { memory, erasure, lease, proof } = await waitingForACopy(given);
    const seen = await lease("one", 60);
    await memory.erasures.confirm(proof);

    const late = memory.erasures.confirm({ ...proof, ...under(seen) });

    await expect(late).rejects.toMatchObject({ code: "ERR_CONFIRMATION_REJECTED" });
    expect(await memory.erasures.confirm(proof)).toEqual(await memory.erasures.status(erasure));
  });

  test("ends when the copy is written anew, and what was written then is not confirmed by what was seen before", async () => {
    const { memory, tenantKey, placementId, lease, proof } = await waitingForACopy(given);
    const seen = await lease("one", 60);

    await memory.placements.written({ tenantKey, placementId, ref: "elsewhere" }).catch(() => undefined);
    const taken = await lease("two", 60);
    const stale = {
      under: { owner: "two", leasedUntil: taken?.leasedUntil ?? "", writtenAt: seen?.writtenAt ?? null },
    };

    expect(taken).toMatchObject({ ref: "elsewhere" });
    await expect(memory.erasures.confirm({ ...proof, ...stale })).rejects.toMatchObject({
      code: "ERR_CONFIRMATION_REJECTED",
    });
    const holder = { under: { ...under(taken).under, owner: "two" } };
    expect((await memory.erasures.confirm({ ...proof, ...holder })).state).toBe("complete");
  });
});

type Waiting = Awaited<ReturnType<typeof waitingForACopy>>;
