import { describe, expect, test } from "vitest";
import type { TombstoneRecord } from "../src/index.js";
import { aMemory, aSummaryOf, UNKNOWN_ID } from "./support/builders.js";
import { aCanary } from "./support/canary.js";
import { aCopyOf, collect, forgetIncompletely } from "./support/copies.js";
import { describeEachStore } from "./support/stores.js";

const SUBJECT = "customer:ramesh";

describeEachStore("exportTombstones", (given) => {
  test("gives one content-free line for each tombstone, oldest first", async () => {
    const { memory, tenantKey } = await given.tenant();
    const canary = aCanary();
    const source = await memory.remember(aMemory({ tenantKey, text: canary, subjectKey: `customer:${canary}` }));
    const summary = await memory.derive({ ...aSummaryOf(source), text: canary });
    const { placement } = await memory.recordPlacement({ ...aCopyOf(summary), ref: canary });
    const first = await forgetIncompletely(memory, {
      tenantKey,
      subjectKey: `customer:${canary}`,
      legalBasis: "gdpr_17_1_b",
      requestId: canary,
    });
    const second = await memory.forget({ tenantKey, subjectKey: SUBJECT, reason: "operator" });

    const lines = await collect(memory.erasures.exportTombstones({ tenantKey }));

    expect(lines.join("")).not.toContain(canary);
    expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      {
        v: 1,
        tombstoneId: first.tombstoneId,
        tenantKey,
        scope: "subject",
        subjectHash: memory.subjectFingerprint(tenantKey, `customer:${canary}`),
        subjectKeyId: null,
        origin: "forget",
        reason: "subject_request",
        legalBasis: "gdpr_17_1_b",
        memoryIds: [source.memory.memoryId],
        derivedIds: [summary.derived.derivedId],
        placementIds: [placement.placementId],
      },
      { tombstoneId: second.tombstoneId, reason: "operator", memoryIds: [], derivedIds: [], placementIds: [] },
    ]);
    expect(Object.keys(JSON.parse(lines[0]!) as object)).toHaveLength(13);
  });

  test("goes page after page, and each line is whole", async () => {
    const { memory, tenantKey } = await given.tenant();
    for (let n = 0; n < 12; n++) await memory.erasures.open({ tenantKey, subjectKey: `person:${n}` });

    const lines = await collect(memory.erasures.exportTombstones({ tenantKey }));

    const ids = lines.map((line) => (JSON.parse(line) as TombstoneRecord).tombstoneId);
    expect(ids).toHaveLength(12);
    expect([...ids].sort()).toEqual(ids);
    expect(lines.every((line) => !line.includes("\n"))).toBe(true);
  });

  test("refuses bad input before anything is read", async () => {
    const { memory } = await given.tenant();

    expect(() => memory.erasures.exportTombstones({ tenantKey: "" })).toThrow(/tenantKey/);
  });
});

