import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { InMemoryStore } from "../../src/index.js";
import { advanceErasure } from "../../src/adapters/in-memory/advance-erasure.js";
import { openErasure } from "../../src/adapters/in-memory/open-erasure.js";
import { reconcilePage } from "../../src/adapters/in-memory/reconcile.js";
import { recordPlacement } from "../../src/adapters/in-memory/record-placement.js";
import { TenantState } from "../../src/adapters/in-memory/tenant-state.js";
import { insertDerived, insertMemories } from "../../src/adapters/in-memory/write-gate.js";
import { RECONCILE_STAGES } from "../../src/ports/upkeep-store.js";
import { aClock, aNewDerived, aNewMemory, anErasure, aSubject, insert } from "../in-memory/support.js";

const NOON = "2024-05-01T12:00:00.000Z";
const OPTIONS = { keys: [{ keyId: null, check: null }], onRematerialise: "report" } as const;

async function onlyTombstone(store: InMemoryStore) {
  const [record] = await store.upkeep.exportTombstones("t", { limit: 10, after: null });
  if (record === undefined) throw new Error("there is no tombstone");
  return record;
}

describe("a replay", () => {
  test("in the store that made the tombstone leaves what came after it, be it within the same millisecond", async () => {
    const store = new InMemoryStore({ clock: aClock(NOON) });
    await insert(store, "t", [aNewMemory()]);
    await store.forget(anErasure(), 1000);
    const later = aNewMemory({ text: "new" });
    await insert(store, "t", [later]);

    const replayed = await store.upkeep.openReplay("t", randomUUID(), await onlyTombstone(store));

    expect(replayed).toBeNull();
    expect(await store.getMemory("t", later.memoryId)).toMatchObject({ text: "new" });
  });

  test("after a restore erases by id and by person, and closes the gate as of the original", async () => {
    const before = new InMemoryStore({ clock: aClock(NOON) });
    const [known, unknown] = [aNewMemory(), aNewMemory()];
    await insert(before, "t", [known]);
    await before.forget(anErasure(), 1000);
    const record = await onlyTombstone(before);
    const clock = aClock("2024-05-01T11:00:00.000Z");
    const restored = new InMemoryStore({ clock });
    await insert(restored, "t", [known, unknown]);
    clock.set("2024-06-01T00:00:00.000Z");
    const later = aNewMemory();
    await insert(restored, "t", [later]);

    const tombstoneId = randomUUID();
    const receipt = await restored.upkeep.openReplay("t", tombstoneId, record);
    await restored.advanceErasure("t", tombstoneId, 1000);
    const outcomes = await insert(restored, "t", [
      aNewMemory({ capturedAt: NOON }),
      aNewMemory({ capturedAt: "2024-05-01T12:00:00.001Z" }),
    ]);

    expect(receipt).toMatchObject({ origin: "replay", scope: "subject", counts: { memories: 2 } });
    expect(await restored.getMemory("t", unknown.memoryId)).toBeNull();
    expect(await restored.getMemory("t", later.memoryId)).toMatchObject({ memoryId: later.memoryId });
    expect(outcomes.map(({ status }) => status)).toEqual(["refused", "stored"]);
    expect(await restored.upkeep.missingTombstones("t", [record.tombstoneId, tombstoneId])).toEqual([]);
    expect(await restored.upkeep.exportTombstones("t", { limit: 10, after: null })).toMatchObject([
      { tombstoneId, openedAt: record.openedAt, memoryIds: [known.memoryId, unknown.memoryId].sort() },
    ]);
  });

  test("is refused and counted while the person is held", async () => {
    const store = new InMemoryStore({ clock: aClock(NOON) });
    await store.forget(anErasure(), 1000);
    const record = { ...(await onlyTombstone(store)), tombstoneId: randomUUID() };
    await store.restrictions.placeHold("t", aSubject("ramesh"), "litigation", null);

    await expect(store.upkeep.openReplay("t", randomUUID(), record)).rejects.toMatchObject({ code: "ERR_LEGAL_HOLD" });
    expect(await store.restrictions.listHolds("t")).toMatchObject([{ refusals: 1 }]);
  });
});

