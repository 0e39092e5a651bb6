import { describe, expect, test } from "vitest";
import { ClosureNotEnumerableError, InMemoryStore } from "../../src/index.js";
import { aClock, aNewMemory, anErasure, aSubject, insert } from "./support.js";

const EVERYTHING = { subject: null, missingVector: null, limit: 100, cursor: null } as const;

describe("one person", () => {
  const before = aSubject("priya", "k1");
  const after = { ...aSubject("priya", "k2"), known: [aSubject("priya", "k2").written, before.written] };

  test("with rows under two keys becomes one once both are known, with everything either had", async () => {
    const store = new InMemoryStore({ clock: aClock() });
    const [first, second] = [aNewMemory({ subjects: [before] }), aNewMemory({ subjects: [aSubject("priya", "k2")] })];
    await insert(store, "t", [first, second]);
    await insert(store, "t", [aNewMemory({ subjects: [after] })]);

    const { rows } = await store.listMemories("t", { ...EVERYTHING, subject: after.known });
    const receipt = await store.forget(anErasure({ target: { scope: "subject", subject: after } }), 1000);

    expect(rows).toHaveLength(3);
    expect(receipt).toMatchObject({ counts: { memories: 3 }, otherSubjects: 0 });
  });

  test("forgotten under one key is forgotten under the other, once they are known to be one", async () => {
    const clock = aClock();
    const store = new InMemoryStore({ clock });
    await store.forget(anErasure({ target: { scope: "subject", subject: before } }), 1000);
    await insert(store, "t", [aNewMemory({ subjects: [aSubject("priya", "k2")] })]);
    await insert(store, "t", [aNewMemory({ subjects: [after] })]);

    const [late] = await insert(store, "t", [
      aNewMemory({ subjects: [aSubject("priya", "k2")], capturedAt: "2024-01-01T00:00:00.000Z" }),
    ]);

    expect(late).toMatchObject({ status: "refused" });
  });
});

test("an erasure that was opened under one key is joined under the other", async () => {
  const store = new InMemoryStore();
  const [before, after] = [aSubject("priya", "k1"), aSubject("priya", "k2")];
  const both = { ...after, known: [after.written, before.written] };
  const { tombstoneId } = await store.openErasure(anErasure({ target: { scope: "subject", subject: before } }));
  const linking = aNewMemory({ subjects: [both] });
  await insert(store, "t", [aNewMemory({ subjects: [after] }), linking]);
  await store.forget(anErasure({ target: { scope: "memories", memoryIds: await allIds(store), subject: null } }), 1000);

  const receipt = await store.openErasure(anErasure({ target: { scope: "subject", subject: both } }));

  expect(receipt.tombstoneId).toBe(tombstoneId);
});

describe("a key", () => {
  test.each([null, "k1"])(
    "%s that rows are filed under and the caller does not hold stops an erasure",
    async (keyId) => {
      const store = new InMemoryStore();
      await insert(store, "t", [aNewMemory({ subjects: [aSubject("ramesh", keyId)] })]);

      const forgetting = store.forget(
        anErasure({ target: { scope: "subject", subject: aSubject("ramesh", "k2") } }),
        1000,
      );

      await expect(forgetting).rejects.toThrow(ClosureNotEnumerableError);
      expect(await store.tombstones("t", { subject: null, limit: 10, before: null })).toEqual([]);
    },
  );
});

async function allIds(store: InMemoryStore): Promise<string[]> {
  return (await store.listMemories("t", EVERYTHING)).rows.map(({ memoryId }) => memoryId);
}
