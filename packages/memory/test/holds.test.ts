import { describe, expect, test } from "vitest";
import { LegalHoldError } from "../src/index.js";
import { aMemory, aSummaryOf, LONG_AGO, NEVER_SOON, UNKNOWN_ID } from "./support/builders.js";
import { aCanary } from "./support/canary.js";
import { forgetIncompletely, refOf } from "./support/copies.js";
import { describeEachStore } from "./support/stores.js";

const SUBJECT = "customer:ramesh";
const PRIYA = "customer:priya";

describeEachStore("a legal hold", (given) => {
  test("refuses to forget the person, leaves everything as it was, and counts the refusal", async () => {
    const { memory, tenantKey } = await given.tenant();
    const { memory: row } = await memory.remember(aMemory({ tenantKey }));
    const { holdId } = await memory.holds.place({ tenantKey, subjectKey: SUBJECT, code: "litigation" });

    await expect(memory.forget({ tenantKey, subjectKey: SUBJECT })).rejects.toThrow(LegalHoldError);
    await expect(memory.erasures.open({ tenantKey, subjectKey: SUBJECT })).rejects.toThrow(LegalHoldError);
    await expect(memory.forget({ tenantKey, memoryIds: [row.memoryId] })).rejects.toThrow(LegalHoldError);

    expect(await memory.getMemory(tenantKey, row.memoryId)).toEqual(row);
    expect(await memory.erasureHistory(tenantKey)).toEqual([]);
    expect(await memory.holds.list({ tenantKey })).toEqual([
      {
        holdId,
        subjectHash: memory.subjectFingerprint(tenantKey, SUBJECT),
        code: "litigation",
        until: null,
        placedAt: expect.any(String) as string,
        releasedAt: null,
        refusals: 3,
      },
    ]);
  });

  test("refuses nothing once it is released", async () => {
    const { memory, tenantKey } = await given.tenant();
    await memory.remember(aMemory({ tenantKey }));
    const { holdId } = await memory.holds.place({ tenantKey, subjectKey: SUBJECT, code: "litigation" });

    await memory.holds.release({ tenantKey, holdId });

    expect(await memory.forget({ tenantKey, subjectKey: SUBJECT })).toMatchObject({ state: "complete" });
    expect(await memory.holds.list({ tenantKey })).toMatchObject([
      { holdId, releasedAt: expect.any(String) as string },
    ]);
  });

  test.each([
    ["that is over holds nothing", LONG_AGO, false],
    ["that lasts holds", NEVER_SOON, true],
  ])("until an instant %s", async (_what, until, holds) => {
    const { memory, tenantKey } = await given.tenant();
    await memory.remember(aMemory({ tenantKey }));
    await memory.holds.place({ tenantKey, subjectKey: SUBJECT, code: "regulatory", until });

    const forgetting = memory.forget({ tenantKey, subjectKey: SUBJECT });

    if (holds) await expect(forgetting).rejects.toThrow(LegalHoldError);
    else expect(await forgetting).toMatchObject({ state: "complete" });
    expect(await memory.holds.list({ tenantKey })).toMatchObject([{ until }]);
  });

  test("is one of several: all must be released", async () => {
    const { memory, tenantKey } = await given.tenant();
    const first = await memory.holds.place({ tenantKey, subjectKey: SUBJECT, code: "litigation" });
    const second = await memory.holds.place({ tenantKey, subjectKey: SUBJECT, code: "contract" });

    await memory.holds.release({ tenantKey, holdId: first.holdId });
    await expect(memory.forget({ tenantKey, subjectKey: SUBJECT })).rejects.toThrow(LegalHoldError);
    await memory.holds.release({ tenantKey, holdId: second.holdId });

    expect(await memory.forget({ tenantKey, subjectKey: SUBJECT })).toMatchObject({ state: "complete" });
    const listed = await memory.holds.list({ tenantKey });
    expect(listed.map(({ holdId }) => holdId)).toEqual([second.holdId, first.holdId]);
  });

  test("hides nothing and stops no writing", async () => {
    const { memory, tenantKey } = await given.tenant();
    const source = await memory.remember(aMemory({ tenantKey }));
    await memory.holds.place({ tenantKey, subjectKey: SUBJECT, code: "litigation" });

    const summary = await memory.derive(aSummaryOf(source));
    const later = await memory.remember(aMemory({ tenantKey }));

    expect((await memory.listMemories({ tenantKey, subjectKey: SUBJECT })).rows).toEqual([later.memory, source.memory]);
    expect(await memory.getDerived(tenantKey, summary.derived.derivedId)).toEqual(summary.derived);
  });

  test("refuses to correct", async () => {
    const { memory, tenantKey } = await given.tenant();
    const { memory: row } = await memory.remember(aMemory({ tenantKey }));
    await memory.holds.place({ tenantKey, subjectKey: SUBJECT, code: "litigation" });

    const correcting = memory.correct({ tenantKey, memoryId: row.memoryId, text: "something else" });

    await expect(correcting).rejects.toThrow(LegalHoldError);
    expect((await memory.listMemories({ tenantKey })).rows).toEqual([row]);
  });

  test("that is none, of another tenant, or released already is not found", async () => {
    const { memory, tenantKey } = await given.tenant();
    const { tenantKey: other } = await given.tenant();
    const { holdId } = await memory.holds.place({ tenantKey, subjectKey: SUBJECT, code: "litigation" });
    const notFound = { code: "ERR_NOT_FOUND", what: "hold" };

    await expect(memory.holds.release({ tenantKey, holdId: UNKNOWN_ID })).rejects.toMatchObject(notFound);
    await expect(memory.holds.release({ tenantKey, holdId: "none" })).rejects.toMatchObject(notFound);
    await expect(memory.holds.release({ tenantKey: other, holdId })).rejects.toMatchObject(notFound);
    await memory.holds.release({ tenantKey, holdId });
    await expect(memory.holds.release({ tenantKey, holdId })).rejects.toMatchObject(notFound);
    expect(await memory.holds.list({ tenantKey: other })).toEqual([]);
  });

  describe("on somebody who shares rows with the person to be forgotten", () => {
    test("keeps the shared rows hidden, lets the rest go, and escalates until it is released", async () => {
      const { memory, tenantKey } = await given.tenant();
      const [alone, inDigest, inPriya] = [aCanary(), aCanary(), aCanary()];
      const ramesh = await memory.remember(aMemory({ tenantKey, text: alone }));
      const priya = await memory.remember(aMemory({ tenantKey, subjectKey: PRIYA, text: inPriya }));
      const digest = await memory.derive({ ...aSummaryOf(ramesh, priya), text: inDigest });
      const joint = await memory.remember(aMemory({ tenantKey, alsoAbout: [PRIYA], text: "a joint account" }));
      const { holdId } = await memory.holds.place({ tenantKey, subjectKey: PRIYA, code: "investigation" });

      const receipt = await forgetIncompletely(memory, { tenantKey, subjectKey: SUBJECT });

      expect(receipt).toMatchObject({ state: "escalated", owner: "person", escalation: { code: "hold_conflict" } });
      expect(receipt).not.toHaveProperty("destroyedAt");
      await given.expectNowhere(alone);
      expect(await memory.getDerived(tenantKey, digest.derived.derivedId)).toBeNull();
      expect(await memory.getMemory(tenantKey, joint.memory.memoryId)).toBeNull();
      expect(await memory.getMemory(tenantKey, priya.memory.memoryId)).toEqual(priya.memory);

      await memory.holds.release({ tenantKey, holdId });
      const resumed = await memory.erasures.resume(refOf(receipt));

      expect(resumed).toMatchObject({
        state: "complete",
        closure: "confirmed",
        counts: { memories: 2, derived: 1 },
        escalation: { code: "hold_conflict" },
      });
      await given.expectNowhere(inDigest, "a joint account");
      expect(await memory.getMemory(tenantKey, priya.memory.memoryId)).toEqual(priya.memory);
    });

    test("escalates once, however often it is resumed", async () => {
      const { memory, tenantKey } = await given.tenant();
      await memory.remember(aMemory({ tenantKey, alsoAbout: [PRIYA] }));
      await memory.holds.place({ tenantKey, subjectKey: PRIYA, code: "investigation" });
      const receipt = await forgetIncompletely(memory, { tenantKey, subjectKey: SUBJECT });

      expect(await memory.erasures.resume(refOf(receipt))).toEqual(receipt);
      expect(await memory.erasures.resume(refOf(receipt))).toEqual(receipt);
    });
  });

  test("placed on the person after the erasure was opened stops the destruction the same way", async () => {
    const { memory, tenantKey } = await given.tenant();
    const canary = aCanary();
    await memory.remember(aMemory({ tenantKey, text: canary }));
    const opened = await memory.erasures.open({ tenantKey, subjectKey: SUBJECT });
    const { holdId } = await memory.holds.place({ tenantKey, subjectKey: SUBJECT, code: "litigation" });

    const stopped = await memory.erasures.resume(refOf(opened));
    await memory.holds.release({ tenantKey, holdId });
    const finished = await memory.erasures.resume(refOf(opened));

    expect(stopped).toMatchObject({ state: "escalated", escalation: { code: "hold_conflict" } });
    expect(finished).toMatchObject({ state: "complete", counts: { memories: 1 } });
    await given.expectNowhere(canary);
  });
});