describe("a correction", () => {
  const correctionOf = (memoryId: string) => ({
    memoryId,
    text: "right",
    embedding: null,
    termHashes: [2n],
    contentTags: [],
  });

  test("whose answer was lost gives the same answer again", async () => {
    const store = new InMemoryStore({ clock: aClock(NOON) });
    const old = aNewMemory({ text: "wrong" });
    await insert(store, "t", [old]);
    const request = anErasure({
      target: { scope: "memories", memoryIds: [old.memoryId], subject: null },
      origin: "correction",
    });
    const correction = correctionOf(randomUUID());

    const first = await store.upkeep.correct(request, correction, 1000);
    const again = await store.upkeep.correct(request, correction, 1000);

    expect(first).toMatchObject({ memory: { text: "right" }, receipt: { state: "complete", counts: { memories: 1 } } });
    expect(again).toEqual(first);
    expect(store.dump()).not.toContain("wrong");
  });

  test("under an id that is taken leaves everything as it was", async () => {
    const store = new InMemoryStore();
    const [old, other] = [aNewMemory({ text: "wrong" }), aNewMemory()];
    await insert(store, "t", [old, other]);
    const request = anErasure({ target: { scope: "memories", memoryIds: [old.memoryId], subject: null } });

    const correcting = store.upkeep.correct(request, correctionOf(other.memoryId), 1000);

    await expect(correcting).rejects.toMatchObject({ code: "ERR_INVALID_INPUT" });
    expect(await store.getMemory("t", old.memoryId)).toMatchObject({ text: "wrong" });
    expect(await store.tombstones("t", { subject: null, limit: 10, before: null })).toEqual([]);
  });
});

describe("the sweep", () => {
  /** Something forgotten, with what it left in the state; rows are then forced back in behind the gate. */
  function aStateWithAnErasure() {
    const state = new TenantState("t");
    const source = aNewMemory({ contentTags: ["tag"] });
    const summary = aNewDerived({ sourceMemories: [source.memoryId] });
    insertMemories(state, [source], OPTIONS, NOON);
    insertDerived(state, summary, NOON);
    const [memory, derived] = [state.memories.get(source.memoryId), state.derived.get(summary.derivedId)];
    const erasure = openErasure(state, anErasure(), NOON);
    while (advanceErasure(state, erasure, 1000, NOON));
    if (memory === undefined || derived === undefined) throw new Error("the rows were not stored");
    return { state, memory, derived, tombstoneId: erasure.tombstone.tombstoneId };
  }

  function findingsIn(state: TenantState, now = NOON) {
    return RECONCILE_STAGES.flatMap((stage) => reconcilePage(state, { stage, after: null, limit: 1000 }, now).findings);
  }

  test("finds nothing where nothing is wrong", () => {
    expect(findingsIn(aStateWithAnErasure().state)).toEqual([]);
  });

  test("finds forgotten rows that live again", () => {
    const { state, memory, derived, tombstoneId } = aStateWithAnErasure();
    state.add(memory);
    state.add(derived);

    expect(findingsIn(state)).toEqual([
      { code: "forgotten_but_live", kind: "memory", id: memory.id, tombstoneId },
      { code: "forgotten_but_live", kind: "derived", id: derived.id, tombstoneId },
    ]);
  });

  test("finds derived rows whose source is forgotten or missing, and content that came back", () => {
    const { state, memory, derived, tombstoneId } = aStateWithAnErasure();
    const [onForgotten, onNothing, again] = [randomUUID(), randomUUID(), randomUUID()];
    state.add({ ...derived, id: onForgotten, sources: [{ sourceKind: "memory", sourceId: memory.id }] });
    state.add({ ...derived, id: onNothing, sources: [{ sourceKind: "memory", sourceId: randomUUID() }] });
    state.add({ ...memory, id: again, provenanceKnown: false });

    expect(
      findingsIn(state)
        .map((finding) => JSON.stringify(finding))
        .sort(),
    ).toEqual(
      [
        { code: "content_reappeared", kind: "memory", id: again, tombstoneId },
        { code: "provenance_unknown", kind: "memory", id: again },
        { code: "source_missing", kind: "derived", id: onForgotten },
        { code: "source_forgotten", kind: "derived", id: onForgotten, tombstoneId },
        { code: "source_missing", kind: "derived", id: onNothing },
      ]
        .map((finding) => JSON.stringify(finding))
        .sort(),
    );
  });

  test("finds copies whose source is gone though no erasure took them", () => {
    const state = new TenantState("t");
    const source = aNewMemory();
    insertMemories(state, [source], OPTIONS, NOON);
    const placementId = randomUUID();
    const copy = { sink: "cache", ref: "r", kind: "k", fingerprint: "f", writeWithinSeconds: null };
    recordPlacement(state, { placementId, sourceMemories: [source.memoryId], sourceDerived: [], ...copy }, NOON);
    const row = state.memories.get(source.memoryId);
    if (row) state.remove([row]);

    expect(findingsIn(state)).toEqual([{ code: "placement_source_missing", kind: "placement", id: placementId }]);
  });

  test("finds an erasure open for more than a day, and one that counts more than it covers", () => {
    const { state } = aStateWithAnErasure();
    const open = openErasure(state, anErasure({ target: { scope: "subject", subject: aSubject("priya") } }), NOON);
    const { tombstoneId } = open.tombstone;

    expect(findingsIn(state, "2024-05-02T12:00:00.000Z")).toEqual([]);
    expect(findingsIn(state, "2024-05-02T12:00:00.001Z")).toEqual([
      { code: "erasure_overdue", kind: "tombstone", id: tombstoneId, tombstoneId },
    ]);
    open.events.push({ type: "destroyed", at: NOON, counts: { memories: 1, derived: 0, provenanceEdges: 0 } });
    expect(findingsIn(state)).toEqual([{ code: "count_mismatch", kind: "tombstone", id: tombstoneId, tombstoneId }]);
  });

  test("goes on page by page, and gives one example of each person's key", async () => {
    const store = new InMemoryStore();
    const rows = [aNewMemory(), aNewMemory(), aNewMemory({ subjects: [aSubject("priya")] })];
    await insert(store, "t", rows);

    const looked: number[] = [];
    const persons: string[] = [];
    for (const stage of ["memories", "persons"] as const) {
      let after: string | null = null;
      do {
        const page: Awaited<ReturnType<typeof store.upkeep.reconcilePage>> = await store.upkeep.reconcilePage("t", {
          stage,
          after,
          limit: 2,
        });
        looked.push(page.looked);
        persons.push(...page.persons.map(({ subjectKey }) => subjectKey));
        after = page.next;
      } while (after !== null);
    }

    expect(looked).toEqual([2, 1, 0, 0]);
    expect(persons.sort()).toEqual(["priya", "ramesh"]);
  });
});

