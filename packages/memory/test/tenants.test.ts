import { describe, expect, test } from "vitest";
import type { Memory } from "../src/index.js";
import { NotFoundError, TombstoneOrderingError, UnknownSourceError } from "../src/index.js";
import { aMemory, aSummaryOf } from "./support/builders.js";
import { aCanary } from "./support/canary.js";
import { describeEachStore, type Given } from "./support/stores.js";

const SUBJECT = "customer:ramesh";

describeEachStore("two tenants with the same keys", (given) => {
  describe("see nothing of each other", () => {
    test("by id", async () => {
      const { memory, theirs, ours } = await twoTenants(given);

      expect(await memory.getMemory(ours, theirs.source.memory.memoryId)).toBeNull();
      expect(await memory.getDerived(ours, theirs.summary.derived.derivedId)).toBeNull();
      expect(await memory.lineage({ tenantKey: ours, kind: "memory", id: theirs.source.memory.memoryId })).toBeNull();
    });

    test("in lists, by person or not", async () => {
      const { memory, ours } = await twoTenants(given);

      for (const filter of [{}, { subjectKey: SUBJECT }]) {
        expect((await memory.listMemories({ tenantKey: ours, ...filter })).rows).toEqual([]);
        expect((await memory.listDerived({ tenantKey: ours, ...filter })).rows).toEqual([]);
      }
    });

    test("in recall, by terms or by vector", async () => {
      const { memory, ours } = await twoTenants(given);

      for (const filter of [{}, { subjectKey: SUBJECT }]) {
        expect((await memory.recall({ tenantKey: ours, text: "saffron", ...filter })).hits).toEqual([]);
        expect((await memory.recall({ tenantKey: ours, embedding: [1, 0], ...filter })).hits).toEqual([]);
      }
    });

    test("with another's cursor", async () => {
      const { memory, theirs, ours } = await twoTenants(given);
      await memory.remember(aMemory({ tenantKey: theirs.tenantKey, subjectKey: SUBJECT }));
      const { nextCursor } = await memory.listMemories({ tenantKey: theirs.tenantKey, limit: 1 });

      const page = memory.listMemories({ tenantKey: ours, cursor: nextCursor ?? "" });

      expect(
        await page.then(
          ({ rows }) => rows,
          () => [],
        ),
      ).toEqual([]);
    });

    test("in a preview", async () => {
      const { memory, theirs, ours } = await twoTenants(given);

      const ofPerson = await memory.previewForget({ tenantKey: ours, subjectKey: SUBJECT });
      const ofIds = await memory.previewForget({ tenantKey: ours, memoryIds: [theirs.source.memory.memoryId] });

      expect(ofPerson.ids).toEqual({ memories: [], derived: [], placements: [] });
      expect(ofIds.ids).toEqual({ memories: [], derived: [], placements: [] });
    });

    test("in the record of erasures", async () => {
      const { memory, theirs, ours } = await twoTenants(given);
      const { tombstoneId } = await memory.forget({ tenantKey: theirs.tenantKey, subjectKey: SUBJECT });
      const ref = { tenantKey: ours, tombstoneId };

      expect(await memory.erasureHistory(ours)).toEqual([]);
      expect((await memory.erasures.list({ tenantKey: ours })).receipts).toEqual([]);
      await expect(memory.erasures.status(ref)).rejects.toThrow(NotFoundError);
      await expect(memory.erasures.resume(ref)).rejects.toThrow(NotFoundError);
      const proving = memory.erasures.assertAuditable({ tenantKey: ours, memoryId: theirs.source.memory.memoryId });
      await expect(proving).rejects.toThrow(TombstoneOrderingError);
    });
  });

  describe("change nothing of each other", () => {
    test("by forgetting the same person", async () => {
      const { memory, theirs, ours } = await twoTenants(given);

      const receipt = await memory.forget({ tenantKey: ours, subjectKey: SUBJECT });

      expect(receipt).toMatchObject({ matched: false, counts: { memories: 0, derived: 0 } });
      await expectUnchanged(memory, theirs);
    });

    test("by forgetting another's ids, which are the same as unknown ones", async () => {
      const { memory, theirs, ours } = await twoTenants(given);

      const receipt = await memory.forget({ tenantKey: ours, memoryIds: [theirs.source.memory.memoryId] });

      expect(receipt).toMatchObject({ matched: false, unknownIds: { alreadyErased: 0, neverSeen: 1 } });
      await expectUnchanged(memory, theirs);
    });

    test("by deriving from another's rows, which are the same as unknown ones", async () => {
      const { memory, theirs, ours } = await twoTenants(given);

      const deriving = memory.derive({ ...aSummaryOf(theirs.source), tenantKey: ours });

      await expect(deriving).rejects.toThrow(UnknownSourceError);
      await expectUnchanged(memory, theirs);
    });

    test("by deriving from rows that another has forgotten, which are the same as unknown ones", async () => {
      const { memory, theirs, ours } = await twoTenants(given);
      await memory.forget({ tenantKey: theirs.tenantKey, subjectKey: SUBJECT });

      await expect(memory.derive({ ...aSummaryOf(theirs.source), tenantKey: ours })).rejects.toThrow(
        UnknownSourceError,
      );
    });

    test("by setting vectors", async () => {
      const { memory, theirs, ours } = await twoTenants(given);

      const answer = await memory.setEmbeddings({
        tenantKey: ours,
        items: [{ kind: "memory", id: theirs.source.memory.memoryId, embedding: [0, 1] }],
      });

      expect(answer).toEqual({ updated: 0, unknown: 1 });
      const { hits } = await memory.recall({ tenantKey: theirs.tenantKey, embedding: [1, 0], include: "memories" });
      expect(hits).toEqual([{ kind: "memory", row: theirs.source.memory, score: 1 }]);
    });
  });

  test("use the same idempotency key and the same requestId for different things", async () => {
    const { memory, theirs, ours } = await twoTenants(given);

    const own = await memory.remember(aMemory({ tenantKey: ours, text: "ours", idempotencyKey: "first contact" }));
    const first = await memory.forget({ tenantKey: theirs.tenantKey, subjectKey: SUBJECT, requestId: "ticket one" });
    const second = await memory.forget({ tenantKey: ours, subjectKey: SUBJECT, requestId: "ticket one" });

    expect(own.memory).toMatchObject({ tenantKey: ours, text: "ours" });
    expect(second.tombstoneId).not.toBe(first.tombstoneId);
    expect(second).toMatchObject({ tenantKey: ours, counts: { memories: 1, derived: 0 } });
  });

  test("know the same person under different hashes", async () => {
    const { memory, theirs, ours } = await twoTenants(given);

    const first = await memory.forget({ tenantKey: theirs.tenantKey, subjectKey: SUBJECT });
    const second = await memory.forget({ tenantKey: ours, subjectKey: SUBJECT });

    expect(first.subjectHash).toBe(memory.subjectFingerprint(theirs.tenantKey, SUBJECT));
    expect(second.subjectHash).toBe(memory.subjectFingerprint(ours, SUBJECT));
    expect(second.subjectHash).not.toBe(first.subjectHash);
  });

  test("may close the door behind a person without closing it for the other", async () => {
    const { memory, theirs, ours } = await twoTenants(given);
    await memory.forget({ tenantKey: theirs.tenantKey, subjectKey: SUBJECT });

    const late = await memory.remember(
      aMemory({ tenantKey: ours, subjectKey: SUBJECT, capturedAt: "2001-01-01T00:00:00Z" }),
    );

    expect(await memory.getMemory(ours, late.memory.memoryId)).toEqual(late.memory);
  });

  test("are told apart exactly, by case and by spaces", async () => {
    const { memory, tenantKey } = await given.tenant();
    const canary = aCanary();
    await memory.remember(aMemory({ tenantKey, text: canary }));

    for (const other of [tenantKey.toUpperCase(), ` ${tenantKey}`, `${tenantKey} `]) {
      expect((await memory.listMemories({ tenantKey: other })).rows).toEqual([]);
    }
  });
});

async function twoTenants(given: Given) {
  const { memory, tenantKey } = await given.tenant();
  const { tenantKey: ours } = await given.tenant();
  const source = await memory.remember(
    aMemory({ tenantKey, subjectKey: SUBJECT, text: "saffron", embedding: [1, 0], idempotencyKey: "first contact" }),
  );
  const summary = await memory.derive({ ...aSummaryOf(source), text: "saffron", embedding: [1, 0] });
  return { memory, ours, theirs: { tenantKey, source, summary } };
}

async function expectUnchanged(
  memory: Memory,
  theirs: Awaited<ReturnType<typeof twoTenants>>["theirs"],
): Promise<void> {
  const { tenantKey, source, summary } = theirs;
  expect(await memory.getMemory(tenantKey, source.memory.memoryId)).toEqual(source.memory);
  expect(await memory.getDerived(tenantKey, summary.derived.derivedId)).toEqual(summary.derived);
}
