import { expect, test } from "vitest";
import { StalePreviewError } from "../src/index.js";
import { aMemory, aSummaryOf, LONG_AGO, UNKNOWN_ID } from "./support/builders.js";
import { describeEachStore } from "./support/stores.js";

describeEachStore("the preview of an erasure", (given) => {
  test("shows the ids, the counts, the depth and the others, and erases nothing", async () => {
    const { memory, tenantKey } = await given.tenant();
    const ramesh = await memory.remember(aMemory({ tenantKey, subjectKey: "customer:ramesh" }));
    const priya = await memory.remember(aMemory({ tenantKey, subjectKey: "customer:priya" }));
    const shared = await memory.derive({ ...aSummaryOf(ramesh, priya), kind: "digest" });
    const top = await memory.derive(aSummaryOf(shared));

    const preview = await memory.previewForget({ tenantKey, subjectKey: "customer:ramesh" });

    expect(preview).toEqual({
      ids: {
        memories: [ramesh.memory.memoryId],
        derived: [shared.derived.derivedId, top.derived.derivedId].sort(),
        placements: [],
      },
      counts: { memories: 1, derived: 2, provenanceEdges: 3, placements: 0 },
      cascadeDepth: 2,
      otherSubjects: 1,
      sinks: [],
      rebuildable: [
        { derivedKind: "digest", survivingSources: [{ sourceKind: "memory", sourceId: priya.memory.memoryId }] },
      ],
      token: preview.token,
    });
    expect(await memory.getMemory(tenantKey, ramesh.memory.memoryId)).toEqual(ramesh.memory);
    expect(await memory.erasureHistory(tenantKey)).toEqual([]);
  });

  test("is what is then erased, row for row", async () => {
    const { memory, tenantKey } = await given.tenant();
    const source = await memory.remember(aMemory({ tenantKey }));
    const summary = await memory.derive(aSummaryOf(source));
    const preview = await memory.previewForget({ tenantKey, subjectKey: "customer:ramesh" });

    const receipt = await memory.forget({ tenantKey, subjectKey: "customer:ramesh", previewToken: preview.token });

    expect(preview.ids).toMatchObject({ memories: [source.memory.memoryId], derived: [summary.derived.derivedId] });
    expect(receipt).toMatchObject({
      counts: { memories: 1, derived: 1, provenanceEdges: 1 },
      cascadeDepth: preview.cascadeDepth,
      otherSubjects: preview.otherSubjects,
      rebuildable: preview.rebuildable,
    });
  });

  test.each(["a memory", "a derived row"])("does not allow an erasure once %s was added", async (added) => {
    const { memory, tenantKey } = await given.tenant();
    const source = await memory.remember(aMemory({ tenantKey }));
    const { token } = await memory.previewForget({ tenantKey, subjectKey: "customer:ramesh" });
    await (added === "a memory" ? memory.remember(aMemory({ tenantKey })) : memory.derive(aSummaryOf(source)));

    const forgetting = memory.forget({ tenantKey, subjectKey: "customer:ramesh", previewToken: token });

    await expect(forgetting).rejects.toThrow(StalePreviewError);
    expect(await memory.getMemory(tenantKey, source.memory.memoryId)).toEqual(source.memory);
    expect(await memory.erasureHistory(tenantKey)).toEqual([]);
  });

  test("is not made stale by what happens to others", async () => {
    const { memory, tenantKey } = await given.tenant();
    await memory.remember(aMemory({ tenantKey, subjectKey: "customer:ramesh" }));
    const { token } = await memory.previewForget({ tenantKey, subjectKey: "customer:ramesh" });
    await memory.remember(aMemory({ tenantKey, subjectKey: "customer:priya" }));

    const receipt = await memory.forget({ tenantKey, subjectKey: "customer:ramesh", previewToken: token });

    expect(receipt).toMatchObject({ state: "complete", counts: { memories: 1 } });
  });

  test("includes what has expired: it is still there, and the person may see it", async () => {
    const { memory, tenantKey } = await given.tenant();
    const expired = await memory.remember(aMemory({ tenantKey, expiresAt: LONG_AGO }));

    const preview = await memory.previewForget({ tenantKey, subjectKey: "customer:ramesh" });

    expect(preview.ids.memories).toEqual([expired.memory.memoryId]);
  });

  test("leaves out what is in an open erasure", async () => {
    const { memory, tenantKey } = await given.tenant();
    await memory.derive(aSummaryOf(await memory.remember(aMemory({ tenantKey }))));
    await memory.erasures.open({ tenantKey, subjectKey: "customer:ramesh" });

    const preview = await memory.previewForget({ tenantKey, subjectKey: "customer:ramesh" });

    expect(preview).toMatchObject({ ids: { memories: [], derived: [], placements: [] }, cascadeDepth: 0 });
  });

  test("names no source as surviving that is in an open erasure", async () => {
    const { memory, tenantKey } = await given.tenant();
    const ramesh = await memory.remember(aMemory({ tenantKey, subjectKey: "customer:ramesh" }));
    const priya = await memory.remember(aMemory({ tenantKey, subjectKey: "customer:priya" }));
    const asha = await memory.remember(aMemory({ tenantKey, subjectKey: "customer:asha" }));
    await memory.derive(aSummaryOf(priya, asha));
    await memory.erasures.open({ tenantKey, subjectKey: "customer:asha" });
    await memory.derive(aSummaryOf(ramesh, priya));
    await memory.erasures.open({ tenantKey, memoryIds: [ramesh.memory.memoryId] });

    const preview = await memory.previewForget({ tenantKey, subjectKey: "customer:priya" });

    expect(preview).toMatchObject({ ids: { memories: [priya.memory.memoryId], derived: [] }, rebuildable: [] });
  });

  test("of chosen memories is what is then erased", async () => {
    const { memory, tenantKey } = await given.tenant();
    await memory.remember(aMemory({ tenantKey }));
    const chosen = await memory.remember(aMemory({ tenantKey }));
    const memoryIds = [chosen.memory.memoryId, UNKNOWN_ID];

    const preview = await memory.previewForget({ tenantKey, memoryIds });
    const receipt = await memory.forget({ tenantKey, memoryIds, previewToken: preview.token });

    expect(preview.ids.memories).toEqual([chosen.memory.memoryId]);
    expect(receipt).toMatchObject({ counts: { memories: 1 }, unknownIds: { neverSeen: 1 } });
  });

  test("of nobody is empty", async () => {
    const { memory, tenantKey } = await given.tenant();

    const preview = await memory.previewForget({ tenantKey, subjectKey: "nobody:we-know" });

    expect(preview).toMatchObject({
      ids: { memories: [], derived: [], placements: [] },
      counts: { memories: 0, derived: 0, provenanceEdges: 0, placements: 0 },
      cascadeDepth: 0,
      otherSubjects: 0,
      rebuildable: [],
    });
  });
});
