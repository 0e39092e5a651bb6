import { describe, expect, test } from "vitest";
import { aMemory, aSummaryOf, LONG_AGO, sourceOf, UNKNOWN_ID } from "./support/builders.js";
import { aCanary } from "./support/canary.js";
import { aCopyOf, forgetIncompletely, refOf } from "./support/copies.js";
import { describeEachStore } from "./support/stores.js";

describeEachStore("a recorded copy", (given) => {
  test("is answered as it is kept", async () => {
    const { memory, tenantKey } = await given.tenant();
    const source = await memory.remember(aMemory({ tenantKey }));

    const { placement } = await memory.recordPlacement({
      tenantKey,
      sink: "vector-index",
      ref: "point 1",
      kind: "embedding",
      sources: [sourceOf(source)],
    });

    expect(placement).toEqual({
      tenantKey,
      placementId: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
      sink: "vector-index",
      ref: "point 1",
      kind: "embedding",
      state: "written",
      createdAt: expect.stringMatching(/Z$/) as string,
    });
  });

  test("recorded twice is one placement, in whatever order its sources are named", async () => {
    const { memory, tenantKey } = await given.tenant();
    const one = await memory.remember(aMemory({ tenantKey }));
    const two = await memory.derive(aSummaryOf(one));

    const first = await memory.recordPlacement(aCopyOf(one, two));
    const again = await memory.recordPlacement(aCopyOf(two, one));

    expect(again.placement).toEqual(first.placement);
  });

  test.each([
    ["sink", { sink: "cache" }],
    ["ref", { ref: "point 2" }],
    ["kind", { kind: "text" }],
  ])("with another %s is another placement", async (_what, other) => {
    const { memory, tenantKey } = await given.tenant();
    const source = await memory.remember(aMemory({ tenantKey }));

    const first = await memory.recordPlacement(aCopyOf(source));
    const second = await memory.recordPlacement({ ...aCopyOf(source), ...other });

    expect(second.placement.placementId).not.toBe(first.placement.placementId);
  });

  test("is named by the lineage of its source, and by what its source was derived into", async () => {
    const { memory, tenantKey } = await given.tenant();
    const source = await memory.remember(aMemory({ tenantKey }));
    const summary = await memory.derive(aSummaryOf(source));
    const ofSource = await memory.recordPlacement(aCopyOf(source));
    const ofSummary = await memory.recordPlacement({ ...aCopyOf(summary), sink: "cache" });

    const lineage = await memory.lineage({ tenantKey, kind: "memory", id: source.memory.memoryId });

    expect(lineage?.placements).toEqual([
      { placementId: ofSource.placement.placementId, sink: "vector-index" },
      { placementId: ofSummary.placement.placementId, sink: "cache" },
    ]);
  });

  test("of another tenant does not exist", async () => {
    const { memory, tenantKey } = await given.tenant();
    const { tenantKey: other } = await given.tenant();
    const source = await memory.remember(aMemory({ tenantKey }));
    const { placement } = await memory.recordPlacement({ ...aCopyOf(source), writeWithin: 60 });

    const { placementId } = placement;
    await expect(memory.placements.written({ tenantKey: other, placementId })).rejects.toMatchObject({
      code: "ERR_NOT_FOUND",
      what: "placement",
    });
    await expect(memory.placements.abandoned({ tenantKey: other, placementId })).rejects.toMatchObject({
      code: "ERR_NOT_FOUND",
    });
    await expect(memory.recordPlacement({ ...aCopyOf(source), tenantKey: other })).rejects.toMatchObject({
      code: "ERR_UNKNOWN_SOURCE",
      sourceIds: [source.memory.memoryId],
    });
  });

  describe("is refused", () => {
    test("where a source does not exist", async () => {
      const { memory, tenantKey } = await given.tenant();
      const source = await memory.remember(aMemory({ tenantKey }));
      const copy = aCopyOf(source);

      const recording = memory.recordPlacement({
        ...copy,
        sources: [...copy.sources, { sourceKind: "derived", sourceId: UNKNOWN_ID }],
      });

      await expect(recording).rejects.toMatchObject({ code: "ERR_UNKNOWN_SOURCE", sourceIds: [UNKNOWN_ID] });
    });

    test("where a source has expired", async () => {
      const { memory, tenantKey } = await given.tenant();
      const source = await memory.remember(aMemory({ tenantKey, expiresAt: LONG_AGO }));

      await expect(memory.recordPlacement(aCopyOf(source))).rejects.toMatchObject({ code: "ERR_UNKNOWN_SOURCE" });
    });

    test.each(["open", "complete"])("where the erasure of a source is %s", async (state) => {
      const { memory, tenantKey } = await given.tenant();
      const source = await memory.remember(aMemory({ tenantKey }));
      const { tombstoneId } = await memory.erasures.open({ tenantKey, subjectKey: "customer:ramesh" });
      if (state === "complete") await memory.erasures.resume({ tenantKey, tombstoneId });

      const recording = memory.recordPlacement(aCopyOf(source));

      await expect(recording).rejects.toMatchObject({
        code: "ERR_SOURCE_FORGOTTEN",
        sourceIds: [source.memory.memoryId],
        retryable: false,
      });
      expect(await memory.erasures.status({ tenantKey, tombstoneId })).toMatchObject({
        counts: { placements: { total: 0 } },
      });
    });

    test("where a source is restricted", async () => {
      const { memory, tenantKey } = await given.tenant();
      const source = await memory.remember(aMemory({ tenantKey }));
      await memory.restrictions.restrict({ tenantKey, subjectKey: "customer:ramesh", basis: "gdpr_18_1_a" });

      await expect(memory.recordPlacement(aCopyOf(source))).rejects.toMatchObject({ code: "ERR_RESTRICTED" });
    });

    test("also where the same copy was recorded before", async () => {
      const { memory, tenantKey } = await given.tenant();
      const source = await memory.remember(aMemory({ tenantKey }));
      const copy = aCopyOf(source);
      await memory.recordPlacement(copy);
      await memory.restrictions.restrict({ tenantKey, subjectKey: "customer:ramesh", basis: "gdpr_18_1_a" });

      const again = memory.recordPlacement(copy);

      await expect(again).rejects.toMatchObject({ code: "ERR_RESTRICTED" });
    });

    test("where no source is named, or one twice", async () => {
      const { memory, tenantKey } = await given.tenant();
      const copy = aCopyOf(await memory.remember(aMemory({ tenantKey })));

      await expect(memory.recordPlacement({ ...copy, sources: [] })).rejects.toMatchObject({
        code: "ERR_PROVENANCE_REQUIRED",
      });
      await expect(
        memory.recordPlacement({ ...copy, sources: [...copy.sources, ...copy.sources] }),
      ).rejects.toMatchObject({ code: "ERR_INVALID_INPUT", argument: "sources[1]" });
    });
  });
});

