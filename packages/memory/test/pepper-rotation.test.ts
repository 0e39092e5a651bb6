import { describe, expect, test } from "vitest";
import { ClosureNotEnumerableError } from "../src/index.js";
import type { Memory } from "../src/index.js";
import { aMemory, aSummaryOf } from "./support/builders.js";
import { aCanary } from "./support/canary.js";
import { collect } from "./support/copies.js";
import { describeEachStore } from "./support/stores.js";

const SUBJECT = "customer:ramesh";
const OLD = { id: "k1", secret: "the old secret of at least thirty-two bytes" } as const;
const NEW = { id: "k2", secret: "the new secret of at least thirty-two bytes" } as const;

/** Every call that is scoped by a person, or by content. */
const SCOPED: Readonly<Record<string, (memory: Memory, tenantKey: string) => Promise<unknown>>> = {
  forget: (memory, tenantKey) => memory.forget({ tenantKey, subjectKey: SUBJECT }),
  "erasures.open": (memory, tenantKey) => memory.erasures.open({ tenantKey, subjectKey: SUBJECT }),
  previewForget: (memory, tenantKey) => memory.previewForget({ tenantKey, subjectKey: SUBJECT }),
  exportSubject: (memory, tenantKey) => collect(memory.exportSubject({ tenantKey, subjectKey: SUBJECT })),
  listMemories: (memory, tenantKey) => memory.listMemories({ tenantKey, subjectKey: SUBJECT }),
  listDerived: (memory, tenantKey) => memory.listDerived({ tenantKey, subjectKey: SUBJECT }),
  "recall by terms": (memory, tenantKey) => memory.recall({ tenantKey, subjectKey: SUBJECT, text: "evening" }),
  "recall by vector": (memory, tenantKey) => memory.recall({ tenantKey, subjectKey: SUBJECT, embedding: [1, 0] }),
  erasureHistory: (memory, tenantKey) => memory.erasureHistory(tenantKey, { subjectKey: SUBJECT }),
  "restrictions.restrict": (memory, tenantKey) =>
    memory.restrictions.restrict({ tenantKey, subjectKey: SUBJECT, basis: "operator" }),
  "holds.place": (memory, tenantKey) => memory.holds.place({ tenantKey, subjectKey: SUBJECT, code: "contract" }),
};

describeEachStore("a key that is missing", (given) => {
  test.each(Object.entries(SCOPED))("never lets %s answer that there is nothing", async (_name, call) => {
    const { memory: before, tenantKey } = await given.tenant({ subjectHashPepper: [OLD] });
    await before.remember(aMemory({ tenantKey }));
    const { memory: lacking } = await given.tenant({ subjectHashPepper: [NEW] });
    const { memory: without } = await given.tenant();

    for (const memory of [lacking, without]) {
      await expect(call(memory, tenantKey)).rejects.toMatchObject({
        code: "ERR_CLOSURE_NOT_ENUMERABLE",
        missingKeyId: "k1",
      });
    }
    expect(await before.erasureHistory(tenantKey)).toEqual([]);
  });

  test("is told from a secret that is another one", async () => {
    const { memory: before, tenantKey } = await given.tenant({ subjectHashPepper: [OLD] });
    await before.remember(aMemory({ tenantKey }));
    const { memory: mistyped } = await given.tenant({ subjectHashPepper: [{ ...OLD, secret: NEW.secret }] });

    await expect(mistyped.forget({ tenantKey, subjectKey: SUBJECT })).rejects.toThrow(/not the one used before/);
    await expect(mistyped.remember(aMemory({ tenantKey }))).rejects.toThrow(ClosureNotEnumerableError);
  });
});

