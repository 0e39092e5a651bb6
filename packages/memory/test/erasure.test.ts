import { describe, expect, test } from "vitest";
import { ForgetIncompleteError } from "../src/index.js";
import { aCanary } from "./support/canary.js";
import { aMemory, aSummaryOf, inTurn } from "./support/builders.js";
import { describeEachStore } from "./support/stores.js";

describeEachStore("erasure", (given) => {
  test("a memory of a forgotten person is gone", async () => {
    const { memory, tenantKey } = await given.tenant();
    const canary = aCanary();
    const source = await memory.remember(
      aMemory({ tenantKey, subjectKey: "customer:ramesh", text: `likes ${canary}` }),
    );

    await memory.forget({ tenantKey, subjectKey: "customer:ramesh" });

    expect(await memory.getMemory(tenantKey, source.memory.memoryId)).toBeNull();
    await given.expectNowhere(canary);
  });

  test("a summary of a summary of an erased memory is erased", async () => {
    const { memory, tenantKey } = await given.tenant();
    const canary = aCanary();
    const source = await memory.remember(aMemory({ tenantKey, subjectKey: "customer:ramesh", text: canary }));
    const weekly = await memory.derive({ ...aSummaryOf(source), text: `weekly ${canary}` });
    const monthly = await memory.derive({ ...aSummaryOf(weekly), text: `monthly ${canary}` });

    await memory.forget({ tenantKey, subjectKey: "customer:ramesh" });

    expect(await memory.getDerived(tenantKey, weekly.derived.derivedId)).toBeNull();
    expect(await memory.getDerived(tenantKey, monthly.derived.derivedId)).toBeNull();
    await given.expectNowhere(canary);
  });

  test("no column keeps the text, the metadata, the vector or the key of a forgotten person", async () => {
    const { memory, tenantKey } = await given.tenant();
    const [inText, inMetadata, inKey] = [aCanary(), aCanary(), aCanary()];
    const source = await memory.remember({
      tenantKey,
      subjectKey: `customer:${inKey}`,
      text: inText,
      metadata: { note: inMetadata, [inMetadata]: true },
      embedding: [0.123456789, 0.25],
      idempotencyKey: inKey,
    });
    await memory.derive({
      ...aSummaryOf(source),
      text: inText,
      metadata: { from: inMetadata },
      embedding: [1, 0.123456789],
    });

    await memory.forget({ tenantKey, subjectKey: `customer:${inKey}`, requestId: inKey });

    await given.expectNowhere(inText, inMetadata, inKey, "0.1234567");
  });

  describe("over-erasure is deliberate", () => {
    test.each([0, 1, 2, 3, 4])(
      "a digest of five people is erased with the one whose row is source %i",
      async (position) => {
        const { memory, tenantKey } = await given.tenant();
        const canary = aCanary();
        const sources = await inTurn([0, 1, 2, 3, 4], (n) =>
          memory.remember(aMemory({ tenantKey, subjectKey: `person:${n}` })),
        );
        const [first, ...others] = sources as [(typeof sources)[0], ...typeof sources];
        const digest = await memory.derive({ ...aSummaryOf(first, ...others), text: canary });

        const receipt = await memory.forget({ tenantKey, subjectKey: `person:${position}` });

        expect(await memory.getDerived(tenantKey, digest.derived.derivedId)).toBeNull();
        expect(receipt).toMatchObject({ counts: { memories: 1, derived: 1, provenanceEdges: 5 }, otherSubjects: 4 });
        await given.expectNowhere(canary);
      },
    );

    test("the receipt names what the over-erased digest can be made from again", async () => {
      const { memory, tenantKey } = await given.tenant();
      const ramesh = await memory.remember(aMemory({ tenantKey, subjectKey: "customer:ramesh" }));
      const priya = await memory.remember(aMemory({ tenantKey, subjectKey: "customer:priya" }));
      const weekly = await memory.derive({ ...aSummaryOf(priya), kind: "weekly" });
      await memory.derive({ ...aSummaryOf(ramesh, priya, weekly), kind: "digest" });
      await memory.derive({ ...aSummaryOf(ramesh), kind: "own" });

      const receipt = await memory.forget({ tenantKey, subjectKey: "customer:ramesh" });

      expect(receipt.rebuildable).toEqual([
        {
          derivedKind: "digest",
          survivingSources: [
            { sourceKind: "memory", sourceId: priya.memory.memoryId },
            { sourceKind: "derived", sourceId: weekly.derived.derivedId },
          ],
        },
      ]);
    });

    test("the memories of the others stay, as they were", async () => {
      const { memory, tenantKey } = await given.tenant();
      const ramesh = await memory.remember(aMemory({ tenantKey, subjectKey: "customer:ramesh" }));
      const priya = await memory.remember(
        aMemory({ tenantKey, subjectKey: "customer:priya", metadata: { plan: "gold" } }),
      );
      await memory.derive(aSummaryOf(ramesh, priya));

      await memory.forget({ tenantKey, subjectKey: "customer:ramesh" });

      expect(await memory.getMemory(tenantKey, priya.memory.memoryId)).toEqual(priya.memory);
    });
  });

  test("a row that is also about somebody is erased with that person", async () => {
    const { memory, tenantKey } = await given.tenant();
    const canary = aCanary();
    const joint = await memory.remember(
      aMemory({
        tenantKey,
        subjectKey: "customer:ramesh",
        alsoAbout: ["customer:priya", "customer:asha"],
        text: canary,
      }),
    );

    const receipt = await memory.forget({ tenantKey, subjectKey: "customer:asha" });

    expect(await memory.getMemory(tenantKey, joint.memory.memoryId)).toBeNull();
    expect(receipt).toMatchObject({ counts: { memories: 1 }, otherSubjects: 2 });
    expect(receipt.subjectHash).toBe(memory.subjectFingerprint(tenantKey, "customer:asha"));
    await given.expectNowhere(canary);
  });

  test("what is remembered of a forgotten person afterwards is new data, stored and visible", async () => {
    const { memory, tenantKey } = await given.tenant();
    await memory.remember(aMemory({ tenantKey, subjectKey: "customer:ramesh" }));
    await memory.forget({ tenantKey, subjectKey: "customer:ramesh" });

    const later = await memory.remember(aMemory({ tenantKey, subjectKey: "customer:ramesh", text: "came back" }));

    expect(await memory.getMemory(tenantKey, later.memory.memoryId)).toEqual(later.memory);
  });

  describe("by memory ids", () => {
    test("only the chosen memories go, with what was derived from them", async () => {
      const { memory, tenantKey } = await given.tenant();
      const kept = await memory.remember(aMemory({ tenantKey }));
      const chosen = await memory.remember(aMemory({ tenantKey }));
      const derived = await memory.derive(aSummaryOf(chosen));

      const receipt = await memory.forget({ tenantKey, memoryIds: [chosen.memory.memoryId] });

      expect(receipt).toMatchObject({
        scope: "memories",
        matched: true,
        counts: { memories: 1, derived: 1, provenanceEdges: 1 },
      });
      expect(receipt.subjectHash).toBe(memory.subjectFingerprint(tenantKey, "customer:ramesh"));
      expect(await memory.getMemory(tenantKey, kept.memory.memoryId)).toEqual(kept.memory);
      expect(await memory.getMemory(tenantKey, chosen.memory.memoryId)).toBeNull();
      expect(await memory.getDerived(tenantKey, derived.derived.derivedId)).toBeNull();
    });

    test("the person of the chosen memories may be written about as before", async () => {
      const { memory, tenantKey } = await given.tenant();
      const chosen = await memory.remember(aMemory({ tenantKey }));
      await memory.forget({ tenantKey, memoryIds: [chosen.memory.memoryId] });

      const late = await memory.remember(aMemory({ tenantKey, capturedAt: "2001-01-01T00:00:00Z" }));

      expect(await memory.getMemory(tenantKey, late.memory.memoryId)).toEqual(late.memory);
    });
  });
});

