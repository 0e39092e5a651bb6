import { describe, expect, test } from "vitest";
import { InMemoryStore, InvalidInputError, StoreError } from "../../src/index.js";
import { aClock, aNewDerived, aNewMemory, anErasure, aSubject, insert } from "./support.js";

const ANYTHING = {
  subject: null,
  kinds: null,
  include: "both",
  metadata: null,
  limit: 10,
  minScore: 0,
} as const;
const EVERYTHING = { subject: null, missingVector: null, limit: 100, cursor: null } as const;

describe("the clock", () => {
  test("decides the very instant from which a row has expired", async () => {
    const clock = aClock("2024-05-01T00:00:00.000Z");
    const store = new InMemoryStore({ clock });
    const input = aNewMemory({ expiresAt: "2024-05-01T00:00:01.000Z" });
    await insert(store, "t", [input]);

    clock.set("2024-05-01T00:00:00.999Z");
    expect(await store.getMemory("t", input.memoryId)).toMatchObject({ text: "said" });
    clock.set("2024-05-01T00:00:01.000Z");
    expect(await store.getMemory("t", input.memoryId)).toBeNull();
  });

  test("decides what is late: what was captured at the instant of the tombstone is, a moment later it is not", async () => {
    const clock = aClock("2024-05-01T00:00:00.000Z");
    const store = new InMemoryStore({ clock });
    await store.openErasure(anErasure());
    clock.set("2024-06-01T00:00:00.000Z");

    const outcomes = await insert(store, "t", [
      aNewMemory({ capturedAt: "2024-04-30T23:59:59.999Z" }),
      aNewMemory({ capturedAt: "2024-05-01T00:00:00.000Z" }),
      aNewMemory({ capturedAt: "2024-05-01T00:00:00.001Z" }),
    ]);

    expect(outcomes.map(({ status }) => status)).toEqual(["refused", "refused", "stored"]);
  });

  test("going backwards neither reopens the gate nor hides new data", async () => {
    const clock = aClock("2024-05-01T00:00:00.000Z");
    const store = new InMemoryStore({ clock });
    await store.forget(anErasure(), 1000);
    clock.set("2024-04-01T00:00:00.000Z");
    await store.forget(anErasure(), 1000);

    const later = aNewMemory({ text: "new" });
    await insert(store, "t", [later]);
    const [late] = await insert(store, "t", [aNewMemory({ capturedAt: "2024-04-15T00:00:00.000Z" })]);

    expect(await store.getMemory("t", later.memoryId)).toMatchObject({ text: "new" });
    expect(late).toMatchObject({ status: "refused", error: { code: "ERR_SUBJECT_FORGOTTEN" } });
  });

  test("going backwards destroys what is derived before what it was derived from all the same", async () => {
    const clock = aClock("2024-05-01T00:00:00.000Z");
    const store = new InMemoryStore({ clock });
    const source = aNewMemory({ text: "source" });
    const first = aNewDerived({ text: "first", sourceMemories: [source.memoryId] });
    const second = aNewDerived({ text: "second", sourceMemories: [source.memoryId], sourceDerived: [first.derivedId] });
    await insert(store, "t", [source]);
    clock.set("2024-04-01T00:00:00.000Z");
    await store.insertDerived("t", [first]);
    clock.set("2024-03-01T00:00:00.000Z");
    await store.insertDerived("t", [second]);
    const { tombstoneId } = await store.openErasure(anErasure());

    const left: string[][] = [];
    for (let step = 0; step < 3; step++) {
      await store.advanceErasure("t", tombstoneId, 1);
      left.push(["source", "first", "second"].filter((text) => store.dump().split("\n").includes(text)));
    }

    expect(left).toEqual([["source", "first"], ["source"], []]);
  });

  test("that gives no date is refused before anything is written", async () => {
    const store = new InMemoryStore();
    store.useClock({ now: () => new Date(Number.NaN) });

    await expect(insert(store, "t", [aNewMemory()])).rejects.toThrow(InvalidInputError);

    store.useClock(aClock());
    expect((await store.listMemories("t", EVERYTHING)).rows).toEqual([]);
  });
});

