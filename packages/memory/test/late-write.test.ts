import { describe, expect, test, vi } from "vitest";
import { SourceForgottenError } from "../src/index.js";
import { aMemory } from "./support/builders.js";
import { aCanary } from "./support/canary.js";
import { aCopyOf, forgetIncompletely, refOf } from "./support/copies.js";
import { describeEachStore } from "./support/stores.js";

const SUBJECT = "customer:ramesh";
const PROOF = { proof: "unfindable", by: "worker" } as const;

describeEachStore("a slow writer", (given) => {
  test("is waited for: a confirmation before it reports is refused and the ref kept", async () => {
    const { memory, tenantKey } = await given.tenant();
    const source = await memory.remember(aMemory({ tenantKey }));
    const { placement } = await memory.recordPlacement({ ...aCopyOf(source), writeWithin: 3600 });
    const { placementId } = placement;
    const ref = refOf(await forgetIncompletely(memory, { tenantKey, subjectKey: SUBJECT }));

    await expect(memory.erasures.confirm({ ...ref, placementId, ...PROOF })).rejects.toMatchObject({
      code: "ERR_CONFIRMATION_REJECTED",
    });

    expect(await memory.erasures.outstanding(ref)).toMatchObject([{ placementId, ref: "point 1", attempts: 1 }]);
    expect(await memory.erasures.status(ref)).toMatchObject({ state: "in_progress" });
  });

  test("that gives up ends the wait, and the read-back then decides", async () => {
    const { memory, tenantKey } = await given.tenant();
    const source = await memory.remember(aMemory({ tenantKey }));
    const { placement } = await memory.recordPlacement({ ...aCopyOf(source), writeWithin: 3600 });
    const { placementId } = placement;
    const ref = refOf(await forgetIncompletely(memory, { tenantKey, subjectKey: SUBJECT }));

    await memory.placements.abandoned({ tenantKey, placementId });

    expect(await memory.erasures.status(ref)).toMatchObject({ state: "in_progress" });
    expect(await memory.erasures.confirm({ ...ref, placementId, ...PROOF })).toMatchObject({ state: "complete" });
  });

  test("is not waited for past its deadline", async () => {
    const { memory, tenantKey } = await given.tenant();
    const source = await memory.remember(aMemory({ tenantKey }));
    const { placement } = await memory.recordPlacement({ ...aCopyOf(source), writeWithin: 0 });
    const { placementId } = placement;
    const ref = refOf(await forgetIncompletely(memory, { tenantKey, subjectKey: SUBJECT }));

    const receipt = await memory.erasures.confirm({ ...ref, placementId, ...PROOF });

    expect(receipt).toMatchObject({ state: "complete", closure: "confirmed" });
  });

  test("that reports in time leaves an ordinary copy, under the ref it names then", async () => {
    const { memory, tenantKey } = await given.tenant();
    const source = await memory.remember(aMemory({ tenantKey }));
    const { placement } = await memory.recordPlacement({ ...aCopyOf(source), writeWithin: 3600 });

    const { placement: written } = await memory.placements.written({
      tenantKey,
      placementId: placement.placementId,
      ref: "point 7",
    });

    expect(written).toEqual({ ...placement, state: "written", ref: "point 7" });
    await expect(memory.placements.abandoned({ tenantKey, placementId: placement.placementId })).rejects.toMatchObject({
      code: "ERR_INVALID_INPUT",
      argument: "placementId",
    });
  });
});