describeEachStore("an erasure that cannot vouch for its closure", (given) => {
  test("destroys what it knows, is escalated, and never says complete", async () => {
    const { memory, tenantKey } = await given.tenant();
    const canary = aCanary();
    await memory.remember(aMemory({ tenantKey, text: canary, provenanceKnown: false }));

    const forgetting = memory.forget({ tenantKey, subjectKey: "customer:ramesh" });

    const error = await forgetting.then(
      () => null,
      (thrown: unknown) => thrown as ForgetIncompleteError,
    );
    expect(error).toBeInstanceOf(ForgetIncompleteError);
    expect(error?.receipt).toMatchObject({
      state: "escalated",
      owner: "person",
      escalation: { code: "closure_unknown" },
      counts: { memories: 1 },
    });
    expect(error?.receipt.completedAt).toBeUndefined();
    await given.expectNowhere(canary);
  });

  test("stays escalated however often it is resumed, and is joined by whoever asks again", async () => {
    const { memory, tenantKey } = await given.tenant();
    await memory.remember(aMemory({ tenantKey, provenanceKnown: false }));
    const { tombstoneId } = await memory.erasures.open({ tenantKey, subjectKey: "customer:ramesh" });
    const first = await memory.erasures.resume({ tenantKey, tombstoneId });

    const again = await memory.erasures.resume({ tenantKey, tombstoneId });
    const forgetting = memory.forget({ tenantKey, subjectKey: "customer:ramesh" });

    expect(first).toMatchObject({ state: "escalated", owner: "person" });
    expect(again).toEqual(first);
    await expect(forgetting).rejects.toMatchObject({ code: "ERR_FORGET_INCOMPLETE", receipt: first });
  });
});