test("the sweep counts as untagged what should have tags, and no short derived row", () => {
  const state = new TenantState("t");
  const source = aNewMemory();
  insertMemories(state, [source], OPTIONS, NOON);
  const sourceMemories = [source.memoryId];
  insertDerived(state, aNewDerived({ text: "short", sourceMemories }), NOON);
  insertDerived(state, aNewDerived({ text: "x".repeat(40), sourceMemories }), NOON);
  const page = { after: null, limit: 10 };

  expect(reconcilePage(state, { stage: "memories", ...page }, NOON)).toMatchObject({ looked: 1, untagged: 1 });
  expect(reconcilePage(state, { stage: "derived", ...page }, NOON)).toMatchObject({ looked: 2, untagged: 1 });
});

test("a correction is refused while anybody the memory is about is held, and nothing of it is stored", async () => {
  const store = new InMemoryStore();
  const old = aNewMemory({ subjects: [aSubject("ramesh"), aSubject("priya")] });
  await insert(store, "t", [old]);
  await store.restrictions.placeHold("t", aSubject("priya"), "litigation", null);
  const memoryIds = [old.memoryId];
  const request = anErasure({ target: { scope: "memories", memoryIds, subject: aSubject("ramesh") } });
  const correction = { memoryId: randomUUID(), text: "right", embedding: null, termHashes: [], contentTags: [] };

  await expect(store.upkeep.correct(request, correction, 1000)).rejects.toMatchObject({ code: "ERR_LEGAL_HOLD" });

  expect(await store.restrictions.listHolds("t")).toMatchObject([{ refusals: 1 }]);
  expect(await store.getMemory("t", old.memoryId)).toMatchObject({ memoryId: old.memoryId });
  expect(await store.getMemory("t", correction.memoryId)).toBeNull();
});

describe("expired memories", () => {
  test("are grouped by the person they are filed under, and erased whoever else they are about", async () => {
    const store = new InMemoryStore();
    const expiresAt = "2001-01-01T00:00:00.000Z";
    const shared = aNewMemory({ subjects: [aSubject("ramesh"), aSubject("priya")], expiresAt });
    const hers = aNewMemory({ subjects: [aSubject("priya")], expiresAt });
    await insert(store, "t", [shared, hers]);

    const { groups } = await store.upkeep.expiredMemories("t", 10);
    const receipts = await Promise.all(
      groups.map((memoryIds) =>
        store.forget(anErasure({ target: { scope: "memories", memoryIds, subject: null }, origin: "expiry" }), 1000),
      ),
    );

    expect(groups.flat().sort()).toEqual([shared.memoryId, hers.memoryId].sort());
    expect(
      receipts
        .map(({ state, subjectHash }) => ({ state, subjectHash }))
        .sort((a, b) => (String(a.subjectHash) < String(b.subjectHash) ? -1 : 1)),
    ).toEqual([
      { state: "complete", subjectHash: aSubject("priya").written.hash },
      { state: "complete", subjectHash: aSubject("ramesh").written.hash },
    ]);
  });
});
