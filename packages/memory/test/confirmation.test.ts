import { describe, expect, test } from "vitest";
import { ConfirmationRejectedError } from "../src/index.js";
import type { Memory, RequiredProof } from "../src/index.js";
import { aMemory, aSummaryOf, UNKNOWN_ID } from "./support/builders.js";
import { aCopyOf, forgetIncompletely, refOf } from "./support/copies.js";
import { describeEachStore } from "./support/stores.js";

const SUBJECT = "customer:ramesh";
const BY = "cache-worker";

async function erasedButForCopies(memory: Memory, tenantKey: string, sinks: readonly string[]) {
  const source = await memory.remember(aMemory({ tenantKey }));
  const placementIds: string[] = [];
  for (const [index, sink] of sinks.entries()) {
    const { placement } = await memory.recordPlacement({ ...aCopyOf(source), sink, ref: `copy ${index}` });
    placementIds.push(placement.placementId);
  }
  const receipt = await forgetIncompletely(memory, { tenantKey, subjectKey: SUBJECT });
  return { ref: refOf(receipt), placementIds };
}

describeEachStore("a confirmation", (given) => {
  test("of the last copy completes the erasure, in whatever process", async () => {
    const { memory, tenantKey } = await given.tenant();
    const { ref, placementIds } = await erasedButForCopies(memory, tenantKey, ["cache", "vector-index"]);
    const [first, second] = placementIds as [string, string];
    const worker = await given.second();

    const afterFirst = await worker.erasures.confirm({ ...ref, placementId: first, proof: "unfindable", by: BY });
    const afterSecond = await worker.erasures.confirm({ ...ref, placementId: second, proof: "purged", by: BY });

    expect(afterFirst).toMatchObject({
      state: "in_progress",
      counts: { placements: { total: 2, confirmed: 1, outstanding: 1 } },
      outstanding: [{ placementId: second, sink: "vector-index" }],
    });
    expect(afterSecond).toMatchObject({
      state: "complete",
      closure: "confirmed",
      owner: "worker",
      counts: { placements: { total: 2, confirmed: 2, attested: 0, outstanding: 0 } },
      outstanding: [],
      completedAt: expect.any(String) as string,
    });
    expect(await memory.erasures.status(ref)).toEqual(afterSecond);
    expect(await memory.forget({ tenantKey, subjectKey: SUBJECT })).toMatchObject({
      state: "complete",
      matched: false,
    });
  });

  test("that comes before the rows are destroyed counts, and the erasure completes when they are", async () => {
    const { memory, tenantKey } = await given.tenant();
    const source = await memory.remember(aMemory({ tenantKey }));
    const { placement } = await memory.recordPlacement(aCopyOf(source));
    const opened = await memory.erasures.open({ tenantKey, subjectKey: SUBJECT });
    const { placementId } = placement;

    const confirmed = await memory.erasures.confirm({ ...refOf(opened), placementId, proof: "unfindable", by: BY });
    const resumed = await memory.erasures.resume(refOf(opened));

    expect(confirmed).toMatchObject({ state: "in_progress", outstanding: [] });
    expect(confirmed).not.toHaveProperty("destroyedAt");
    expect(resumed).toMatchObject({ state: "complete", closure: "confirmed", counts: { memories: 1 } });
  });

  test("given twice changes nothing", async () => {
    const { memory, tenantKey } = await given.tenant();
    const { ref, placementIds } = await erasedButForCopies(memory, tenantKey, ["cache"]);
    const confirmation = { ...ref, placementId: placementIds[0]!, proof: "unfindable", by: BY } as const;
    const first = await memory.erasures.confirm(confirmation);

    expect(await memory.erasures.confirm(confirmation)).toEqual(first);
    expect(await memory.erasures.confirm({ ...confirmation, proof: "requested" })).toEqual(first);
  });

  test("holds for every erasure that waits for the copy", async () => {
    const { memory, tenantKey } = await given.tenant();
    const ramesh = await memory.remember(aMemory({ tenantKey, subjectKey: SUBJECT }));
    const priya = await memory.remember(aMemory({ tenantKey, subjectKey: "customer:priya" }));
    const { placement } = await memory.recordPlacement(aCopyOf(ramesh, priya));
    const first = await forgetIncompletely(memory, { tenantKey, subjectKey: SUBJECT });
    const second = await forgetIncompletely(memory, { tenantKey, subjectKey: "customer:priya" });
    expect(second.outstanding).toEqual(first.outstanding);

    await memory.erasures.confirm({
      ...refOf(first),
      placementId: placement.placementId,
      proof: "unfindable",
      by: BY,
    });

    for (const receipt of [first, second]) {
      expect(await memory.erasures.status(refOf(receipt))).toMatchObject({ state: "complete", closure: "confirmed" });
    }
  });

  describe("below what the sink must prove is refused, and kept as an attempt", () => {
    test.each<[RequiredProof, string]>([
      ["absent", "acknowledged"],
      ["unfindable", "requested"],
      ["unfindable", "absent"],
      ["purged", "unfindable"],
    ])("%s is required and %s is given", async (requiredProof, proof) => {
      const { memory, tenantKey } = await given.tenant();
      await memory.sinks.register({ tenantKey, sink: "cache", requiredProof });
      const { ref, placementIds } = await erasedButForCopies(memory, tenantKey, ["cache"]);
      const placementId = placementIds[0]!;

      const confirming = memory.erasures.confirm({ ...ref, placementId, proof: proof as "absent", by: BY });

      await expect(confirming).rejects.toThrow(ConfirmationRejectedError);
      expect(await memory.erasures.status(ref)).toMatchObject({ state: "in_progress" });
      expect(await memory.erasures.outstanding(ref)).toMatchObject([{ placementId, requiredProof, attempts: 1 }]);
      const receipt = await memory.erasures.confirm({ ...ref, placementId, proof: requiredProof, by: BY });
      expect(receipt.state).toBe("complete");
    });
  });

  test("of something else is not found", async () => {
    const { memory, tenantKey } = await given.tenant();
    const { tenantKey: otherTenant } = await given.tenant();
    const { ref, placementIds } = await erasedButForCopies(memory, tenantKey, ["cache"]);
    const placementId = placementIds[0]!;
    const proof = { proof: "unfindable", by: BY } as const;

    for (const id of [UNKNOWN_ID, "no id at all"]) {
      await expect(memory.erasures.confirm({ ...ref, placementId: id, ...proof })).rejects.toMatchObject({
        code: "ERR_NOT_FOUND",
        what: "placement",
      });
      await expect(
        memory.erasures.confirm({ tenantKey, tombstoneId: id, placementId, ...proof }),
      ).rejects.toMatchObject({ code: "ERR_NOT_FOUND", what: "erasure" });
    }
    await expect(
      memory.erasures.confirm({ ...ref, tenantKey: otherTenant, placementId, ...proof }),
    ).rejects.toMatchObject({ code: "ERR_NOT_FOUND" });
    expect(await memory.erasures.status(ref)).toMatchObject({ state: "in_progress" });
  });
});