describeEachStore("a copy written after its source was forgotten", (given) => {
  test("is answered with SourceForgottenError, and the open erasure waits for it", async () => {
    const { memory, tenantKey } = await given.tenant();
    const source = await memory.remember(aMemory({ tenantKey }));
    const { placement } = await memory.recordPlacement({ ...aCopyOf(source), writeWithin: 3600 });
    const { placementId } = placement;
    const ref = refOf(await forgetIncompletely(memory, { tenantKey, subjectKey: SUBJECT }));

    await expect(memory.placements.written({ tenantKey, placementId })).rejects.toThrow(SourceForgottenError);

    expect(await memory.erasures.outstanding(ref)).toMatchObject([{ placementId, ref: "point 1" }]);
    const receipt = await memory.erasures.confirm({ ...ref, placementId, ...PROOF });
    expect(receipt).toMatchObject({ state: "complete", closure: "confirmed" });
  });

  test("makes every open erasure of its sources wait, whoever asked for it", async () => {
    const { memory, tenantKey } = await given.tenant();
    const shared = await memory.remember(aMemory({ tenantKey, alsoAbout: ["customer:priya"] }));
    const { placement } = await memory.recordPlacement({ ...aCopyOf(shared), writeWithin: 0 });
    const { placementId } = placement;
    const first = await memory.erasures.open({ tenantKey, subjectKey: SUBJECT });
    const second = await memory.erasures.open({ tenantKey, subjectKey: "customer:priya" });
    for (const ref of [refOf(first), refOf(second)]) {
      await memory.erasures.attest({ ...ref, placementId, by: "dpo", reference: "OPS-1" });
    }

    const reporting = memory.placements.written({ tenantKey, placementId, ref: "point 2" });

    await expect(reporting).rejects.toThrow(SourceForgottenError);
    for (const ref of [refOf(first), refOf(second)]) {
      expect(await memory.erasures.resume(ref)).toMatchObject({ state: "in_progress", outstanding: [{ placementId }] });
    }
  });

  test("opens an erasure of its own where the first is complete, and both are accounted for", async () => {
    const { memory, tenantKey } = await given.tenant();
    const canary = aCanary();
    const source = await memory.remember(aMemory({ tenantKey }));
    const { placement } = await memory.recordPlacement({ ...aCopyOf(source), writeWithin: 0 });
    const { placementId } = placement;
    const first = refOf(await forgetIncompletely(memory, { tenantKey, subjectKey: SUBJECT }));
    await memory.erasures.confirm({ ...first, placementId, ...PROOF });

    const writing = memory.placements.written({ tenantKey, placementId, ref: `late ${canary}` });
    await expect(writing).rejects.toMatchObject({
      code: "ERR_SOURCE_FORGOTTEN",
      sourceIds: [placementId],
      retryable: false,
    });
    await expect(writing).rejects.not.toThrow(canary);

    const { receipts } = await memory.erasures.list({ tenantKey, state: "in_progress" });
    expect(receipts).toMatchObject([
      {
        origin: "late_write",
        subjectHash: memory.subjectFingerprint(tenantKey, SUBJECT),
        counts: { memories: 0, placements: { total: 1, outstanding: 1 } },
        outstanding: [{ placementId, sink: "vector-index" }],
      },
    ]);
    expect(await memory.erasures.status(first)).toMatchObject({ state: "complete" });
    const second = refOf(receipts[0]!);
    expect(await memory.erasures.outstanding(second)).toMatchObject([{ ref: `late ${canary}` }]);
    expect(await memory.erasures.confirm({ ...second, placementId, ...PROOF })).toMatchObject({
      state: "complete",
      closure: "confirmed",
    });
    await given.expectNowhere(canary);
  });

  test("needs to say where it is, once the ref was removed", async () => {
    const { memory, tenantKey } = await given.tenant();
    const source = await memory.remember(aMemory({ tenantKey }));
    const { placement } = await memory.recordPlacement({ ...aCopyOf(source), writeWithin: 0 });
    const { placementId } = placement;
    const ref = refOf(await forgetIncompletely(memory, { tenantKey, subjectKey: SUBJECT }));
    await memory.erasures.confirm({ ...ref, placementId, ...PROOF });

    await expect(memory.placements.written({ tenantKey, placementId })).rejects.toMatchObject({
      code: "ERR_INVALID_INPUT",
      argument: "ref",
    });
  });

  test("makes the person's next erasure wait as well", async () => {
    const { memory, tenantKey } = await given.tenant();
    const source = await memory.remember(aMemory({ tenantKey }));
    const { placement } = await memory.recordPlacement({ ...aCopyOf(source), writeWithin: 0 });
    const { placementId } = placement;
    const ref = refOf(await forgetIncompletely(memory, { tenantKey, subjectKey: SUBJECT }));
    await memory.erasures.confirm({ ...ref, placementId, ...PROOF });
    await memory.placements.written({ tenantKey, placementId, ref: "late" }).catch(() => undefined);

    const next = await forgetIncompletely(memory, { tenantKey, subjectKey: SUBJECT });

    expect(next.outstanding).toEqual([{ placementId, sink: "vector-index" }]);
  });
});

describeEachStore("late data", (given) => {
  describe("captured before a person was forgotten is refused", () => {
    test("also where another person of the row was", async () => {
      const { memory, tenantKey } = await given.tenant();
      await memory.forget({ tenantKey, subjectKey: "customer:priya" });

      const writing = memory.remember(
        aMemory({ tenantKey, alsoAbout: ["customer:priya"], capturedAt: "2001-01-01T00:00:00Z" }),
      );

      await expect(writing).rejects.toMatchObject({ code: "ERR_SUBJECT_FORGOTTEN", retryable: false });
    });

    test("and one batch stores the others", async () => {
      const { memory, tenantKey } = await given.tenant();
      await memory.forget({ tenantKey, subjectKey: SUBJECT });

      const [late, fresh, other] = await memory.rememberMany([
        aMemory({ tenantKey, capturedAt: "2001-01-01T00:00:00Z" }),
        aMemory({ tenantKey }),
        aMemory({ tenantKey, subjectKey: "customer:priya", capturedAt: "2001-01-01T00:00:00Z" }),
      ]);

      expect(late).toMatchObject({ error: { code: "ERR_SUBJECT_FORGOTTEN" } });
      expect(fresh).toHaveProperty("memory");
      expect(other).toHaveProperty("memory");
    });
  });

  test("captured after it is stored and visible", async () => {
    const { memory, tenantKey } = await given.tenant();
    const { openedAt } = await memory.forget({ tenantKey, subjectKey: SUBJECT });
    await vi.waitFor(() => expect(Date.now()).toBeGreaterThan(Date.parse(openedAt) + 5));

    const { memory: row } = await memory.remember(aMemory({ tenantKey, capturedAt: new Date() }));

    expect(await memory.getMemory(tenantKey, row.memoryId)).toEqual(row);
  });

  test("is not refused by a restriction, and is hidden by it", async () => {
    const { memory, tenantKey } = await given.tenant();
    const { restrictionId } = await memory.restrictions.restrict({
      tenantKey,
      subjectKey: SUBJECT,
      basis: "gdpr_18_1_b",
    });

    const { memory: row } = await memory.remember(aMemory({ tenantKey, capturedAt: "2001-01-01T00:00:00Z" }));

    expect(await memory.getMemory(tenantKey, row.memoryId)).toBeNull();
    await memory.restrictions.lift({ tenantKey, restrictionId });
    expect(await memory.getMemory(tenantKey, row.memoryId)).toEqual(row);
  });
});
