import { describe, expect, test } from "vitest";
import { ClosureNotEnumerableError, InMemoryStore } from "../../src/index.js";
import type { InsertOptions, NewMemory } from "../../src/index.js";
import { aNewMemory, anErasure, aSubject } from "../in-memory/support.js";

const K1 = { keyId: "k1", check: "right" };
const WRONG = { keyId: "k1", check: "mistyped" };
const UNKEYED = { keyId: null, check: null };

function options(...keys: InsertOptions["keys"]): InsertOptions {
  return { keys, onRematerialise: "report" };
}

function aRowUnder(key: typeof K1 | typeof UNKEYED): NewMemory {
  const written = { hash: `ramesh under ${String(key.keyId)}`, ...key };
  return aNewMemory({ subjects: [{ subjectKey: "ramesh", written, known: [written] }] });
}

describe("a key that was used in a tenant", () => {
  test("with another secret behind its id is refused, and nothing is stored", async () => {
    const store = new InMemoryStore();
    await store.insertMemories("t", [aRowUnder(K1)], options(K1));

    const writing = store.insertMemories("t", [aRowUnder(WRONG)], options(WRONG));

    await expect(writing).rejects.toThrow(ClosureNotEnumerableError);
    await expect(writing).rejects.toMatchObject({ missingKeyId: "k1" });
    expect(
      (await store.listMemories("t", { subject: null, missingVector: null, limit: 9, cursor: null })).rows,
    ).toHaveLength(1);
  });

  test("and is missing stops no writer, but whoever asks for a person by other keys", async () => {
    const store = new InMemoryStore();
    await store.insertMemories("t", [aRowUnder(K1)], options(K1));

    const [outcome] = await store.insertMemories("t", [aRowUnder(UNKEYED)], options(UNKEYED));
    const subject = aRowUnder(UNKEYED).subjects[0];
    const scope = { scope: "subject", subject } as const;
    const lists = { subject: subject.known, missingVector: null, limit: 9, cursor: null };

    expect(outcome).toMatchObject({ status: "stored" });
    for (const asking of [
      store.listMemories("t", lists),
      store.listDerived("t", lists),
      store.recallLexical("t", { ...lists, kinds: null, include: "both", metadata: null, minScore: 0, terms: [[1n]] }),
      store.tombstones("t", { subject: subject.known, limit: 9, before: null }),
      store.previewErasure("t", scope),
      store.openErasure(anErasure({ target: scope })),
      store.upkeep.exportPage("t", scope, { includeShared: false, limit: 9, after: null }),
      store.upkeep.covered("t", { ids: [], tags: [], keys: [UNKEYED] }),
      store.restrictions.restrict("t", scope, "operator"),
      store.restrictions.placeHold("t", subject, "contract", null),
    ]) {
      await expect(asking).rejects.toMatchObject({ code: "ERR_CLOSURE_NOT_ENUMERABLE", missingKeyId: "k1" });
    }
  });

  test("stays known when its last row is erased", async () => {
    const store = new InMemoryStore();
    const row = aRowUnder(K1);
    await store.insertMemories("t", [row], options(K1));
    await store.forget(anErasure({ target: { scope: "subject", subject: row.subjects[0] } }), 1000);

    await expect(store.openErasure(anErasure())).rejects.toMatchObject({ missingKeyId: "k1" });
  });

  test("without a pepper is named as such", async () => {
    const store = new InMemoryStore();
    await store.insertMemories("t", [aRowUnder(UNKEYED)], options(UNKEYED));

    const opening = store.openErasure(anErasure({ target: { scope: "subject", subject: aSubject("ramesh", "k1") } }));

    await expect(opening).rejects.toMatchObject({ missingKeyId: null });
  });

  test("without a pepper is named before any other: it needs no secret, so the caller can look again", async () => {
    const store = new InMemoryStore();
    await store.insertMemories("t", [aRowUnder(K1)], options(K1));
    await store.insertMemories("t", [aRowUnder(UNKEYED)], options(UNKEYED));

    const opening = store.openErasure(anErasure({ target: { scope: "subject", subject: aSubject("ramesh", "k2") } }));

    await expect(opening).rejects.toMatchObject({ missingKeyId: null });
  });

  test("is known from the evidence alone: an erasure that found nothing is not overlooked under another key", async () => {
    const store = new InMemoryStore();
    await store.forget(anErasure(), 1000);

    const asking = store.tombstones("t", { subject: aSubject("ramesh", "k1").known, limit: 9, before: null });

    await expect(asking).rejects.toMatchObject({ missingKeyId: null });
  });

  test("is not asked of one who names ids alone, or hashes that the store listed itself", async () => {
    const store = new InMemoryStore();
    const row = aRowUnder(K1);
    await store.insertMemories("t", [row, aRowUnder(UNKEYED)], options(K1));
    const ids = { scope: "memories", memoryIds: [row.memoryId], subject: null } as const;

    expect(await store.forget(anErasure({ target: ids }), 1000)).toMatchObject({
      state: "complete",
      subjectHashKeyed: true,
    });
    expect(await store.upkeep.covered("t", { ids: [row.memoryId], tags: [], keys: null })).toEqual({
      ids: [row.memoryId],
      contents: [],
    });
    const { subjects } = await store.upkeep.subjectsWithRows("t", 10);
    expect(subjects).toEqual([[{ hash: "ramesh under null", keyId: null, check: null }]]);
  });
});

describe("content that was erased", () => {
  test("is known by its tags while the erasure is open, and refused alone where the store is to refuse it", async () => {
    const store = new InMemoryStore();
    const row = aNewMemory({ contentTags: ["tag of tea", "shared tag"] });
    await store.insertMemories("t", [row], options(UNKEYED));
    await store.openErasure(anErasure());
    const [again, other] = [aNewMemory({ contentTags: ["shared tag"] }), aNewMemory({ contentTags: ["tag of rice"] })];

    const reported = await store.insertMemories("t", [again], options(UNKEYED));
    const refused = await store.insertMemories("t", [{ ...again, memoryId: other.memoryId }, aNewMemory()], {
      keys: [UNKEYED],
      onRematerialise: "refuse",
    });

    expect(reported).toMatchObject([{ status: "stored", rematerialised: true }]);
    expect(refused).toMatchObject([
      { status: "refused", error: { code: "ERR_CONTENT_FORGOTTEN" } },
      { status: "stored", rematerialised: false },
    ]);
  });

  test("that comes late is refused as late where it is only to be reported", async () => {
    const store = new InMemoryStore();
    await store.insertMemories("t", [aNewMemory({ contentTags: ["tag"] })], options(UNKEYED));
    await store.forget(anErasure(), 1000);

    const [late] = await store.insertMemories(
      "t",
      [aNewMemory({ contentTags: ["tag"], capturedAt: "2001-01-01T00:00:00.000Z" })],
      options(UNKEYED),
    );

    expect(late).toMatchObject({ status: "refused", error: { code: "ERR_SUBJECT_FORGOTTEN" } });
  });
});
