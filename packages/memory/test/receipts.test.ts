import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { InvalidInputError, NotFoundError } from "../src/index.js";
import { aMemory, aSummaryOf, inTurn, UNKNOWN_ID } from "./support/builders.js";
import { describeEachStore } from "./support/stores.js";

const NO_COUNTS = {
  memories: 0,
  derived: 0,
  provenanceEdges: 0,
  placements: { total: 0, confirmed: 0, attested: 0, outstanding: 0 },
};

describeEachStore("the receipt", (given) => {
  test("of a person with one memory and one summary says so, word for word", async () => {
    const { memory, tenantKey } = await given.tenant();
    await memory.derive(aSummaryOf(await memory.remember(aMemory({ tenantKey, subjectKey: "customer:ramesh" }))));
    const { notCovered } = await given.store.capabilities();

    const receipt = await memory.forget({ tenantKey, subjectKey: "customer:ramesh" });

    const { tombstoneId, openedAt, destroyedAt, completedAt, ...rest } = receipt;
    expect(rest).toEqual({
      tenantKey,
      scope: "subject",
      subjectHash: memory.subjectFingerprint(tenantKey, "customer:ramesh"),
      subjectHashKeyed: false,
      reason: "subject_request",
      legalBasis: "unspecified",
      origin: "forget",
      requestedBy: { role: "unspecified", idHash: null },
      state: "complete",
      closure: "confirmed",
      owner: "library",
      counts: { ...NO_COUNTS, memories: 1, derived: 1, provenanceEdges: 1 },
      cascadeDepth: 1,
      matched: true,
      unknownIds: { alreadyErased: 0, neverSeen: 0 },
      rebuildable: [],
      otherSubjects: 0,
      outstanding: [],
      notCovered,
    });
    expect(tombstoneId).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/u);
    expect([openedAt, destroyedAt, completedAt].sort()).toEqual([openedAt, destroyedAt, completedAt]);
    expect(new Date(openedAt).toISOString().slice(0, 23)).toBe(openedAt.slice(0, 23));
  });

  test("always names something that a delete does not reach", async () => {
    const { memory, tenantKey } = await given.tenant();

    const receipt = await memory.forget({ tenantKey, subjectKey: "customer:ramesh" });

    expect(receipt.notCovered).toContain("unrecorded_copies");
  });

  test("repeats the ground and the reason that were given", async () => {
    const { memory, tenantKey } = await given.tenant();

    const receipt = await memory.forget({
      tenantKey,
      subjectKey: "customer:ramesh",
      reason: "operator",
      legalBasis: "dpdp_12",
      requestedBy: { role: "data_principal" },
    });

    expect(receipt).toMatchObject({
      reason: "operator",
      legalBasis: "dpdp_12",
      requestedBy: { role: "data_principal", idHash: null },
    });
  });

  test("is the same from forget, from status and after a trip through JSON", async () => {
    const { memory, tenantKey } = await given.tenant();
    await memory.remember(aMemory({ tenantKey }));
    const receipt = await memory.forget({ tenantKey, subjectKey: "customer:ramesh" });

    const fromStatus = await memory.erasures.status({ tenantKey, tombstoneId: receipt.tombstoneId });
    const fromElsewhere = await (await given.second()).erasures.status({ tenantKey, tombstoneId: receipt.tombstoneId });

    expect(fromStatus).toEqual(receipt);
    expect(fromElsewhere).toEqual(receipt);
    expect(JSON.parse(JSON.stringify(receipt))).toEqual(receipt);
  });

  test("holds no key and no text, only hashes, ids, counts and codes", async () => {
    const { memory, tenantKey } = await given.tenant();
    await memory.remember(aMemory({ tenantKey, subjectKey: "customer:ramesh", text: "owes rent" }));

    const receipt = await memory.forget({ tenantKey, subjectKey: "customer:ramesh" });

    expect(JSON.stringify(receipt)).not.toMatch(/ramesh|rent/u);
  });

  describe("counts", () => {
    test("a diamond once, every edge of it, and the depth of its shortest paths", async () => {
      const { memory, tenantKey } = await given.tenant();
      const top = await memory.remember(aMemory({ tenantKey }));
      const left = await memory.derive(aSummaryOf(top));
      const right = await memory.derive(aSummaryOf(top));
      const middle = await memory.derive(aSummaryOf(left, right));
      await memory.derive(aSummaryOf(middle, top));

      const receipt = await memory.forget({ tenantKey, subjectKey: "customer:ramesh" });

      expect(receipt.counts).toEqual({ ...NO_COUNTS, memories: 1, derived: 4, provenanceEdges: 6 });
      expect(receipt.cascadeDepth).toBe(2);
    });

    test("a chain of five levels as depth five", async () => {
      const { memory, tenantKey } = await given.tenant();
      let last: Parameters<typeof aSummaryOf>[0] = await memory.remember(aMemory({ tenantKey }));
      for (let level = 0; level < 5; level++) last = await memory.derive(aSummaryOf(last));

      const receipt = await memory.forget({ tenantKey, subjectKey: "customer:ramesh" });

      expect(receipt).toMatchObject({ cascadeDepth: 5, counts: { derived: 5, provenanceEdges: 5 } });
    });

    test("a shared row once over two open erasures, for the one that destroys it", async () => {
      const { memory, tenantKey } = await given.tenant();
      const ramesh = await memory.remember(aMemory({ tenantKey, subjectKey: "customer:ramesh" }));
      const priya = await memory.remember(aMemory({ tenantKey, subjectKey: "customer:priya" }));
      await memory.derive(aSummaryOf(ramesh, priya));
      const first = await memory.erasures.open({ tenantKey, subjectKey: "customer:ramesh" });
      const second = await memory.erasures.open({ tenantKey, subjectKey: "customer:priya" });

      const secondDone = await memory.erasures.resume({ tenantKey, tombstoneId: second.tombstoneId });
      const firstDone = await memory.erasures.resume({ tenantKey, tombstoneId: first.tombstoneId });

      expect(secondDone).toMatchObject({ state: "complete", counts: { memories: 1, derived: 1, provenanceEdges: 2 } });
      expect(firstDone).toMatchObject({ state: "complete", counts: { memories: 1, derived: 0, provenanceEdges: 0 } });
    });

    test("what was planned while open, and what was destroyed once it is", async () => {
      const { memory, tenantKey } = await given.tenant();
      await memory.derive(aSummaryOf(await memory.remember(aMemory({ tenantKey }))));

      const open = await memory.erasures.open({ tenantKey, subjectKey: "customer:ramesh" });
      const done = await memory.erasures.resume({ tenantKey, tombstoneId: open.tombstoneId });

      expect(open).toMatchObject({ state: "in_progress", owner: "library", counts: { memories: 1, derived: 1 } });
      expect(open.destroyedAt).toBeUndefined();
      expect(done).toMatchObject({ state: "complete", counts: { memories: 1, derived: 1 } });
      expect(done.openedAt).toBe(open.openedAt);
    });
  });

  describe("when there is nothing to erase", () => {
    test("says that we looked and found nothing, and a tombstone proves it", async () => {
      const { memory, tenantKey } = await given.tenant();

      const receipt = await memory.forget({ tenantKey, subjectKey: "nobody:we-know" });

      expect(receipt).toMatchObject({
        state: "complete",
        closure: "confirmed",
        matched: false,
        cascadeDepth: 0,
        counts: NO_COUNTS,
      });
      const history = await memory.erasureHistory(tenantKey, { subjectKey: "nobody:we-know" });
      expect(history).toMatchObject([{ tombstoneId: receipt.tombstoneId, matched: false, state: "complete" }]);
    });

    test("says so for a person who was erased before", async () => {
      const { memory, tenantKey } = await given.tenant();
      await memory.remember(aMemory({ tenantKey }));
      const first = await memory.forget({ tenantKey, subjectKey: "customer:ramesh" });

      const again = await memory.forget({ tenantKey, subjectKey: "customer:ramesh" });

      expect(again.tombstoneId).not.toBe(first.tombstoneId);
      expect(again).toMatchObject({ state: "complete", matched: false, counts: NO_COUNTS });
    });

    test("tells ids that were erased from ids that never were", async () => {
      const { memory, tenantKey } = await given.tenant();
      const [erased, alive] = await inTurn([1, 2], () => memory.remember(aMemory({ tenantKey })));
      const [erasedId, aliveId] = [erased?.memory.memoryId ?? "", alive?.memory.memoryId ?? ""];
      await memory.forget({ tenantKey, memoryIds: [erasedId] });

      const receipt = await memory.forget({ tenantKey, memoryIds: [erasedId, aliveId, UNKNOWN_ID, randomUUID()] });

      expect(receipt).toMatchObject({
        matched: true,
        counts: { memories: 1 },
        unknownIds: { alreadyErased: 1, neverSeen: 2 },
      });
    });

    test("counts unknown ids alone without finding a person", async () => {
      const { memory, tenantKey } = await given.tenant();

      const receipt = await memory.forget({ tenantKey, memoryIds: [UNKNOWN_ID] });

      expect(receipt).toMatchObject({
        state: "complete",
        scope: "memories",
        matched: false,
        counts: NO_COUNTS,
        unknownIds: { alreadyErased: 0, neverSeen: 1 },
      });
    });
  });

  describe("of chosen memories", () => {
    test("is refused where they belong to several people, and nothing is opened", async () => {
      const { memory, tenantKey } = await given.tenant();
      const ramesh = await memory.remember(aMemory({ tenantKey, subjectKey: "customer:ramesh" }));
      const priya = await memory.remember(aMemory({ tenantKey, subjectKey: "customer:priya" }));

      const forgetting = memory.forget({ tenantKey, memoryIds: [ramesh.memory.memoryId, priya.memory.memoryId] });

      await expect(forgetting).rejects.toThrow(InvalidInputError);
      await expect(forgetting).rejects.toMatchObject({ argument: "memoryIds" });
      expect(await memory.getMemory(tenantKey, ramesh.memory.memoryId)).toEqual(ramesh.memory);
      expect(await memory.erasureHistory(tenantKey)).toEqual([]);
    });

    test("needs the person named where several have all of them in common", async () => {
      const { memory, tenantKey } = await given.tenant();
      const joint = await memory.remember(
        aMemory({ tenantKey, subjectKey: "customer:ramesh", alsoAbout: ["customer:priya"] }),
      );
      const memoryIds = [joint.memory.memoryId];

      const unnamed = memory.forget({ tenantKey, memoryIds });
      await expect(unnamed).rejects.toMatchObject({ code: "ERR_INVALID_INPUT", argument: "subjectKey" });
      const receipt = await memory.forget({ tenantKey, memoryIds, subjectKey: "customer:priya" });

      expect(receipt).toMatchObject({ counts: { memories: 1 }, otherSubjects: 1 });
      expect(receipt.subjectHash).toBe(memory.subjectFingerprint(tenantKey, "customer:priya"));
    });

    test("takes rows of several people where one person is in all of them", async () => {
      const { memory, tenantKey } = await given.tenant();
      const joint = await memory.remember(
        aMemory({ tenantKey, subjectKey: "customer:priya", alsoAbout: ["customer:ramesh"] }),
      );
      const own = await memory.remember(aMemory({ tenantKey, subjectKey: "customer:ramesh" }));

      const receipt = await memory.forget({ tenantKey, memoryIds: [joint.memory.memoryId, own.memory.memoryId] });

      expect(receipt).toMatchObject({ counts: { memories: 2 }, otherSubjects: 1 });
      expect(receipt.subjectHash).toBe(memory.subjectFingerprint(tenantKey, "customer:ramesh"));
    });

    test("is refused where the named person has no part in them", async () => {
      const { memory, tenantKey } = await given.tenant();
      const ramesh = await memory.remember(aMemory({ tenantKey, subjectKey: "customer:ramesh" }));

      const forgetting = memory.forget({
        tenantKey,
        memoryIds: [ramesh.memory.memoryId],
        subjectKey: "customer:priya",
      });

      await expect(forgetting).rejects.toMatchObject({ code: "ERR_INVALID_INPUT", argument: "memoryIds" });
      expect(await memory.getMemory(tenantKey, ramesh.memory.memoryId)).toEqual(ramesh.memory);
    });
  });

  test("of an unknown erasure is an error, not an empty answer", async () => {
    const { memory, tenantKey } = await given.tenant();

    for (const tombstoneId of [UNKNOWN_ID, "not-an-id", ""]) {
      await expect(memory.erasures.status({ tenantKey, tombstoneId })).rejects.toThrow(NotFoundError);
      await expect(memory.erasures.resume({ tenantKey, tombstoneId })).rejects.toThrow(NotFoundError);
    }
  });
});
