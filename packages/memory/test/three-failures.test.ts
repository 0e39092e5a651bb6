import { expect, test } from "vitest";
import { ForgetIncompleteError } from "../src/index.js";
import { aMemory, aSummaryOf } from "./support/builders.js";
import { aCanary } from "./support/canary.js";
import { aCopyOf, forgetIncompletely, refOf } from "./support/copies.js";
import { describeEachStore } from "./support/stores.js";

const SUBJECT = "customer:ramesh";

describeEachStore("three ways in which a deletion job lied", (given) => {
  test("1: the row went, the vector index timed out, the embedding kept answering, and the job said success", async () => {
    const { memory, tenantKey } = await given.tenant();
    const source = await memory.remember(aMemory({ tenantKey }));
    const { placement } = await memory.recordPlacement(aCopyOf(source));
    const { placementId } = placement;

    // The nightly job: the rows go, the delete in the index times out.
    const job = memory.forget({ tenantKey, subjectKey: SUBJECT });
    await expect(job).rejects.toThrow(ForgetIncompleteError);
    await expect(job).rejects.toThrow(/vector-index/);
    const { receipts } = await memory.erasures.list({ tenantKey, state: "in_progress" });
    expect(receipts).toMatchObject([{ outstanding: [{ placementId, sink: "vector-index" }] }]);
    const ref = refOf(receipts[0]!);
    await memory.erasures.attempt({ ...ref, placementId, outcome: "failed", code: "timeout" });

    // Nothing makes it a success: not a rerun, not an accepted request, not the next process.
    await expect(memory.forget({ tenantKey, subjectKey: SUBJECT })).rejects.toThrow(ForgetIncompleteError);
    await expect(
      memory.erasures.confirm({ ...ref, placementId, proof: "acknowledged", by: "vector-worker" }),
    ).rejects.toMatchObject({ code: "ERR_CONFIRMATION_REJECTED" });
    const morning = await given.second();
    expect(await morning.erasures.resume(ref)).toMatchObject({ state: "in_progress", owner: "worker" });
    expect(await morning.erasures.outstanding(ref)).toMatchObject([
      { placementId, sink: "vector-index", ref: "point 1", attempts: 2, lastErrorCode: "timeout" },
    ]);

    // Only that the embedding cannot be found any more does.
    const receipt = await morning.erasures.confirm({ ...ref, placementId, proof: "unfindable", by: "vector-worker" });
    expect(receipt).toMatchObject({ state: "complete", closure: "confirmed" });
  });

  test("2: the job crashed between delete and tombstone, and nobody could tell erasure from data loss", async () => {
    const { memory, tenantKey } = await given.tenant();
    const canary = aCanary();
    const source = await memory.remember(aMemory({ tenantKey, text: canary }));
    const summary = await memory.derive({ ...aSummaryOf(source), text: canary });
    const { memoryId } = source.memory;
    await expect(memory.erasures.assertAuditable({ tenantKey, memoryId })).rejects.toMatchObject({
      code: "ERR_TOMBSTONE_ORDERING",
    });

    // The job dies after its first step. The evidence is there before anything is gone.
    const opened = await memory.erasures.open({ tenantKey, subjectKey: SUBJECT });
    const observer = await given.second();
    expect(opened).toMatchObject({ state: "in_progress", owner: "library" });
    expect(opened).not.toHaveProperty("destroyedAt");
    expect(await observer.getMemory(tenantKey, memoryId)).toBeNull();
    await expect(observer.erasures.assertAuditable({ tenantKey, memoryId })).rejects.toMatchObject({
      code: "ERR_FORGET_INCOMPLETE",
      receipt: { tombstoneId: opened.tombstoneId, state: "in_progress" },
    });

    // It dies again, after the second.
    await given.store.advanceErasure(tenantKey, opened.tombstoneId, 1000);
    await given.expectNowhere(canary);
    expect(await observer.erasures.status(refOf(opened))).toMatchObject({
      state: "in_progress",
      destroyedAt: expect.any(String) as string,
    });

    // Whoever comes next ends where an undisturbed job would have.
    const receipt = await observer.erasures.resume(refOf(opened));
    expect(receipt).toMatchObject({ state: "complete", closure: "confirmed", counts: { memories: 1, derived: 1 } });
    expect(await memory.erasures.assertAuditable({ tenantKey, memoryId })).toEqual(receipt);
    expect(await memory.erasures.assertAuditable({ tenantKey, derivedId: summary.derived.derivedId })).toEqual(receipt);
  });

  test("3: a summary older than the provenance graph survived, and a job made a fresh memory of it", async () => {
    const { memory, tenantKey } = await given.tenant({ subjectHashPepper: "a secret of at least thirty-two bytes" });
    const legacy = "Ramesh moved to Pune in March and asked not to be called at work any more";
    await memory.rememberMany([aMemory({ tenantKey, text: legacy, kind: "legacy_summary", provenanceKnown: false })]);

    // The erasure does not claim what it cannot know.
    const receipt = await forgetIncompletely(memory, { tenantKey, subjectKey: SUBJECT });
    expect(receipt).toMatchObject({
      state: "escalated",
      owner: "person",
      escalation: { code: "closure_unknown" },
      counts: { memories: 1 },
    });
    await given.expectNowhere(legacy);

    // The consolidation job had read the summary before, and writes it back: as a memory, under whomever.
    const back = await memory.remember(aMemory({ tenantKey, subjectKey: "customer:household", text: legacy }));
    expect(back.rematerialised).toBe(true);
    expect(await memory.erasures.reconcile({ tenantKey })).toMatchObject({
      verdict: "residue",
      findings: [
        {
          code: "content_reappeared",
          kind: "memory",
          id: back.memory.memoryId,
          tombstoneId: receipt.tombstoneId,
        },
      ],
    });

    // A deployment that wants no such row refuses it.
    const { memory: strict } = await given.tenant({
      subjectHashPepper: "a secret of at least thirty-two bytes",
      onRematerialise: "refuse",
    });
    await expect(strict.remember(aMemory({ tenantKey, text: legacy }))).rejects.toMatchObject({
      code: "ERR_CONTENT_FORGOTTEN",
    });

    // And the sweep takes it away again.
    expect(await memory.erasures.reconcile({ tenantKey, repair: true })).toMatchObject({ repaired: 1 });
    expect(await memory.getMemory(tenantKey, back.memory.memoryId)).toBeNull();
    await given.expectNowhere(legacy);
  });
});