describeEachStore("the copies of a person", (given) => {
  test("keep an erasure from completing, named by a process that never heard of the sink", async () => {
    const { memory, tenantKey } = await given.tenant();
    const source = await memory.remember(aMemory({ tenantKey }));
    const { placement } = await memory.recordPlacement({ ...aCopyOf(source), sink: "edge-cache" });
    const fresh = await given.second();

    const receipt = await forgetIncompletely(fresh, { tenantKey, subjectKey: "customer:ramesh" });

    expect(receipt).toMatchObject({
      state: "in_progress",
      owner: "worker",
      destroyedAt: expect.any(String) as string,
      counts: { memories: 1, placements: { total: 1, confirmed: 0, attested: 0, outstanding: 1 } },
      outstanding: [{ placementId: placement.placementId, sink: "edge-cache" }],
    });
    expect(receipt).not.toHaveProperty("completedAt");
    expect(receipt).not.toHaveProperty("closure");
    await expect(fresh.forget({ tenantKey, subjectKey: "customer:ramesh" })).rejects.toThrow(/edge-cache/);
  });

  test("are those of everything derived from the memories too, and of rows with several sources", async () => {
    const { memory, tenantKey } = await given.tenant();
    const ramesh = await memory.remember(aMemory({ tenantKey, subjectKey: "customer:ramesh" }));
    const priya = await memory.remember(aMemory({ tenantKey, subjectKey: "customer:priya" }));
    const weekly = await memory.derive(aSummaryOf(priya, ramesh));
    const monthly = await memory.derive(aSummaryOf(weekly));
    const { placement: ofMonthly } = await memory.recordPlacement(aCopyOf(monthly));
    const { placement: ofBoth } = await memory.recordPlacement({ ...aCopyOf(priya, ramesh), ref: "both" });
    await memory.recordPlacement({ ...aCopyOf(priya), ref: "priya alone" });

    const preview = await memory.previewForget({ tenantKey, subjectKey: "customer:ramesh" });
    const receipt = await forgetIncompletely(memory, { tenantKey, subjectKey: "customer:ramesh" });

    const ids = [ofMonthly.placementId, ofBoth.placementId].sort();
    expect(preview).toMatchObject({
      ids: { placements: ids },
      counts: { placements: 2 },
      sinks: [{ sink: "vector-index", placements: 2 }],
    });
    expect(receipt.outstanding.map(({ placementId }) => placementId)).toEqual(ids);
  });

  test("that an earlier erasure still waits for keep a later one from completing too", async () => {
    const { memory, tenantKey } = await given.tenant();
    const source = await memory.remember(aMemory({ tenantKey }));
    const { placement } = await memory.recordPlacement(aCopyOf(source));
    await forgetIncompletely(memory, { tenantKey, memoryIds: [source.memory.memoryId] });

    const second = await forgetIncompletely(memory, { tenantKey, subjectKey: "customer:ramesh" });

    expect(second).toMatchObject({
      scope: "subject",
      counts: { memories: 0 },
      outstanding: [{ placementId: placement.placementId, sink: "vector-index" }],
    });
  });

  test("no longer hold up an erasure once they were abandoned before it", async () => {
    const { memory, tenantKey } = await given.tenant();
    const source = await memory.remember(aMemory({ tenantKey }));
    const { placement } = await memory.recordPlacement({ ...aCopyOf(source), writeWithin: 3600 });
    expect(placement.state).toBe("writing");

    const { placement: abandoned } = await memory.placements.abandoned({
      tenantKey,
      placementId: placement.placementId,
    });
    const receipt = await memory.forget({ tenantKey, subjectKey: "customer:ramesh" });

    expect(abandoned).toMatchObject({ state: "gone", ref: null });
    expect(receipt).toMatchObject({ state: "complete", counts: { placements: { total: 0 } } });
  });

  test("leave no ref behind once they are confirmed", async () => {
    const { memory, tenantKey } = await given.tenant();
    const canary = aCanary();
    const source = await memory.remember(aMemory({ tenantKey, text: canary }));
    const { placement } = await memory.recordPlacement({ ...aCopyOf(source), ref: `/cache/${canary}` });
    const receipt = await forgetIncompletely(memory, { tenantKey, subjectKey: "customer:ramesh" });
    const [outstanding] = await memory.erasures.outstanding(refOf(receipt));
    expect(outstanding).toMatchObject({ ref: `/cache/${canary}` });

    await memory.erasures.confirm({
      ...refOf(receipt),
      placementId: placement.placementId,
      proof: "unfindable",
      by: "cache-worker",
    });

    expect(await memory.erasures.outstanding(refOf(receipt))).toEqual([]);
    await given.expectNowhere(canary);
  });
});

