import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { InMemoryStore } from "../../src/index.js";
import type { NewPlacement } from "../../src/ports/placement-store.js";
import { aClock, aNewMemory, anErasure, aSubject, insert } from "../in-memory/support.js";

const NOON = "2024-05-01T12:00:00.000Z";

function aNewPlacement(given: Partial<NewPlacement>): NewPlacement {
  return {
    placementId: randomUUID(),
    sink: "cache",
    ref: "key of ramesh",
    kind: "answer",
    sourceMemories: [],
    sourceDerived: [],
    fingerprint: randomUUID(),
    writeWithinSeconds: null,
    ...given,
  };
}

/** A store with one memory of ramesh and a copy of it. */
async function withACopy(given: Partial<NewPlacement> = {}) {
  const clock = aClock(NOON);
  const store = new InMemoryStore({ clock });
  const source = aNewMemory();
  await insert(store, "t", [source]);
  const input = aNewPlacement({ sourceMemories: [source.memoryId], ...given });
  await store.placements.recordPlacement("t", input);
  const confirm = (tombstoneId: string) => {
    return store.placements.confirmPlacement("t", {
      tombstoneId,
      placementId: input.placementId,
      proof: "unfindable",
      by: "worker",
    });
  };
  return { clock, store, source, input, placementId: input.placementId, confirm };
}

describe("recording a copy", () => {
  test("that is refused registers no sink and leaves nothing", async () => {
    const store = new InMemoryStore();

    const recording = store.placements.recordPlacement("t", aNewPlacement({ sourceMemories: [randomUUID()] }));

    await expect(recording).rejects.toMatchObject({ code: "ERR_UNKNOWN_SOURCE" });
    expect(await store.placements.listSinks("t")).toEqual([]);
    expect(store.dump()).not.toContain("key of ramesh");
  });

  test("again is refused once its source is forgotten, though it was recorded before", async () => {
    const { store, input, source } = await withACopy();
    await store.openErasure(anErasure());

    await expect(store.placements.recordPlacement("t", input)).rejects.toMatchObject({
      code: "ERR_SOURCE_FORGOTTEN",
      sourceIds: [source.memoryId],
    });
  });

  test("under an id that is taken is refused", async () => {
    const { store, input } = await withACopy();

    await expect(store.placements.recordPlacement("t", { ...input, fingerprint: "another" })).rejects.toMatchObject({
      code: "ERR_INVALID_INPUT",
      argument: "placementId",
    });
  });

  test("of a shared row files it under everybody, and any of them waits for it", async () => {
    const store = new InMemoryStore();
    const [mine, theirs] = [aNewMemory(), aNewMemory({ subjects: [aSubject("priya")] })];
    await insert(store, "t", [mine, theirs]);
    const copy = aNewPlacement({ sourceMemories: [mine.memoryId, theirs.memoryId] });
    await store.placements.recordPlacement("t", copy);

    const receipt = await store.forget(anErasure({ target: { scope: "subject", subject: aSubject("priya") } }), 1000);

    expect(receipt).toMatchObject({
      state: "in_progress",
      owner: "worker",
      outstanding: [{ placementId: copy.placementId, sink: "cache" }],
      counts: { memories: 1, placements: { total: 1, confirmed: 0, attested: 0, outstanding: 1 } },
    });
  });
});

describe("a writer's deadline", () => {
  test("holds a confirmation back until the very instant it comes", async () => {
    const { clock, store, confirm } = await withACopy({ writeWithinSeconds: 60 });
    const { tombstoneId } = await store.forget(anErasure(), 1000);

    clock.set("2024-05-01T12:00:59.999Z");
    const early = await confirm(tombstoneId);
    clock.set("2024-05-01T12:01:00.000Z");
    const inTime = await confirm(tombstoneId);

    expect(early).toMatchObject({ rejected: "writer", receipt: { state: "in_progress" } });
    expect(inTime).toMatchObject({ rejected: null, receipt: { state: "complete", closure: "confirmed" } });
  });

  test("ends with the writer's word that it never wrote; the read-back still decides", async () => {
    const { store, placementId, confirm } = await withACopy({ writeWithinSeconds: 3600 });
    const { tombstoneId } = await store.forget(anErasure(), 1000);

    const abandoned = await store.placements.placementAbandoned("t", placementId);

    expect(abandoned).toMatchObject({ state: "writing", ref: "key of ramesh" });
    expect(await store.receipt("t", tombstoneId)).toMatchObject({ state: "in_progress" });
    expect(await confirm(tombstoneId)).toMatchObject({ rejected: null, receipt: { state: "complete" } });
  });
});

describe("a lease", () => {
  test("keeps others away until it ends, and its owner may renew it", async () => {
    const { clock, store } = await withACopy();
    const { tombstoneId } = await store.forget(anErasure(), 1000);
    const take = async (owner: string) => {
      return (await store.placements.outstanding("t", tombstoneId, { owner, seconds: 60 })).map(
        (copy) => copy.leasedUntil,
      );
    };

    const first = await take("one");
    clock.set("2024-05-01T12:00:30.000Z");
    const refused = await take("two");
    const renewed = await take("one");
    clock.set("2024-05-01T12:01:30.000Z");
    const taken = await take("two");

    expect({ first, refused, renewed, taken }).toEqual({
      first: ["2024-05-01T12:01:00.000Z"],
      refused: [],
      renewed: ["2024-05-01T12:01:30.000Z"],
      taken: ["2024-05-01T12:02:30.000Z"],
    });
  });

  test("is shown while it lasts and changes nothing for who only looks", async () => {
    const { clock, store, placementId } = await withACopy();
    const { tombstoneId } = await store.forget(anErasure(), 1000);
    await store.placements.outstanding("t", tombstoneId, { owner: "one", seconds: 60 });

    const during = await store.placements.outstanding("t", tombstoneId, null);
    clock.set("2024-05-01T12:01:00.000Z");
    const after = await store.placements.outstanding("t", tombstoneId, null);

    expect(during).toMatchObject([{ placementId, leasedUntil: "2024-05-01T12:01:00.000Z" }]);
    expect(after).toMatchObject([{ placementId, leasedUntil: null }]);
  });
});