describeEachStore("replay", (given) => {
  test("erases again what a restore brought back, by id, and what was stored before the erasure", async () => {
    const { memory, tenantKey } = await given.tenant();
    const canary = aCanary();
    // What a backup holds: the rows, and no tombstone yet.
    const source = await memory.remember(aMemory({ tenantKey, text: canary }));
    const summary = await memory.derive({ ...aSummaryOf(source), text: canary });
    const priya = await memory.remember(aMemory({ tenantKey, subjectKey: "customer:priya" }));
    const record = aRecord(tenantKey, {
      subjectHash: memory.subjectFingerprint(tenantKey, SUBJECT),
      memoryIds: [source.memory.memoryId],
      derivedIds: [summary.derived.derivedId],
    });

    const result = await memory.erasures.replay({ tenantKey, tombstones: [JSON.stringify(record)] });

    expect(result).toMatchObject({ replayed: 1, alreadyKnown: 0, skippedHeld: 0 });
    expect(result.receipts).toMatchObject([
      {
        origin: "replay",
        scope: "subject",
        state: "complete",
        closure: "confirmed",
        subjectHash: record.subjectHash,
        counts: { memories: 1, derived: 1 },
      },
    ]);
    expect(await memory.getMemory(tenantKey, source.memory.memoryId)).toBeNull();
    expect(await memory.getMemory(tenantKey, priya.memory.memoryId)).toEqual(priya.memory);
    await given.expectNowhere(canary);
  });

  test("spares what was stored after the original erasure", async () => {
    const { memory, tenantKey } = await given.tenant();
    const { memory: later } = await memory.remember(aMemory({ tenantKey }));
    const record = aRecord(tenantKey, {
      subjectHash: memory.subjectFingerprint(tenantKey, SUBJECT),
      openedAt: "2001-01-01T00:00:00.000000+00:00",
    });

    const { receipts } = await memory.erasures.replay({ tenantKey, tombstones: [record] });

    expect(receipts).toMatchObject([{ state: "complete", counts: { memories: 0 } }]);
    expect(await memory.getMemory(tenantKey, later.memoryId)).toEqual(later);
  });

  test("closes the write gate at the original's time", async () => {
    const { memory, tenantKey } = await given.tenant();
    const record = aRecord(tenantKey, {
      subjectHash: memory.subjectFingerprint(tenantKey, SUBJECT),
      openedAt: "2010-01-01T00:00:00Z",
    });
    await memory.erasures.replay({ tenantKey, tombstones: [record] });

    await expect(memory.remember(aMemory({ tenantKey, capturedAt: "2009-12-31T00:00:00Z" }))).rejects.toMatchObject({
      code: "ERR_SUBJECT_FORGOTTEN",
    });
    const { memory: row } = await memory.remember(aMemory({ tenantKey, capturedAt: "2010-01-02T00:00:00Z" }));
    expect(await memory.getMemory(tenantKey, row.memoryId)).toEqual(row);
  });

  test("of what the store has, and where nothing of it lives, does nothing; twice is once", async () => {
    const { memory, tenantKey } = await given.tenant();
    await memory.remember(aMemory({ tenantKey }));
    await memory.forget({ tenantKey, subjectKey: SUBJECT });
    const known = await collect(memory.erasures.exportTombstones({ tenantKey }));
    const lost = aRecord(tenantKey, { subjectHash: memory.subjectFingerprint(tenantKey, "customer:priya") });
    const tombstones = [...known, JSON.stringify(lost)];

    const first = await memory.erasures.replay({ tenantKey, tombstones });
    const second = await memory.erasures.replay({ tenantKey, tombstones });

    expect(first).toMatchObject({ replayed: 1, alreadyKnown: 1 });
    expect(second).toEqual({ replayed: 0, alreadyKnown: 2, skippedHeld: 0, receipts: [] });
    expect(await memory.erasures.reconcile({ tenantKey, against: tombstones })).toMatchObject({ findings: [] });
  });

  test("waits for the copies that came back with the rows", async () => {
    const { memory, tenantKey } = await given.tenant();
    const source = await memory.remember(aMemory({ tenantKey }));
    const { placement } = await memory.recordPlacement(aCopyOf(source));
    const record = aRecord(tenantKey, {
      subjectHash: memory.subjectFingerprint(tenantKey, SUBJECT),
      memoryIds: [source.memory.memoryId],
      placementIds: [placement.placementId],
    });

    const { receipts } = await memory.erasures.replay({ tenantKey, tombstones: [record] });

    expect(receipts).toMatchObject([
      { state: "in_progress", outstanding: [{ placementId: placement.placementId, sink: "vector-index" }] },
    ]);
  });

  test("skips and counts what a legal hold keeps", async () => {
    const { memory, tenantKey } = await given.tenant();
    const { memory: row } = await memory.remember(aMemory({ tenantKey }));
    await memory.holds.place({ tenantKey, subjectKey: SUBJECT, code: "litigation" });
    const record = aRecord(tenantKey, {
      subjectHash: memory.subjectFingerprint(tenantKey, SUBJECT),
      memoryIds: [row.memoryId],
    });

    const result = await memory.erasures.replay({ tenantKey, tombstones: [record] });

    expect(result).toEqual({ replayed: 0, alreadyKnown: 0, skippedHeld: 1, receipts: [] });
    expect(await memory.getMemory(tenantKey, row.memoryId)).toEqual(row);
  });

  test("needs no pepper", async () => {
    const { memory, tenantKey } = await given.tenant({ subjectHashPepper: "a secret of at least thirty-two bytes" });
    const { memory: without } = await given.tenant();
    const { memory: row } = await memory.remember(aMemory({ tenantKey }));
    const record = aRecord(tenantKey, {
      subjectHash: memory.subjectFingerprint(tenantKey, SUBJECT),
      subjectKeyId: "default",
    });

    const { receipts } = await without.erasures.replay({ tenantKey, tombstones: [record] });

    expect(receipts).toMatchObject([{ state: "complete", subjectHashKeyed: true, counts: { memories: 1 } }]);
    expect(await memory.getMemory(tenantKey, row.memoryId)).toBeNull();
  });

  test("of chosen memories or derived rows erases those, and nothing else of the person", async () => {
    const { memory, tenantKey } = await given.tenant();
    const [chosen, kept] = [
      await memory.remember(aMemory({ tenantKey })),
      await memory.remember(aMemory({ tenantKey })),
    ];
    const summary = await memory.derive(aSummaryOf(kept));
    const subjectHash = memory.subjectFingerprint(tenantKey, SUBJECT);
    const memoryIds = [chosen.memory.memoryId];
    const derivedIds = [summary.derived.derivedId];

    await memory.erasures.replay({
      tenantKey,
      tombstones: [
        aRecord(tenantKey, { scope: "memories", subjectHash, memoryIds }),
        aRecord(tenantKey, { tombstoneId: OTHER_ID, scope: "derived", origin: "direct_delete", derivedIds }),
      ],
    });

    expect((await memory.listMemories({ tenantKey })).rows).toEqual([kept.memory]);
    expect((await memory.listDerived({ tenantKey })).rows).toEqual([]);
  });

  describe("refuses a list with a bad record in it, and replays nothing of it:", () => {
    test.each<[string, object]>([
      ["another tenant's", { tenantKey: "other" }],
      ["no hash for a person", { subjectHash: null }],
      ["a hash that is none", { subjectHash: "Ramesh" }],
      ["a malformed id", { memoryIds: ["Ramesh"] }],
      ["an id that is missing", { tombstoneId: undefined }],
      ["prose for a reason", { reason: "Ramesh asked" }],
      ["an unknown scope", { scope: "everything" }],
      ["a date without a zone", { openedAt: "2020-01-01T00:00:00" }],
      ["an unknown field", { text: "Ramesh" }],
    ])("%s", async (_what, wrong) => {
      const { memory, tenantKey } = await given.tenant();
      const { memory: row } = await memory.remember(aMemory({ tenantKey }));
      const good = aRecord(tenantKey, {
        subjectHash: memory.subjectFingerprint(tenantKey, SUBJECT),
        memoryIds: [row.memoryId],
      });

      const replaying = memory.erasures.replay({ tenantKey, tombstones: [good, { ...good, ...wrong }] });

      await expect(replaying).rejects.toMatchObject({
        code: "ERR_INVALID_INPUT",
        argument: expect.stringMatching(/^tombstones\[1\]/) as string,
      });
      await expect(replaying).rejects.not.toThrow(/Ramesh/);
      expect(await memory.getMemory(tenantKey, row.memoryId)).toEqual(row);
    });
  });
});

const OTHER_ID = "018f3c2a-7b1d-7c4e-9a5f-6b7c8d9e0f1b";

/** As an export of another database would have it. */
function aRecord(tenantKey: string, given: Partial<TombstoneRecord>): TombstoneRecord {
  return {
    v: 1,
    tombstoneId: UNKNOWN_ID,
    tenantKey,
    scope: "subject",
    subjectHash: null,
    subjectKeyId: null,
    origin: "forget",
    reason: "subject_request",
    legalBasis: "unspecified",
    openedAt: "2999-01-01T00:00:00.000000+00:00",
    memoryIds: [],
    derivedIds: [],
    placementIds: [],
    ...given,
  };
}