describeEachStore("rows from before there was a pepper", (given) => {
  test.each(Object.entries(SCOPED))("need no secret: %s looks under the plain hash too", async (_name, call) => {
    const { memory: before, tenantKey } = await given.tenant();
    await before.remember(aMemory({ tenantKey, embedding: [1, 0] }));
    const { memory: after } = await given.tenant({ subjectHashPepper: [NEW] });

    await expect(call(after, tenantKey)).resolves.toBeDefined();
  });

  test("are found, read and erased with those from after it", async () => {
    const canary = aCanary();
    const { memory: before, tenantKey } = await given.tenant();
    const old = await before.remember(aMemory({ tenantKey, text: `old ${canary}` }));
    const { memory: after } = await given.tenant({ subjectHashPepper: [NEW] });
    const recent = await after.remember(aMemory({ tenantKey, text: `recent ${canary}` }));

    const { rows } = await after.listMemories({ tenantKey, subjectKey: SUBJECT });
    const { hits } = await after.recall({ tenantKey, text: canary, subjectKey: SUBJECT });
    const exported = await collect(after.exportSubject({ tenantKey, subjectKey: SUBJECT }));
    const receipt = await after.forget({ tenantKey, subjectKey: SUBJECT });

    expect(rows).toEqual([recent.memory, old.memory]);
    expect(hits.map(({ row }) => row)).toEqual([recent.memory, old.memory]);
    expect(exported.map(({ row }) => row)).toEqual([old.memory, recent.memory]);
    expect(receipt).toMatchObject({
      subjectHash: after.subjectFingerprint(tenantKey, SUBJECT),
      subjectHashKeyed: true,
      counts: { memories: 2 },
      otherSubjects: 0,
    });
    await given.expectNowhere(canary);
  });

  test("hold up nobody else: a tenant without them is looked at under the keys alone", async () => {
    const { memory, tenantKey } = await given.tenant({ subjectHashPepper: [NEW] });
    await memory.remember(aMemory({ tenantKey }));
    await memory.forget({ tenantKey, subjectKey: SUBJECT });

    const { memory: unkeyed } = await given.tenant();
    await given.expectNowhere(unkeyed.subjectFingerprint(tenantKey, SUBJECT));
  });

  test("leave tombstones that a keyed history shows, and that close the gate for a keyed writer", async () => {
    const { memory: before, tenantKey } = await given.tenant();
    const first = await before.forget({ tenantKey, subjectKey: SUBJECT });
    const { memory: after } = await given.tenant({ subjectHashPepper: [NEW] });

    const history = await after.erasureHistory(tenantKey, { subjectKey: SUBJECT });
    const late = after.remember(aMemory({ tenantKey, capturedAt: "2001-01-01T00:00:00Z" }));

    expect(history.map(({ tombstoneId }) => tombstoneId)).toEqual([first.tombstoneId]);
    await expect(late).rejects.toMatchObject({ code: "ERR_SUBJECT_FORGOTTEN" });
  });

  test("are held and restricted with those from after it", async () => {
    const { memory: before, tenantKey } = await given.tenant();
    const { memory: old } = await before.remember(aMemory({ tenantKey }));
    const { memory: after } = await given.tenant({ subjectHashPepper: [NEW] });
    await after.holds.place({ tenantKey, subjectKey: SUBJECT, code: "litigation" });
    await after.restrictions.restrict({ tenantKey, subjectKey: SUBJECT, basis: "operator" });

    expect(await before.getMemory(tenantKey, old.memoryId)).toBeNull();
    await expect(after.forget({ tenantKey, memoryIds: [old.memoryId] })).rejects.toMatchObject({
      code: "ERR_LEGAL_HOLD",
    });
  });
});

