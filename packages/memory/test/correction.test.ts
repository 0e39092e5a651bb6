import { describe, expect, test } from "vitest";
import { LegalHoldError, RestrictedError, SubjectForgottenError } from "../src/index.js";
import { aMemory, aSummaryOf, LONG_AGO, NEVER_SOON, UNKNOWN_ID } from "./support/builders.js";
import { aCanary } from "./support/canary.js";
import { aCopyOf, refOf } from "./support/copies.js";
import { aRecordingEmbedder } from "./support/recording-embedder.js";
import { describeEachStore } from "./support/stores.js";

const SUBJECT = "customer:ramesh";

describeEachStore("correct", (given) => {
  test("stores the new text as a new memory, and erases the old one with all derived from it", async () => {
    const { memory, tenantKey } = await given.tenant();
    const canary = aCanary();
    const wrong = await memory.remember(aMemory({ tenantKey, text: `lives in ${canary}` }));
    const summary = await memory.derive({ ...aSummaryOf(wrong), text: canary });

    const { memory: right, receipt } = await memory.correct({
      tenantKey,
      memoryId: wrong.memory.memoryId,
      text: "lives in Pune",
    });

    expect(right).toMatchObject({ text: "lives in Pune", subjectKey: SUBJECT, provenanceKnown: true });
    expect(right.memoryId).not.toBe(wrong.memory.memoryId);
    expect(await memory.getMemory(tenantKey, right.memoryId)).toEqual(right);
    expect(await memory.getMemory(tenantKey, wrong.memory.memoryId)).toBeNull();
    expect(await memory.getDerived(tenantKey, summary.derived.derivedId)).toBeNull();
    expect(receipt).toMatchObject({
      origin: "correction",
      scope: "memories",
      state: "complete",
      closure: "confirmed",
      subjectHash: memory.subjectFingerprint(tenantKey, SUBJECT),
      counts: { memories: 1, derived: 1 },
    });
    expect(await memory.erasures.status(refOf(receipt))).toEqual(receipt);
    await given.expectNowhere(canary);
  });

  test("carries over who it is about, its kind, metadata and dates", async () => {
    const { memory, tenantKey } = await given.tenant();
    const { memory: wrong } = await memory.remember(
      aMemory({
        tenantKey,
        alsoAbout: ["customer:priya", "customer:asha"],
        kind: "note",
        metadata: { plan: "gold" },
        capturedAt: LONG_AGO,
        expiresAt: NEVER_SOON,
      }),
    );

    const { memory: right } = await memory.correct({ tenantKey, memoryId: wrong.memoryId, text: "something else" });

    expect(right).toEqual({ ...wrong, memoryId: right.memoryId, text: "something else", createdAt: right.createdAt });
    expect(await memory.forget({ tenantKey, subjectKey: "customer:asha" })).toMatchObject({ counts: { memories: 1 } });
  });

  test("keeps a row under hashes alone where the keys are not kept", async () => {
    const { memory, tenantKey } = await given.tenant({ storeSubjectKeys: false });
    const { memory: wrong } = await memory.remember(aMemory({ tenantKey }));

    const { memory: right } = await memory.correct({ tenantKey, memoryId: wrong.memoryId, text: "something else" });

    expect(right.subjectKey).toBeNull();
    expect(await memory.forget({ tenantKey, subjectKey: SUBJECT })).toMatchObject({ counts: { memories: 1 } });
  });

  test("redacts the new text before it is embedded or stored, and reports what it masked", async () => {
    const embedder = aRecordingEmbedder();
    const { memory, tenantKey } = await given.tenant({ embedder });
    const { memory: wrong } = await memory.remember(aMemory({ tenantKey }));

    const result = await memory.correct({ tenantKey, memoryId: wrong.memoryId, text: "call 9876543210" });

    expect(result.memory.text).toBe("call [PHONE:****3210]");
    expect(result.redactions).toMatchObject([{ kind: "phone_in", start: 5, end: 15 }]);
    expect(result.embedded).toBe(true);
    expect(embedder.seen.at(-1)).toBe("call [PHONE:****3210]");
    await given.expectNowhere("9876543210");
  });

  test("makes the new text findable by its terms, and the old one not", async () => {
    const { memory, tenantKey } = await given.tenant();
    const { memory: wrong } = await memory.remember(aMemory({ tenantKey, text: "drinks coffee" }));
    const { memory: right } = await memory.correct({ tenantKey, memoryId: wrong.memoryId, text: "drinks saffron tea" });

    expect((await memory.recall({ tenantKey, text: "coffee" })).hits).toEqual([]);
    expect((await memory.recall({ tenantKey, text: "saffron" })).hits).toMatchObject([{ row: right }]);
  });

  test("does not throw where a copy is outstanding: the receipt says so", async () => {
    const { memory, tenantKey } = await given.tenant();
    const wrong = await memory.remember(aMemory({ tenantKey }));
    const { placement } = await memory.recordPlacement(aCopyOf(wrong));

    const { memory: right, receipt } = await memory.correct({
      tenantKey,
      memoryId: wrong.memory.memoryId,
      text: "something else",
    });

    expect(receipt).toMatchObject({ state: "in_progress", outstanding: [{ placementId: placement.placementId }] });
    expect(await memory.getMemory(tenantKey, right.memoryId)).toEqual(right);
  });

  test("closes only the old id: older data of the person may still come", async () => {
    const { memory, tenantKey } = await given.tenant();
    const { memory: wrong } = await memory.remember(aMemory({ tenantKey }));
    await memory.correct({ tenantKey, memoryId: wrong.memoryId, text: "something else" });

    const { memory: row } = await memory.remember(aMemory({ tenantKey, capturedAt: "2001-01-01T00:00:00Z" }));

    expect(await memory.getMemory(tenantKey, row.memoryId)).toEqual(row);
  });

  test("records the ground it is given", async () => {
    const { memory, tenantKey } = await given.tenant();
    const { memory: wrong } = await memory.remember(aMemory({ tenantKey }));

    const { receipt } = await memory.correct({
      tenantKey,
      memoryId: wrong.memoryId,
      text: "something else",
      reason: "operator",
      legalBasis: "dpdp_12",
      requestedBy: { role: "data_principal" },
    });

    expect(receipt).toMatchObject({
      reason: "operator",
      legalBasis: "dpdp_12",
      requestedBy: { role: "data_principal", idHash: null },
    });
  });

  describe("is refused, and nothing changes,", () => {
    test("for a memory that does not exist, is another tenant's, or has expired", async () => {
      const { memory, tenantKey } = await given.tenant();
      const { tenantKey: other } = await given.tenant();
      const { memory: row } = await memory.remember(aMemory({ tenantKey }));
      const { memory: expired } = await memory.remember(aMemory({ tenantKey, expiresAt: LONG_AGO }));
      const notFound = { code: "ERR_NOT_FOUND", what: "memory" };
      const text = "something else";

      await expect(memory.correct({ tenantKey, memoryId: UNKNOWN_ID, text })).rejects.toMatchObject(notFound);
      await expect(memory.correct({ tenantKey, memoryId: "none", text })).rejects.toMatchObject(notFound);
      await expect(memory.correct({ tenantKey: other, memoryId: row.memoryId, text })).rejects.toMatchObject(notFound);
      await expect(memory.correct({ tenantKey, memoryId: expired.memoryId, text })).rejects.toMatchObject(notFound);
      expect((await memory.listMemories({ tenantKey })).rows).toEqual([row]);
      expect(await memory.erasureHistory(tenantKey)).toEqual([]);
    });

    test.each(["open", "complete"])("for one whose erasure is %s", async (state) => {
      const { memory, tenantKey } = await given.tenant();
      const { memory: row } = await memory.remember(aMemory({ tenantKey }));
      const opened = await memory.erasures.open({ tenantKey, subjectKey: SUBJECT });
      if (state === "complete") await memory.erasures.resume(refOf(opened));

      const correcting = memory.correct({ tenantKey, memoryId: row.memoryId, text: "something else" });

      await expect(correcting).rejects.toThrow(SubjectForgottenError);
      expect((await memory.listMemories({ tenantKey })).rows).toEqual([]);
    });

    test("for one that is restricted", async () => {
      const { memory, tenantKey } = await given.tenant();
      const { memory: row } = await memory.remember(aMemory({ tenantKey }));
      const { restrictionId } = await memory.restrictions.restrict({
        tenantKey,
        memoryIds: [row.memoryId],
        basis: "gdpr_18_1_a",
      });

      const correcting = memory.correct({ tenantKey, memoryId: row.memoryId, text: "something else" });

      await expect(correcting).rejects.toThrow(RestrictedError);
      await memory.restrictions.lift({ tenantKey, restrictionId });
      expect((await memory.listMemories({ tenantKey })).rows).toEqual([row]);
    });

    test("for one that is held", async () => {
      const { memory, tenantKey } = await given.tenant();
      const { memory: row } = await memory.remember(aMemory({ tenantKey }));
      await memory.holds.place({ tenantKey, subjectKey: SUBJECT, code: "litigation" });

      const correcting = memory.correct({ tenantKey, memoryId: row.memoryId, text: "something else" });

      await expect(correcting).rejects.toThrow(LegalHoldError);
      expect((await memory.listMemories({ tenantKey })).rows).toEqual([row]);
    });

    test("for one corrected already", async () => {
      const { memory, tenantKey } = await given.tenant();
      const { memory: row } = await memory.remember(aMemory({ tenantKey }));
      const { memory: right } = await memory.correct({ tenantKey, memoryId: row.memoryId, text: "something else" });

      const again = memory.correct({ tenantKey, memoryId: row.memoryId, text: "yet another" });

      await expect(again).rejects.toThrow(SubjectForgottenError);
      expect((await memory.listMemories({ tenantKey })).rows).toEqual([right]);
    });
  });

  test("sends the text of a memory that cannot be corrected to no embedder", async () => {
    const embedder = aRecordingEmbedder();
    const { memory, tenantKey } = await given.tenant({ embedder });

    await memory.correct({ tenantKey, memoryId: UNKNOWN_ID, text: "something else" }).catch(() => undefined);

    expect(embedder.seen).toEqual([]);
  });
});