describe("the write gate", () => {
  test("refuses an id that was erased, whoever it is for now", async () => {
    const store = new InMemoryStore();
    const source = aNewMemory();
    const summary = aNewDerived({ sourceMemories: [source.memoryId] });
    const other = aNewMemory({ subjects: [aSubject("priya")] });
    await insert(store, "t", [source, other]);
    await store.insertDerived("t", [summary]);
    await store.forget(anErasure(), 1000);

    const [memory] = await insert(store, "t", [{ ...source, subjects: [aSubject("priya")] }]);
    const [derived] = await store.insertDerived("t", [{ ...summary, sourceMemories: [other.memoryId] }]);

    expect(memory).toMatchObject({ status: "refused", error: { code: "ERR_SUBJECT_FORGOTTEN" } });
    expect(derived).toMatchObject({ status: "refused", error: { code: "ERR_SOURCE_FORGOTTEN" } });
  });

  test.each([
    ["forget", "refused"],
    ["replay", "refused"],
    ["expiry", "stored"],
    ["correction", "stored"],
  ] as const)("after an erasure of origin %s, data captured before it is %s", async (origin, status) => {
    const store = new InMemoryStore();
    await store.forget(anErasure({ origin }), 1000);

    const [late] = await insert(store, "t", [aNewMemory({ capturedAt: "2001-01-01T00:00:00.000Z" })]);

    expect(late).toMatchObject({ status });
  });

  test("refuses an id that is taken, and keeps the row that has it", async () => {
    const store = new InMemoryStore();
    const source = aNewMemory({ text: "first" });
    const summary = aNewDerived({ sourceMemories: [source.memoryId] });
    await insert(store, "t", [source]);
    await store.insertDerived("t", [summary]);

    const [memory] = await insert(store, "t", [{ ...source, text: "second" }]);
    const [derived] = await store.insertDerived("t", [{ ...summary, text: "second" }]);

    expect(memory).toMatchObject({ status: "refused", error: { code: "ERR_INVALID_INPUT" } });
    expect(derived).toMatchObject({ status: "refused", error: { code: "ERR_INVALID_INPUT" } });
    expect(await store.getMemory("t", source.memoryId)).toMatchObject({ text: "first" });
  });

  test("refuses no source, a source twice and more than 4,096, though the front door was passed", async () => {
    const store = new InMemoryStore();
    const source = aNewMemory();
    await insert(store, "t", [source]);

    const outcomes = await store.insertDerived("t", [
      aNewDerived({}),
      aNewDerived({ sourceMemories: [source.memoryId, source.memoryId] }),
      aNewDerived({ sourceMemories: Array.from({ length: 4097 }, (_, n) => String(n)) }),
    ]);

    expect(outcomes).toMatchObject([
      { error: { code: "ERR_PROVENANCE_REQUIRED" } },
      { error: { code: "ERR_INVALID_INPUT" } },
      { error: { code: "ERR_INVALID_INPUT" } },
    ]);
    expect((await store.listDerived("t", EVERYTHING)).rows).toEqual([]);
  });
});

describe("vectors", () => {
  test("in the pool are the newest, memories and derived rows in one order", async () => {
    const clock = aClock("2024-05-01T00:00:00.000Z");
    const store = new InMemoryStore({ clock });
    const embedding = Float32Array.of(1, 0);
    const oldest = aNewMemory({ text: "1", embedding });
    await insert(store, "t", [oldest]);
    for (const [day, text] of ["2", "3"].entries()) {
      clock.set(`2024-05-0${day + 2}T00:00:00.000Z`);
      await store.insertDerived("t", [aNewDerived({ text, embedding, sourceMemories: [oldest.memoryId] })]);
    }
    clock.set("2024-05-04T00:00:00.000Z");
    await insert(store, "t", [aNewMemory({ text: "4", embedding })]);

    for (const candidatePool of [1, 2, 3, 4, 5]) {
      const { hits, coverage } = await store.recallVector("t", { ...ANYTHING, embedding, candidatePool });
      expect(hits.map(({ row }) => row.text)).toEqual(["4", "3", "2", "1"].slice(0, candidatePool));
      expect(coverage).toMatchObject({
        ...(candidatePool < 4 ? { partial: true } : { eligible: 4 }),
        considered: Math.min(4, candidatePool),
        truncated: candidatePool < 4,
      });
    }
  });
});