describeEachStore("the outstanding copies", (given) => {
  test("say where, of what kind, and what is known of each", async () => {
    const { memory, tenantKey } = await given.tenant();
    const { ref, placementIds } = await erasedButForCopies(memory, tenantKey, ["cache"]);
    const placementId = placementIds[0]!;

    expect(await memory.erasures.outstanding(ref)).toEqual([
      {
        placementId,
        sink: "cache",
        ref: "copy 0",
        kind: "embedding",
        requiredProof: "unfindable",
        attempts: 0,
        lastAttemptAt: null,
        lastErrorCode: null,
        writtenAt: null,
        writeDeadline: null,
        leasedUntil: null,
        retryAt: null,
      },
    ]);
    await memory.erasures.attempt({ ...ref, placementId, outcome: "failed", code: "timeout" });
    await memory.erasures.attempt({ ...ref, placementId, outcome: "failed" });
    expect(await memory.erasures.outstanding(ref)).toMatchObject([{ attempts: 2, lastErrorCode: "other" }]);
    await memory.erasures.attempt({ ...ref, placementId, outcome: "acknowledged" });
    expect(await memory.erasures.outstanding(ref)).toMatchObject([{ attempts: 3, lastErrorCode: "other" }]);
    expect(await memory.erasures.status(ref)).toMatchObject({ state: "in_progress" });
  });

  test("are leased to one worker at a time", async () => {
    const { memory, tenantKey } = await given.tenant();
    const { ref, placementIds } = await erasedButForCopies(memory, tenantKey, ["cache", "vector-index"]);

    const mine = await memory.erasures.outstanding(ref, { lease: { owner: "worker-a", seconds: 3600 } });
    const theirs = await memory.erasures.outstanding(ref, { lease: { owner: "worker-b", seconds: 3600 } });
    const mineAgain = await memory.erasures.outstanding(ref, { lease: { owner: "worker-a", seconds: 3600 } });

    expect(mine.map(({ placementId }) => placementId)).toEqual([...placementIds].sort());
    expect(mine.every(({ leasedUntil }) => leasedUntil !== null)).toBe(true);
    expect(theirs).toEqual([]);
    expect(mineAgain).toHaveLength(2);
    expect(await memory.erasures.outstanding(ref)).toHaveLength(2);
  });

  test("of a lease of 0 seconds are anybody's at once", async () => {
    const { memory, tenantKey } = await given.tenant();
    const { ref } = await erasedButForCopies(memory, tenantKey, ["cache"]);

    const first = await memory.erasures.outstanding(ref, { lease: { owner: "worker-a", seconds: 0 } });
    const second = await memory.erasures.outstanding(ref, { lease: { owner: "worker-b", seconds: 0 } });

    expect(first).toHaveLength(1);
    expect(second).toHaveLength(1);
  });

  test("of no erasure are not found", async () => {
    const { memory, tenantKey } = await given.tenant();

    for (const tombstoneId of [UNKNOWN_ID, "no id"]) {
      await expect(memory.erasures.outstanding({ tenantKey, tombstoneId })).rejects.toMatchObject({
        code: "ERR_NOT_FOUND",
        what: "erasure",
      });
    }
  });
});

