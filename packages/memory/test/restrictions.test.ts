import { describe, expect, test } from "vitest";
import { RestrictedError } from "../src/index.js";
import { aMemory, aSummaryOf, UNKNOWN_ID } from "./support/builders.js";
import { aCanary } from "./support/canary.js";
import { collect } from "./support/copies.js";
import { KEPT_SUBJECT, keep, READ_PATHS } from "./support/read-paths.js";
import { describeEachStore } from "./support/stores.js";

const BASIS = "gdpr_18_1_a";

describeEachStore("a restricted person", (given) => {
  describe.each(READ_PATHS)("$name", ({ live, shown, showsExpired }) => {
    test("shows nothing of theirs, and everything again once it is lifted", async () => {
      const { memory, tenantKey } = await given.tenant();
      const kept = await keep(memory, tenantKey);
      const rows = {
        source: kept.source.memory.memoryId,
        summary: kept.summary.derived.derivedId,
      };
      const keptIds = (ids: readonly string[]) => ids.filter((id) => Object.values(rows).includes(id)).sort();
      const liveIds = live.map((row) => rows[row]).sort();
      const { restrictionId } = await memory.restrictions.restrict({
        tenantKey,
        subjectKey: KEPT_SUBJECT,
        basis: BASIS,
      });

      const hidden = await shown(memory, kept).catch(nothingIfRestricted);
      await memory.restrictions.lift({ tenantKey, restrictionId });
      const again = await shown(memory, kept);

      // A preview is the person's own, and shows what is kept.
      expect(keptIds(hidden)).toEqual(showsExpired === true ? liveIds : []);
      expect(keptIds(again)).toEqual(liveIds);
    });
  });

  test("is still there: the person's export says which rows are restricted", async () => {
    const { memory, tenantKey } = await given.tenant();
    const kept = await keep(memory, tenantKey);
    await memory.restrictions.restrict({ tenantKey, subjectKey: KEPT_SUBJECT, basis: BASIS });

    const rows = await collect(memory.exportSubject({ tenantKey, subjectKey: KEPT_SUBJECT }));

    expect(rows).toEqual([
      { kind: "memory", row: { ...kept.source.memory, restricted: true } },
      { kind: "derived", row: { ...kept.summary.derived, restricted: true } },
    ]);
  });

  test("cannot be derived from, and the error says why", async () => {
    const { memory, tenantKey } = await given.tenant();
    const kept = await keep(memory, tenantKey);
    await memory.restrictions.restrict({ tenantKey, subjectKey: KEPT_SUBJECT, basis: BASIS });

    await expect(memory.derive(aSummaryOf(kept.source))).rejects.toMatchObject({ code: "ERR_RESTRICTED" });
    await expect(memory.derive(aSummaryOf(kept.summary))).rejects.toMatchObject({ code: "ERR_RESTRICTED" });
  });

  test("is erased like any other", async () => {
    const { memory, tenantKey } = await given.tenant();
    const canary = aCanary();
    const source = await memory.remember(aMemory({ tenantKey, subjectKey: KEPT_SUBJECT, text: canary }));
    await memory.derive({ ...aSummaryOf(source), text: canary });
    await memory.restrictions.restrict({ tenantKey, subjectKey: KEPT_SUBJECT, basis: BASIS });

    const receipt = await memory.forget({ tenantKey, subjectKey: KEPT_SUBJECT });

    expect(receipt).toMatchObject({ state: "complete", counts: { memories: 1, derived: 1 } });
    await given.expectNowhere(canary);
  });

  test("does not hide the rows of others, and hides those it shares with them", async () => {
    const { memory, tenantKey } = await given.tenant();
    const kept = await keep(memory, tenantKey);
    const other = await memory.remember(aMemory({ tenantKey, subjectKey: "customer:priya" }));
    const shared = await memory.remember(
      aMemory({ tenantKey, subjectKey: "customer:priya", alsoAbout: [KEPT_SUBJECT] }),
    );
    const digest = await memory.derive(aSummaryOf(other, kept.source));
    await memory.restrictions.restrict({ tenantKey, subjectKey: KEPT_SUBJECT, basis: BASIS });

    const { rows: memories } = await memory.listMemories({ tenantKey });
    const { rows: derived } = await memory.listDerived({ tenantKey });

    expect(memories).toEqual([other.memory]);
    expect(derived).toEqual([]);
    expect(await memory.getMemory(tenantKey, shared.memory.memoryId)).toBeNull();
    expect(await memory.getDerived(tenantKey, digest.derived.derivedId)).toBeNull();
  });

  test("is written about as before, and nobody sees it", async () => {
    const { memory, tenantKey } = await given.tenant();
    await memory.restrictions.restrict({ tenantKey, subjectKey: KEPT_SUBJECT, basis: BASIS });

    const { memory: row } = await memory.remember(aMemory({ tenantKey, subjectKey: KEPT_SUBJECT }));

    expect(await memory.getMemory(tenantKey, row.memoryId)).toBeNull();
    expect((await memory.listMemories({ tenantKey })).rows).toEqual([]);
  });

  test("is no forgotten person: there is no tombstone", async () => {
    const { memory, tenantKey } = await given.tenant();
    const kept = await keep(memory, tenantKey);
    await memory.restrictions.restrict({ tenantKey, subjectKey: KEPT_SUBJECT, basis: BASIS });

    expect(await memory.erasureHistory(tenantKey)).toEqual([]);
    expect(await memory.isForgotten({ tenantKey, memoryIds: [kept.source.memory.memoryId] })).toMatchObject({
      memoryIds: [],
    });
  });
});