describeEachStore("the sinks of a tenant", (given) => {
  test("are registered by the first copy, with the default proof", async () => {
    const { memory, tenantKey } = await given.tenant();
    expect(await memory.sinks.list({ tenantKey })).toEqual([]);
    const source = await memory.remember(aMemory({ tenantKey }));

    await memory.recordPlacement(aCopyOf(source));

    expect(await memory.sinks.list({ tenantKey })).toEqual([
      { sink: "vector-index", requiredProof: "unfindable", registered: "automatic" },
    ]);
  });

  test("may be lowered to a read-back by key where a copy named them first", async () => {
    const { memory, tenantKey } = await given.tenant();
    await memory.recordPlacement(aCopyOf(await memory.remember(aMemory({ tenantKey }))));

    const registered = await memory.sinks.register({ tenantKey, sink: "vector-index", requiredProof: "absent" });

    expect(registered).toEqual({ sink: "vector-index", requiredProof: "absent", registered: "explicit" });
    expect(await memory.sinks.list({ tenantKey })).toEqual([registered]);
  });

  test("are never lowered once they were registered, and may be raised", async () => {
    const { memory, tenantKey } = await given.tenant();
    await memory.sinks.register({ tenantKey, sink: "cache" });

    await expect(memory.sinks.register({ tenantKey, sink: "cache", requiredProof: "absent" })).rejects.toMatchObject({
      code: "ERR_INVALID_INPUT",
      argument: "requiredProof",
    });
    const raised = await memory.sinks.register({ tenantKey, sink: "cache", requiredProof: "purged" });

    expect(raised.requiredProof).toBe("purged");
    expect(await memory.sinks.list({ tenantKey })).toEqual([raised]);
  });

  test("are asked for no promise: requested and acknowledged are not proofs", async () => {
    const { memory, tenantKey } = await given.tenant();

    for (const requiredProof of ["requested", "acknowledged"]) {
      await expect(
        memory.sinks.register({ tenantKey, sink: "cache", requiredProof: requiredProof as "absent" }),
      ).rejects.toMatchObject({ code: "ERR_INVALID_INPUT" });
    }
    expect(await memory.sinks.list({ tenantKey })).toEqual([]);
  });
});
