import { describe, expect, test } from "vitest";
import type { MemoryStore, TombstoneRecord } from "../src/index.js";
import { aMemory, aSummaryOf, UNKNOWN_ID } from "./support/builders.js";
import { aCanary } from "./support/canary.js";
import { aCopyOf, collect, forgetIncompletely } from "./support/copies.js";
import { describeEachStore } from "./support/stores.js";

const SUBJECT = "customer:ramesh";
const PEPPER = [{ id: "k1", secret: "a secret of at least thirty-two bytes" }] as const;
const KEYED = { subjectHashPepper: PEPPER };

describeEachStore("reconcile", (given) => {
  test("of a tenant where all is well is clean, and says what it looked at", async () => {
    const { memory, tenantKey } = await given.tenant(KEYED);
    const source = await memory.remember(aMemory({ tenantKey }));
    const summary = await memory.derive({
      ...aSummaryOf(source),
      text: "a summary that is long enough to have a tag of its own",
    });
    await memory.recordPlacement(aCopyOf(summary));
    await memory.forget({ tenantKey, subjectKey: "customer:priya" });

    const answer = await memory.erasures.reconcile({ tenantKey });

    expect(answer).toEqual({
      verdict: "clean",
      findings: [],
      coverage: {
        memories: 1,
        derived: 1,
        placements: 1,
        tombstones: 1,
        persons: 1,
        personsUnchecked: 0,
        contentUnchecked: 0,
      },
      repaired: 0,
    });
  });

  test("of a tenant without a pepper is clean too, and says for how many rows content was not compared", async () => {
    const { memory, tenantKey } = await given.tenant();
    await memory.remember(aMemory({ tenantKey }));

    const answer = await memory.erasures.reconcile({ tenantKey });

    expect(answer).toMatchObject({ verdict: "clean", findings: [], coverage: { contentUnchecked: 1 } });
  });

  test("does not take what waits for a copy, or is being erased, for residue", async () => {
    const { memory, tenantKey } = await given.tenant(KEYED);
    const source = await memory.remember(aMemory({ tenantKey }));
    await memory.recordPlacement(aCopyOf(source));
    await forgetIncompletely(memory, { tenantKey, subjectKey: SUBJECT });
    await memory.remember(aMemory({ tenantKey, subjectKey: "customer:priya" }));
    await memory.erasures.open({ tenantKey, subjectKey: "customer:priya" });

    expect(await memory.erasures.reconcile({ tenantKey })).toMatchObject({ verdict: "clean", findings: [] });
  });

  test("never says clean of rows whose derivations nobody recorded", async () => {
    const { memory, tenantKey } = await given.tenant(KEYED);
    const { memory: row } = await memory.remember(aMemory({ tenantKey, provenanceKnown: false }));

    const answer = await memory.erasures.reconcile({ tenantKey, repair: true });

    expect(answer).toMatchObject({
      verdict: "unchecked",
      findings: [{ code: "provenance_unknown", kind: "memory", id: row.memoryId }],
      repaired: 0,
    });
    expect(await memory.getMemory(tenantKey, row.memoryId)).toEqual(row);
  });

  test("never says clean of rows without content tags, once there is a pepper", async () => {
    const { memory: before, tenantKey } = await given.tenant();
    const { memory: after } = await given.tenant(KEYED);
    await before.remember(aMemory({ tenantKey }));
    await after.remember(aMemory({ tenantKey, text: "written later" }));

    expect(await after.erasures.reconcile({ tenantKey })).toMatchObject({
      verdict: "unchecked",
      findings: [],
      coverage: { memories: 2, contentUnchecked: 1, persons: 2, personsUnchecked: 0 },
    });
  });

  test("never says clean of persons under a key it does not hold", async () => {
    const { memory, tenantKey } = await given.tenant(KEYED);
    const { memory: without } = await given.tenant();
    await memory.remember(aMemory({ tenantKey }));

    expect(await without.erasures.reconcile({ tenantKey })).toMatchObject({
      verdict: "unchecked",
      coverage: { persons: 0, personsUnchecked: 1 },
    });
  });

  describe("finds", () => {
    test("erased content that came back, and erases it again where it is told to", async () => {
      const { memory, tenantKey } = await given.tenant(KEYED);
      const canary = aCanary();
      await memory.remember(aMemory({ tenantKey, text: canary }));
      const { tombstoneId } = await memory.forget({ tenantKey, subjectKey: SUBJECT });
      const back = await memory.remember(aMemory({ tenantKey, text: canary }));
      await memory.derive({ ...aSummaryOf(back), text: canary });

      const found = await memory.erasures.reconcile({ tenantKey });
      const repaired = await memory.erasures.reconcile({ tenantKey, repair: true });
      const after = await memory.erasures.reconcile({ tenantKey });

      const finding = { code: "content_reappeared", kind: "memory", id: back.memory.memoryId, tombstoneId };
      expect(found).toMatchObject({ verdict: "residue", findings: [finding], repaired: 0 });
      expect(repaired).toMatchObject({ verdict: "residue", findings: [finding], repaired: 1 });
      expect(after).toMatchObject({ verdict: "clean", findings: [] });
      const [again] = await memory.erasureHistory(tenantKey, { limit: 1 });
      expect(again).toMatchObject({ scope: "memories", reason: "operator", origin: "forget", state: "complete" });
      await given.expectNowhere(canary);
    });

    test("erased content that came back filed under several persons, and repairs it", async () => {
      const { memory, tenantKey } = await given.tenant(KEYED);
      const canary = aCanary();
      const row = aMemory({ tenantKey, alsoAbout: ["customer:priya"], text: canary });
      await memory.remember(row);
      await memory.forget({ tenantKey, subjectKey: SUBJECT });
      await memory.remember(row);

      const { repaired } = await memory.erasures.reconcile({ tenantKey, repair: true });

      expect(repaired).toBe(1);
      await given.expectNowhere(canary);
    });

    test("and leaves alone what a legal hold keeps", async () => {
      const { memory, tenantKey } = await given.tenant(KEYED);
      await memory.remember(aMemory({ tenantKey, text: "said before" }));
      await memory.forget({ tenantKey, subjectKey: SUBJECT });
      const { memory: back } = await memory.remember(aMemory({ tenantKey, text: "said before" }));
      await memory.holds.place({ tenantKey, subjectKey: SUBJECT, code: "litigation" });

      const answer = await memory.erasures.reconcile({ tenantKey, repair: true });

      expect(answer).toMatchObject({ verdict: "residue", findings: [{ id: back.memoryId }], repaired: 0 });
      expect(await memory.getMemory(tenantKey, back.memoryId)).toEqual(back);
    });

    test("a row under a hash that is not its person's, and does not touch it", async () => {
      const { memory, tenantKey } = await given.tenant();
      const { memory: row } = await memory.remember(aMemory({ tenantKey }));
      const id = await insertUnder(given.store, tenantKey, SUBJECT, memory.subjectFingerprint(tenantKey, "somebody"));

      const answer = await memory.erasures.reconcile({ tenantKey, repair: true });

      expect(answer).toMatchObject({
        verdict: "residue",
        findings: [{ code: "subject_mismatch", kind: "memory", id }],
        coverage: { persons: 2 },
        repaired: 0,
      });
      expect((await memory.listMemories({ tenantKey })).rows.map(({ memoryId }) => memoryId)).toContain(row.memoryId);
      expect(await memory.getMemory(tenantKey, id)).not.toBeNull();
    });

    test("evidence that an earlier export had, however it is handed over", async () => {
      const { memory, tenantKey } = await given.tenant();
      await memory.forget({ tenantKey, subjectKey: SUBJECT });
      const lines = await collect(memory.erasures.exportTombstones({ tenantKey }));
      const lost = JSON.stringify({ ...(JSON.parse(lines[0]!) as TombstoneRecord), tombstoneId: UNKNOWN_ID });
      const finding = { code: "evidence_missing", kind: "tombstone", id: UNKNOWN_ID, tombstoneId: UNKNOWN_ID };

      expect(await memory.erasures.reconcile({ tenantKey, against: lines })).toMatchObject({ verdict: "clean" });
      for (const against of [
        [...lines, lost],
        [JSON.parse(lost) as TombstoneRecord],
        `${lines[0]!}\n${lost}\n`,
        new Set([lost]),
        streamOf(lost, ""),
      ]) {
        expect(await memory.erasures.reconcile({ tenantKey, against, repair: true })).toMatchObject({
          verdict: "residue",
          findings: [finding],
          repaired: 0,
        });
      }
    });
  });

  test.each([
    ["another tenant's export", (line: string) => line.replace(/"tenant-[^"]+"/, '"tenant-other"')],
    ["a line that was cut off", (line: string) => line.slice(0, -20)],
    ["a record with a field too many", (line: string) => line.replace('{"v":1,', '{"v":1,"text":"Ramesh",')],
    ["a record of another version", (line: string) => line.replace('{"v":1,', '{"v":2,')],
    ["something else", () => "[]"],
  ])("refuses to compare with %s", async (_what, spoil) => {
    const { memory, tenantKey } = await given.tenant();
    await memory.forget({ tenantKey, subjectKey: SUBJECT });
    const [line] = await collect(memory.erasures.exportTombstones({ tenantKey }));

    const comparing = memory.erasures.reconcile({ tenantKey, against: [spoil(line!)] });

    await expect(comparing).rejects.toMatchObject({ code: "ERR_INVALID_INPUT" });
    await expect(comparing).rejects.not.toThrow(/Ramesh|tenant-other/);
  });
});

async function* streamOf(...lines: string[]): AsyncGenerator<string> {
  yield* lines;
}

/** As a host's own SQL might: the key of one person, the hash of another. */
async function insertUnder(store: MemoryStore, tenantKey: string, subjectKey: string, hash: string): Promise<string> {
  const written = { hash, keyId: null, check: null };
  const outcomes = await store.insertMemories(
    tenantKey,
    [
      {
        memoryId: UNKNOWN_ID,
        subjects: [{ subjectKey, written, known: [written] }],
        kind: "memory",
        text: "filed under the wrong hash",
        metadata: {},
        embedding: null,
        termHashes: [],
        contentTags: [],
        capturedAt: null,
        expiresAt: null,
        idempotencyHash: null,
        provenanceKnown: true,
      },
    ],
    { keys: [written], onRematerialise: "report" },
  );
  expect(outcomes).toMatchObject([{ status: "stored" }]);
  return UNKNOWN_ID;
}
