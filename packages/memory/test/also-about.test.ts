import { expect, test } from "vitest";
import { aMemory, aSummaryOf } from "./support/builders.js";
import { aCanary } from "./support/canary.js";
import { aCopyOf, collect, forgetIncompletely } from "./support/copies.js";
import { describeEachStore } from "./support/stores.js";

const RAMESH = "customer:ramesh";
const PRIYA = "customer:priya";
const ASHA = "customer:asha";
const ALL = [RAMESH, PRIYA, ASHA];

describeEachStore("a row about several people", (given) => {
  test.each(ALL)("is found, previewed and exported for each of them (%s)", async (subjectKey) => {
    const { memory, tenantKey } = await given.tenant();
    const joint = await memory.remember(
      aMemory({ tenantKey, alsoAbout: [PRIYA, ASHA], text: "a joint account", embedding: [1, 0] }),
    );
    const summary = await memory.derive({ ...aSummaryOf(joint), text: "an account" });
    const { placement } = await memory.recordPlacement(aCopyOf(joint));

    const listed = await memory.listMemories({ tenantKey, subjectKey });
    const derived = await memory.listDerived({ tenantKey, subjectKey });
    const byTerms = await memory.recall({ tenantKey, subjectKey, text: "joint" });
    const byVector = await memory.recall({ tenantKey, subjectKey, embedding: [1, 0] });
    const preview = await memory.previewForget({ tenantKey, subjectKey });
    const exported = await collect(memory.exportSubject({ tenantKey, subjectKey }));

    expect(listed.rows).toEqual([joint.memory]);
    expect(derived.rows).toEqual([summary.derived]);
    expect(byTerms.hits.map(({ row }) => row)).toEqual([joint.memory]);
    expect(byVector.hits.map(({ row }) => row)).toContainEqual(joint.memory);
    expect(preview).toMatchObject({
      ids: {
        memories: [joint.memory.memoryId],
        derived: [summary.derived.derivedId],
        placements: [placement.placementId],
      },
      otherSubjects: 2,
    });
    expect(exported.map(({ kind }) => kind)).toEqual(["memory", "derived", "placement"]);
  });

  test.each(ALL)("is erased with any of them, its copies and what was derived from it too (%s)", async (subjectKey) => {
    const { memory, tenantKey } = await given.tenant();
    const canary = aCanary();
    const joint = await memory.remember(aMemory({ tenantKey, alsoAbout: [PRIYA, ASHA], text: canary }));
    await memory.derive({ ...aSummaryOf(joint), text: canary });
    const { placement } = await memory.recordPlacement(aCopyOf(joint));

    const receipt = await forgetIncompletely(memory, { tenantKey, subjectKey });

    expect(receipt).toMatchObject({
      subjectHash: memory.subjectFingerprint(tenantKey, subjectKey),
      counts: { memories: 1, derived: 1, placements: { total: 1 } },
      otherSubjects: 2,
      outstanding: [{ placementId: placement.placementId }],
    });
    await given.expectNowhere(canary);
  });

  test.each(ALL)("is held while any of them is (%s)", async (subjectKey) => {
    const { memory, tenantKey } = await given.tenant();
    const { memory: row } = await memory.remember(aMemory({ tenantKey, alsoAbout: [PRIYA, ASHA] }));
    await memory.holds.place({ tenantKey, subjectKey, code: "litigation" });
    const other = ALL.find((key) => key !== subjectKey)!;

    const correcting = memory.correct({ tenantKey, memoryId: row.memoryId, text: "something else" });
    await expect(correcting).rejects.toMatchObject({ code: "ERR_LEGAL_HOLD" });
    const receipt = await forgetIncompletely(memory, { tenantKey, subjectKey: other });

    expect(receipt).toMatchObject({ state: "escalated", escalation: { code: "hold_conflict" } });
  });

  test.each(ALL)("is hidden while any of them is restricted (%s)", async (subjectKey) => {
    const { memory, tenantKey } = await given.tenant();
    const { memory: row } = await memory.remember(aMemory({ tenantKey, alsoAbout: [PRIYA, ASHA] }));
    const { restrictionId } = await memory.restrictions.restrict({ tenantKey, subjectKey, basis: "operator" });

    expect(await memory.getMemory(tenantKey, row.memoryId)).toBeNull();
    await memory.restrictions.lift({ tenantKey, restrictionId });
    expect(await memory.getMemory(tenantKey, row.memoryId)).toEqual(row);
  });

  test("needs one of them named where it is chosen by id, and any will do", async () => {
    const { memory, tenantKey } = await given.tenant();
    const { memory: row } = await memory.remember(aMemory({ tenantKey, alsoAbout: [PRIYA] }));
    const memoryIds = [row.memoryId];

    await expect(memory.forget({ tenantKey, memoryIds })).rejects.toMatchObject({
      code: "ERR_INVALID_INPUT",
      argument: "subjectKey",
    });
    await expect(memory.forget({ tenantKey, memoryIds, subjectKey: ASHA })).rejects.toMatchObject({
      code: "ERR_INVALID_INPUT",
      argument: "memoryIds",
    });
    const receipt = await memory.forget({ tenantKey, memoryIds, subjectKey: PRIYA });

    expect(receipt).toMatchObject({
      subjectHash: memory.subjectFingerprint(tenantKey, PRIYA),
      counts: { memories: 1 },
      otherSubjects: 1,
    });
  });

  test("is corrected for all of them", async () => {
    const { memory, tenantKey } = await given.tenant();
    const { memory: wrong } = await memory.remember(aMemory({ tenantKey, alsoAbout: [PRIYA, ASHA] }));

    const { memory: right } = await memory.correct({ tenantKey, memoryId: wrong.memoryId, text: "a joint account" });

    for (const subjectKey of ALL) {
      expect((await memory.listMemories({ tenantKey, subjectKey })).rows).toEqual([right]);
    }
  });

  test("is corrected where only hashes are kept, once one of them is named", async () => {
    const { memory, tenantKey } = await given.tenant({ storeSubjectKeys: false });
    const { memory: wrong } = await memory.remember(aMemory({ tenantKey, alsoAbout: [PRIYA] }));

    const { memory: right } = await memory.correct({
      tenantKey,
      memoryId: wrong.memoryId,
      subjectKey: PRIYA,
      text: "a joint account",
    });

    for (const subjectKey of [RAMESH, PRIYA]) {
      expect((await memory.listMemories({ tenantKey, subjectKey })).rows).toEqual([right]);
    }
  });

  test("is gone for the next of them: the later receipt says that it looked and found nothing", async () => {
    const { memory, tenantKey } = await given.tenant();
    await memory.remember(aMemory({ tenantKey, alsoAbout: [PRIYA] }));
    await memory.forget({ tenantKey, subjectKey: RAMESH });

    expect(await memory.forget({ tenantKey, subjectKey: PRIYA })).toMatchObject({
      state: "complete",
      matched: false,
      counts: { memories: 0 },
    });
  });
});
