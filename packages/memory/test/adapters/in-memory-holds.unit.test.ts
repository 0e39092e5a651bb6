import { describe, expect, test } from "vitest";
import { InMemoryStore } from "../../src/index.js";
import type { MemoryStore } from "../../src/index.js";
import { aClock, aNewDerived, aNewMemory, anErasure, aSubject, insert } from "../in-memory/support.js";

const [RAMESH, PRIYA] = [aSubject("ramesh"), aSubject("priya")];
const EVERYTHING = { subject: null, missingVector: null, limit: 100, cursor: null } as const;

/** Three memories of ramesh, one of priya, and a digest of the first two of these four. */
async function withAShared(store: MemoryStore) {
  const mine = [aNewMemory(), aNewMemory(), aNewMemory()];
  const theirs = aNewMemory({ subjects: [PRIYA] });
  await insert(store, "t", [...mine, theirs]);
  const shared = aNewDerived({ sourceMemories: [mine[0]?.memoryId ?? "", theirs.memoryId] });
  await store.insertDerived("t", [shared]);
  return { mine, theirs, shared };
}

async function finish(store: MemoryStore, tombstoneId: string, chunkRows: number) {
  for (let steps = 0; steps < 50; steps++) {
    const { advanced, receipt } = await store.advanceErasure("t", tombstoneId, chunkRows);
    if (!advanced) return { receipt, steps };
  }
  throw new Error("the erasure never said that nothing is left to do");
}

describe("a legal hold", () => {
  test("refuses until the very instant it ends, and counts what it refused", async () => {
    const clock = aClock("2024-05-01T12:00:00.000Z");
    const store = new InMemoryStore({ clock });
    await insert(store, "t", [aNewMemory()]);
    await store.restrictions.placeHold("t", RAMESH, "litigation", "2024-05-01T13:00:00.000Z");

    clock.set("2024-05-01T12:59:59.999Z");
    await expect(store.openErasure(anErasure())).rejects.toMatchObject({ code: "ERR_LEGAL_HOLD" });
    clock.set("2024-05-01T13:00:00.000Z");
    const receipt = await store.forget(anErasure(), 1000);

    expect(receipt).toMatchObject({ state: "complete", counts: { memories: 1 } });
    expect(await store.restrictions.listHolds("t")).toMatchObject([{ refusals: 1, releasedAt: null }]);
  });

  test("counts a refusal with each hold that refuses", async () => {
    const store = new InMemoryStore();
    await store.restrictions.placeHold("t", RAMESH, "litigation", null);
    await store.restrictions.placeHold("t", RAMESH, "contract", null);
    await store.restrictions.placeHold("t", PRIYA, "contract", null);

    await expect(store.forget(anErasure(), 1000)).rejects.toMatchObject({ code: "ERR_LEGAL_HOLD" });

    const holds = await store.restrictions.listHolds("t");
    expect(holds.filter(({ subjectHash }) => subjectHash === RAMESH.written.hash)).toMatchObject([
      { refusals: 1 },
      { refusals: 1 },
    ]);
    expect(holds.find(({ subjectHash }) => subjectHash === PRIYA.written.hash)).toMatchObject({ refusals: 0 });
    expect(await store.tombstones("t", { subject: null, limit: 10, before: null })).toEqual([]);
  });

  test.each([1, 2, 1000])(
    "on somebody else keeps the shared rows, hidden, and the rest goes, %i rows at a time",
    async (chunkRows) => {
      const store = new InMemoryStore();
      const { theirs, shared } = await withAShared(store);
      const { holdId } = await store.restrictions.placeHold("t", PRIYA, "litigation", null);
      const { tombstoneId } = await store.openErasure(anErasure());

      const blocked = await finish(store, tombstoneId, chunkRows);
      const again = await finish(store, tombstoneId, chunkRows);

      expect(blocked.receipt).toMatchObject({ state: "escalated", escalation: { code: "hold_conflict" } });
      expect(again.receipt).toEqual(blocked.receipt);
      expect(store.dump()).toContain(shared.derivedId);
      expect(await store.getDerived("t", shared.derivedId)).toBeNull();
      expect((await store.listMemories("t", EVERYTHING)).rows).toMatchObject([{ memoryId: theirs.memoryId }]);

      await store.restrictions.releaseHold("t", holdId);
      const { receipt } = await finish(store, tombstoneId, chunkRows);

      expect(receipt).toMatchObject({
        state: "complete",
        escalation: { code: "hold_conflict" },
        counts: { memories: 3, derived: 1, provenanceEdges: 2 },
        otherSubjects: 1,
      });
    },
  );

  test("on the person herself, placed once her erasure is open, stops it the same way", async () => {
    const store = new InMemoryStore();
    await withAShared(store);
    const { tombstoneId } = await store.openErasure(anErasure());
    const { holdId } = await store.restrictions.placeHold("t", RAMESH, "regulatory", null);

    const blocked = await finish(store, tombstoneId, 1000);
    await store.restrictions.releaseHold("t", holdId);
    const done = await finish(store, tombstoneId, 1000);

    expect(blocked.receipt).toMatchObject({ state: "escalated", counts: { memories: 3, derived: 1 } });
    expect(blocked.receipt).not.toHaveProperty("destroyedAt");
    expect(done.receipt).toMatchObject({ state: "complete", counts: { memories: 3, derived: 1 } });
  });
});

describe("a restriction", () => {
  test("of a person also hides what is stored later, under whichever key they are known by then", async () => {
    const store = new InMemoryStore();
    const [old, recent] = [aSubject("priya", "k1"), aSubject("priya", "k2")];
    await insert(store, "t", [aNewMemory({ subjects: [old] })]);
    const { restrictionId } = await store.restrictions.restrict("t", { scope: "subject", subject: old }, "gdpr_18_1_a");
    const both = { ...recent, known: [recent.written, old.written] };

    await insert(store, "t", [aNewMemory({ subjects: [both] }), aNewMemory({ subjects: [recent] })]);

    expect((await store.listMemories("t", EVERYTHING)).rows).toEqual([]);
    await store.restrictions.liftRestriction("t", restrictionId);
    expect((await store.listMemories("t", EVERYTHING)).rows).toHaveLength(3);
  });

  test("keeps an idempotency key with the row it hides", async () => {
    const store = new InMemoryStore();
    const first = aNewMemory({ idempotencyHash: "key" });
    await insert(store, "t", [first]);
    const { restrictionId } = await store.restrictions.restrict("t", { scope: "subject", subject: RAMESH }, "operator");

    const [hidden] = await insert(store, "t", [aNewMemory({ idempotencyHash: "key" })]);
    await store.restrictions.liftRestriction("t", restrictionId);
    const [shown] = await insert(store, "t", [aNewMemory({ idempotencyHash: "key" })]);

    expect(hidden).toMatchObject({ status: "refused", error: { code: "ERR_RESTRICTED" } });
    expect(shown).toMatchObject({ status: "existing", row: { memoryId: first.memoryId } });
  });

  test("cannot be placed on derived rows alone", async () => {
    const scope = { scope: "derived", derivedIds: [], placementIds: [] } as const;

    await expect(new InMemoryStore().restrictions.restrict("t", scope, "operator")).rejects.toMatchObject({
      code: "ERR_INVALID_INPUT",
    });
  });
});