describeEachStore("restricted memories", (given) => {
  test("are hidden with everything derived from them, and nothing else is", async () => {
    const { memory, tenantKey } = await given.tenant();
    const chosen = await memory.remember(aMemory({ tenantKey }));
    const kept = await memory.remember(aMemory({ tenantKey }));
    const summary = await memory.derive(aSummaryOf(chosen));
    const above = await memory.derive(aSummaryOf(summary, kept));

    await memory.restrictions.restrict({ tenantKey, memoryIds: [chosen.memory.memoryId], basis: "operator" });

    expect(await memory.getMemory(tenantKey, chosen.memory.memoryId)).toBeNull();
    expect(await memory.getDerived(tenantKey, summary.derived.derivedId)).toBeNull();
    expect(await memory.getDerived(tenantKey, above.derived.derivedId)).toBeNull();
    expect((await memory.listMemories({ tenantKey })).rows).toEqual([kept.memory]);
    await expect(memory.derive(aSummaryOf(chosen))).rejects.toMatchObject({ code: "ERR_RESTRICTED" });
    await expect(memory.derive(aSummaryOf(above))).rejects.toMatchObject({ code: "ERR_RESTRICTED" });
  });

  test("stay hidden while any restriction covers them", async () => {
    const { memory, tenantKey } = await given.tenant();
    const { memory: row } = await memory.remember(aMemory({ tenantKey }));
    const first = await memory.restrictions.restrict({ tenantKey, memoryIds: [row.memoryId], basis: BASIS });
    const second = await memory.restrictions.restrict({ tenantKey, subjectKey: KEPT_SUBJECT, basis: BASIS });

    await memory.restrictions.lift({ tenantKey, restrictionId: first.restrictionId });
    const between = await memory.getMemory(tenantKey, row.memoryId);
    await memory.restrictions.lift({ tenantKey, restrictionId: second.restrictionId });

    expect(between).toBeNull();
    expect(await memory.getMemory(tenantKey, row.memoryId)).toEqual(row);
  });
});

describeEachStore("lifting", (given) => {
  test("a restriction that is none, of another tenant, or lifted already is not found", async () => {
    const { memory, tenantKey } = await given.tenant();
    const { tenantKey: other } = await given.tenant();
    const { restrictionId } = await memory.restrictions.restrict({
      tenantKey,
      subjectKey: KEPT_SUBJECT,
      basis: BASIS,
    });
    const notFound = { code: "ERR_NOT_FOUND", what: "restriction" };

    await expect(memory.restrictions.lift({ tenantKey, restrictionId: UNKNOWN_ID })).rejects.toMatchObject(notFound);
    await expect(memory.restrictions.lift({ tenantKey, restrictionId: "none" })).rejects.toMatchObject(notFound);
    await expect(memory.restrictions.lift({ tenantKey: other, restrictionId })).rejects.toMatchObject(notFound);
    await memory.restrictions.lift({ tenantKey, restrictionId });
    await expect(memory.restrictions.lift({ tenantKey, restrictionId })).rejects.toMatchObject(notFound);
  });
});

// To be told that a row is restricted is not to be shown it.
function nothingIfRestricted(error: unknown): readonly string[] {
  if (error instanceof RestrictedError) return [];
  throw error;
}