describeEachStore("a rotated pepper", (given) => {
  test("links a person's hashes: who holds both keys and writes once makes one person of two", async () => {
    const { memory: before, tenantKey } = await given.tenant({ subjectHashPepper: [OLD] });
    const { memory: after } = await given.tenant({ subjectHashPepper: [NEW, OLD] });
    await before.remember(aMemory({ tenantKey }));
    await after.remember(aMemory({ tenantKey }));

    const preview = await after.previewForget({ tenantKey, subjectKey: SUBJECT });
    const receipt = await after.forget({ tenantKey, subjectKey: SUBJECT });

    expect(preview).toMatchObject({ counts: { memories: 2 }, otherSubjects: 0 });
    expect(receipt).toMatchObject({ counts: { memories: 2 }, otherSubjects: 0 });
  });

  test("shows the whole history, page by page, under every key", async () => {
    const { memory: before, tenantKey } = await given.tenant({ subjectHashPepper: [OLD] });
    const { memory: after } = await given.tenant({ subjectHashPepper: [NEW, OLD] });
    const first = await before.forget({ tenantKey, subjectKey: SUBJECT });
    const second = await after.forget({ tenantKey, subjectKey: SUBJECT });
    await after.forget({ tenantKey, subjectKey: "customer:priya" });

    const [newest] = await after.erasureHistory(tenantKey, { subjectKey: SUBJECT, limit: 1 });
    const rest = await after.erasureHistory(tenantKey, { subjectKey: SUBJECT, before: second.tombstoneId });

    expect(newest?.tombstoneId).toBe(second.tombstoneId);
    expect(rest.map(({ tombstoneId }) => tombstoneId)).toEqual([first.tombstoneId]);
  });

  test("knows erased texts again, by ids and by content, under every key", async () => {
    const { memory: before, tenantKey } = await given.tenant({ subjectHashPepper: [OLD] });
    const { memory: after } = await given.tenant({ subjectHashPepper: [NEW, OLD] });
    const { memory: row } = await before.remember(aMemory({ tenantKey, text: "said before" }));
    await before.forget({ tenantKey, subjectKey: SUBJECT });

    const asked = await after.isForgotten({
      tenantKey,
      memoryIds: [row.memoryId],
      contents: [{ subjectKey: SUBJECT, text: "said before" }],
    });
    const again = await after.remember(aMemory({ tenantKey, text: "said before" }));

    expect(asked).toEqual({ memoryIds: [row.memoryId], derivedIds: [], contents: [0] });
    expect(again.rematerialised).toBe(true);
  });

  test("sweeps clean under both keys, and says what it could not check under one", async () => {
    const { memory: before, tenantKey } = await given.tenant({ subjectHashPepper: [OLD] });
    const { memory: after } = await given.tenant({ subjectHashPepper: [NEW, OLD] });
    const { memory: lacking } = await given.tenant({ subjectHashPepper: [NEW] });
    await before.remember(aMemory({ tenantKey }));
    await after.remember(aMemory({ tenantKey, subjectKey: "customer:priya" }));

    expect(await after.erasures.reconcile({ tenantKey })).toMatchObject({
      verdict: "clean",
      coverage: { persons: 2, personsUnchecked: 0 },
    });
    expect(await lacking.erasures.reconcile({ tenantKey })).toMatchObject({
      verdict: "unchecked",
      coverage: { persons: 1, personsUnchecked: 1 },
    });
  });

  describe("once the old key is dropped", () => {
    test("still leaves by-id calls and writing as they were", async () => {
      const { memory: before, tenantKey } = await given.tenant({ subjectHashPepper: [OLD] });
      const source = await before.remember(aMemory({ tenantKey }));
      const { memory: lacking } = await given.tenant({ subjectHashPepper: [NEW] });

      const summary = await lacking.derive(aSummaryOf(source));
      const { memory: right } = await lacking.correct({
        tenantKey,
        memoryId: source.memory.memoryId,
        text: "something else",
      });

      expect(await lacking.getDerived(tenantKey, summary.derived.derivedId)).toBeNull();
      expect(await before.getMemory(tenantKey, right.memoryId)).toEqual(right);
      expect(await before.forget({ tenantKey, subjectKey: SUBJECT })).toMatchObject({ counts: { memories: 1 } });
    });
  });
});