describeEachStore("a person's word", (given) => {
  test("for a copy closes the erasure as attested, never as confirmed", async () => {
    const { memory, tenantKey } = await given.tenant();
    const { ref, placementIds } = await erasedButForCopies(memory, tenantKey, ["cache", "gone-vendor"]);
    const [ofCache, ofVendor] = placementIds as [string, string];
    await memory.erasures.confirm({ ...ref, placementId: ofCache, proof: "unfindable", by: BY });

    const receipt = await memory.erasures.attest({
      ...ref,
      placementId: ofVendor,
      by: "privacy-officer",
      reference: "CASE-1042",
    });

    expect(receipt).toMatchObject({
      state: "complete",
      closure: "attested",
      owner: "person",
      counts: { placements: { total: 2, confirmed: 1, attested: 1, outstanding: 0 } },
    });
    expect(await memory.erasures.assertAuditable({ tenantKey, memoryId: await onlyMemoryOf(receipt, memory) })).toEqual(
      receipt,
    );
  });

  test("is not taken by forget for a confirmation: the same request is told so", async () => {
    const { memory, tenantKey } = await given.tenant();
    const source = await memory.remember(aMemory({ tenantKey }));
    const { placement } = await memory.recordPlacement(aCopyOf(source));
    const request = { tenantKey, subjectKey: SUBJECT, requestId: "ticket" };
    const receipt = await forgetIncompletely(memory, request);
    const { placementId } = placement;
    await memory.erasures.attest({ ...refOf(receipt), placementId, by: "privacy-officer", reference: "CASE-1042" });

    const again = await forgetIncompletely(memory, request);

    expect(again).toMatchObject({ tombstoneId: receipt.tombstoneId, state: "complete", closure: "attested" });
  });

  test("does not outweigh a confirmation of the same copy that comes first", async () => {
    const { memory, tenantKey } = await given.tenant();
    const { ref, placementIds } = await erasedButForCopies(memory, tenantKey, ["cache"]);
    const placementId = placementIds[0]!;
    const confirmed = await memory.erasures.confirm({ ...ref, placementId, proof: "unfindable", by: BY });

    const attested = await memory.erasures.attest({ ...ref, placementId, by: "privacy-officer", reference: "CASE-1" });

    expect(attested).toEqual(confirmed);
    expect(attested.closure).toBe("confirmed");
  });
});

describeEachStore("an escalation", (given) => {
  test("is shown with its code and makes a person the owner; the erasure completes like any other", async () => {
    const { memory, tenantKey } = await given.tenant();
    const { ref, placementIds } = await erasedButForCopies(memory, tenantKey, ["cache"]);

    const escalated = await memory.erasures.escalate({ ...ref, code: "sink_unreachable" });
    const listed = await memory.erasures.list({ tenantKey, state: "escalated" });
    const completed = await memory.erasures.confirm({
      ...ref,
      placementId: placementIds[0]!,
      proof: "unfindable",
      by: BY,
    });

    expect(escalated).toMatchObject({
      state: "escalated",
      owner: "person",
      escalation: { code: "sink_unreachable", at: expect.any(String) as string },
    });
    expect(listed.receipts).toEqual([escalated]);
    expect(completed).toMatchObject({
      state: "complete",
      closure: "confirmed",
      escalation: { code: "sink_unreachable" },
    });
  });

  test("is told to whoever asks to forget", async () => {
    const { memory, tenantKey } = await given.tenant();
    const source = await memory.remember(aMemory({ tenantKey }));
    await memory.recordPlacement(aCopyOf(await memory.derive(aSummaryOf(source))));
    const request = { tenantKey, subjectKey: SUBJECT, requestId: "ticket" };
    const receipt = await forgetIncompletely(memory, request);
    await memory.erasures.escalate({ ...refOf(receipt), code: "sink_gone" });

    await expect(memory.forget(request)).rejects.toThrow(/escalated \(sink_gone\)/);
  });

  test("of a complete erasure changes nothing", async () => {
    const { memory, tenantKey } = await given.tenant();
    const receipt = await memory.forget({ tenantKey, subjectKey: SUBJECT });

    expect(await memory.erasures.escalate({ ...refOf(receipt), code: "operator" })).toEqual(receipt);
  });
});

async function onlyMemoryOf(receipt: { tenantKey: string; tombstoneId: string }, memory: Memory): Promise<string> {
  for await (const line of memory.erasures.exportTombstones({ tenantKey: receipt.tenantKey })) {
    const record = JSON.parse(line) as { tombstoneId: string; memoryIds: string[] };
    if (record.tombstoneId === receipt.tombstoneId) return record.memoryIds[0]!;
  }
  throw new Error("the erasure was not exported");
}