test("lineage names memories before derived rows of the same depth, whatever their ids", async () => {
  const store = new InMemoryStore();
  const [first, last] = ["00000000-0000-7000-8000-000000000000", "ffffffff-ffff-7fff-bfff-ffffffffffff"];
  const source = aNewMemory({ memoryId: last });
  const middle = aNewDerived({ derivedId: first, sourceMemories: [last] });
  const top = aNewDerived({ sourceMemories: [last], sourceDerived: [first] });
  await insert(store, "t", [source]);
  await store.insertDerived("t", [middle]);
  await store.insertDerived("t", [top]);

  const lineage = await store.lineage("t", "derived", top.derivedId);

  expect(lineage?.ancestors).toEqual([
    { kind: "memory", id: last, depth: 1 },
    { kind: "derived", id: first, depth: 1 },
  ]);
});

test("a cursor of one list is refused by another", async () => {
  const store = new InMemoryStore();
  await insert(store, "t", [aNewMemory(), aNewMemory()]);
  const { nextCursor } = await store.listMemories("t", { ...EVERYTHING, limit: 1 });

  await expect(store.listDerived("t", { ...EVERYTHING, cursor: nextCursor })).rejects.toThrow(InvalidInputError);
  await expect(store.listMemories("t", { ...EVERYTHING, cursor: nextCursor })).resolves.toMatchObject({
    nextCursor: null,
  });
});

describe("terms", () => {
  test("replaced by setTerms find the row by the new ones only", async () => {
    const store = new InMemoryStore();
    const row = aNewMemory({ termHashes: [1n] });
    await insert(store, "t", [row]);
    const found = async (hash: bigint) =>
      (await store.recallLexical("t", { ...ANYTHING, terms: [[hash]] })).hits.length;

    const answer = await store.setTerms("t", [
      { kind: "memory", id: row.memoryId, termHashes: [2n] },
      { kind: "derived", id: row.memoryId, termHashes: [2n] },
    ]);

    expect(answer).toEqual({ updated: 1 });
    expect([await found(1n), await found(2n)]).toEqual([0, 1]);
    expect(await store.rowsWithoutTerms()).toEqual([]);
  });
});

describe("the dump", () => {
  test("shows text, metadata, vectors, keys, hashes and evidence of every tenant", async () => {
    const store = new InMemoryStore();
    const row = aNewMemory({
      text: "spoken",
      metadata: { note: ["inner"] },
      embedding: Float32Array.of(0.5),
      termHashes: [77n],
    });
    await insert(store, "one", [row]);
    await store.openErasure(anErasure({ tenantKey: "two", requestHash: "request-hash" }));

    for (const literal of [
      "one",
      "two",
      "spoken",
      "note",
      "inner",
      "0.5",
      "77",
      "ramesh:plain",
      row.memoryId,
      "request-hash",
    ]) {
      expect(store.dump()).toContain(literal);
    }
  });

  test("shows no tenant that was only read", async () => {
    const store = new InMemoryStore();

    await store.getMemory("curious", aNewMemory().memoryId);
    await store.listMemories("curious", EVERYTHING);

    expect(store.dump()).not.toContain("curious");
  });
});

test("an erasure whose rows would not go is never certified", async () => {
  const store = new InMemoryStore();
  await insert(store, "t", [aNewMemory()]);
  const { tombstoneId } = await store.openErasure(anErasure());
  const { tenants } = store as unknown as { tenants: Map<string, { remove: () => void }> };
  Object.assign(tenants.get("t") ?? {}, { remove: () => undefined });

  await expect(store.advanceErasure("t", tombstoneId, 1000)).rejects.toThrow(StoreError);
  expect(await store.receipt("t", tombstoneId)).toMatchObject({ state: "in_progress" });
  expect(await store.receipt("t", tombstoneId)).not.toHaveProperty("destroyedAt");
});

test("an unknown erasure cannot be advanced", async () => {
  await expect(new InMemoryStore().advanceErasure("t", aNewMemory().memoryId, 1)).rejects.toMatchObject({
    what: "erasure",
  });
});

test("what the store kept does not change with the arrays it was given", async () => {
  const store = new InMemoryStore();
  const embedding = Float32Array.of(1, 0);
  const row = aNewMemory({ embedding });
  await insert(store, "t", [row]);
  embedding.fill(0);

  expect(
    (await store.recallVector("t", { ...ANYTHING, candidatePool: 10, embedding: Float32Array.of(1, 0) })).hits,
  ).toMatchObject([{ score: 1 }]);
});