describe("a confirmation", () => {
  test("removes what may be personal about the copy", async () => {
    const { store, confirm, input } = await withACopy();
    const { tombstoneId } = await store.forget(anErasure(), 1000);
    expect(store.dump()).toContain("key of ramesh");

    await confirm(tombstoneId);

    expect(store.dump()).not.toContain("key of ramesh");
    expect(store.dump()).not.toContain(input.fingerprint);
  });

  test("holds for every erasure that waits for the copy", async () => {
    const { store, source, confirm } = await withACopy();
    const byIds = { scope: "memories", memoryIds: [source.memoryId], subject: null } as const;
    const first = await store.forget(anErasure({ target: byIds }), 1000);
    const second = await store.forget(anErasure(), 1000);

    const { receipt } = await confirm(first.tombstoneId);

    expect(second.counts.placements).toMatchObject({ total: 1, outstanding: 1 });
    expect(receipt).toMatchObject({ state: "complete", closure: "confirmed" });
    expect(await store.receipt("t", second.tombstoneId)).toMatchObject({ state: "complete", closure: "confirmed" });
  });

  test("before the rows are destroyed does not complete the erasure", async () => {
    const { store, confirm } = await withACopy();
    const { tombstoneId } = await store.openErasure(anErasure());

    const { receipt } = await confirm(tombstoneId);

    expect(receipt).toMatchObject({ state: "in_progress", outstanding: [] });
    expect(receipt).not.toHaveProperty("destroyedAt");
    expect((await store.advanceErasure("t", tombstoneId, 1000)).receipt).toMatchObject({ state: "in_progress" });
    expect((await store.advanceErasure("t", tombstoneId, 1000)).receipt).toMatchObject({ state: "complete" });
  });

  test("of a copy the erasure does not cover is not found, and nothing is recorded", async () => {
    const { store } = await withACopy();
    const { tombstoneId } = await store.forget(anErasure(), 1000);
    const other = { tombstoneId, placementId: randomUUID(), proof: "purged", by: "worker" } as const;

    await expect(store.placements.confirmPlacement("t", other)).rejects.toMatchObject({ what: "placement" });
    await expect(store.placements.confirmPlacement("t", { ...other, tombstoneId: randomUUID() })).rejects.toMatchObject(
      { what: "erasure" },
    );
  });
});

describe("a person's word", () => {
  test("for one erasure keeps the ref while another still waits for the copy", async () => {
    const { store, source, placementId, confirm } = await withACopy();
    const byIds = { scope: "memories", memoryIds: [source.memoryId], subject: null } as const;
    const first = await store.forget(anErasure({ target: byIds }), 1000);
    const second = await store.forget(anErasure(), 1000);

    const attested = await store.placements.attest("t", {
      tombstoneId: first.tombstoneId,
      placementId,
      by: "officer",
      reference: "DPO-1",
    });

    expect(attested).toMatchObject({ state: "complete", closure: "attested", owner: "person" });
    expect(await store.placements.outstanding("t", second.tombstoneId, null)).toMatchObject([{ ref: "key of ramesh" }]);
    expect((await confirm(second.tombstoneId)).receipt).toMatchObject({ state: "complete", closure: "confirmed" });
  });
});

describe("a late write", () => {
  test("makes the copy outstanding again in every erasure of it that is still open", async () => {
    const { store, source, placementId, confirm } = await withACopy();
    const other = aNewMemory();
    await insert(store, "t", [other]);
    await store.placements.recordPlacement("t", aNewPlacement({ sourceMemories: [other.memoryId] }));
    const first = await store.forget(anErasure(), 1000);
    const second = await store.forget(
      anErasure({ target: { scope: "derived", derivedIds: [], placementIds: [placementId] } }),
      1000,
    );
    await store.placements.escalate("t", second.tombstoneId, "operator");
    await confirm(first.tombstoneId);

    const late = await store.placements.placementWritten("t", placementId, "again");

    expect(late).toMatchObject({ forgotten: true, placement: { state: "written", ref: "again" } });
    expect((await store.receipt("t", first.tombstoneId))?.counts.placements).toMatchObject({
      total: 2,
      outstanding: 2,
    });
    const lateErasures = (await store.tombstones("t", { subject: null, limit: 10, before: null })).filter(
      ({ origin }) => origin === "late_write",
    );
    expect(lateErasures).toMatchObject([{ scope: "memories", matched: true, state: "in_progress" }]);
    expect(source.memoryId).not.toBe(placementId);
  });

  test("of an abandoned copy that nobody forgot is a copy again", async () => {
    const { store, placementId } = await withACopy({ writeWithinSeconds: 60 });
    await store.placements.placementAbandoned("t", placementId);

    const written = await store.placements.placementWritten("t", placementId, "after all");

    expect(written).toMatchObject({ forgotten: false, placement: { state: "written", ref: "after all" } });
    expect((await store.forget(anErasure(), 1000)).outstanding).toEqual([{ placementId, sink: "cache" }]);
  });
});
