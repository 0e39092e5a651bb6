import { expect, test } from "vitest";
import { aMemory, aSummaryOf } from "./support/builders.js";
import { aCanary } from "./support/canary.js";
import { aCopyOf, forgetIncompletely, refOf } from "./support/copies.js";
import { describeEachStore } from "./support/stores.js";

const SUBJECT = "customer:ramesh";
const VOUCHING = { by: "privacy-officer", reference: "CASE-1042" } as const;

describeEachStore("a row brought in with derivations nobody recorded", (given) => {
  test("is redacted and marked", async () => {
    const { memory, tenantKey } = await given.tenant();

    const [result] = await memory.rememberMany([
      aMemory({ tenantKey, text: "call 9876543210", provenanceKnown: false }),
    ]);

    expect(result).toMatchObject({ memory: { text: "call [PHONE:****3210]", provenanceKnown: false } });
  });

  test("makes its erasure destroy what is known, escalate, and never complete silently", async () => {
    const { memory, tenantKey } = await given.tenant();
    const canary = aCanary();
    const source = await memory.remember(aMemory({ tenantKey, text: canary, provenanceKnown: false }));
    await memory.derive({ ...aSummaryOf(source), text: canary });

    const receipt = await forgetIncompletely(memory, { tenantKey, subjectKey: SUBJECT });

    expect(receipt).toMatchObject({
      state: "escalated",
      owner: "person",
      escalation: { code: "closure_unknown" },
      destroyedAt: expect.any(String) as string,
      counts: { memories: 1, derived: 1 },
    });
    await given.expectNowhere(canary);
    expect(await memory.erasures.resume(refOf(receipt))).toEqual(receipt);
    await expect(
      memory.erasures.assertAuditable({ tenantKey, memoryId: source.memory.memoryId }),
    ).rejects.toMatchObject({ code: "ERR_FORGET_INCOMPLETE" });
  });

  test("completes as attested once a person vouches for the closure", async () => {
    const { memory, tenantKey } = await given.tenant();
    const source = await memory.remember(aMemory({ tenantKey, provenanceKnown: false }));
    const ref = refOf(await forgetIncompletely(memory, { tenantKey, subjectKey: SUBJECT }));

    const receipt = await memory.erasures.attest({ ...ref, closure: true, ...VOUCHING });

    expect(receipt).toMatchObject({
      state: "complete",
      closure: "attested",
      owner: "person",
      escalation: { code: "closure_unknown" },
      completedAt: expect.any(String) as string,
    });
    expect(await memory.erasures.attest({ ...ref, closure: true, ...VOUCHING })).toEqual(receipt);
    expect(await memory.erasures.assertAuditable({ tenantKey, memoryId: source.memory.memoryId })).toEqual(receipt);
  });

  test("needs both: the person's word for the closure, and the confirmation of each copy", async () => {
    const { memory, tenantKey } = await given.tenant();
    const source = await memory.remember(aMemory({ tenantKey, provenanceKnown: false }));
    const { placement } = await memory.recordPlacement(aCopyOf(source));
    const ref = refOf(await forgetIncompletely(memory, { tenantKey, subjectKey: SUBJECT }));

    const vouched = await memory.erasures.attest({ ...ref, closure: true, ...VOUCHING });
    const confirmed = await memory.erasures.confirm({
      ...ref,
      placementId: placement.placementId,
      proof: "unfindable",
      by: "worker",
    });

    expect(vouched).toMatchObject({ state: "escalated", outstanding: [{ placementId: placement.placementId }] });
    expect(confirmed).toMatchObject({ state: "complete", closure: "attested" });
  });

  test("is not completed by the confirmation of its copies alone", async () => {
    const { memory, tenantKey } = await given.tenant();
    const source = await memory.remember(aMemory({ tenantKey, provenanceKnown: false }));
    const { placement } = await memory.recordPlacement(aCopyOf(source));
    const ref = refOf(await forgetIncompletely(memory, { tenantKey, subjectKey: SUBJECT }));

    const confirmed = await memory.erasures.confirm({
      ...ref,
      placementId: placement.placementId,
      proof: "unfindable",
      by: "worker",
    });

    expect(confirmed).toMatchObject({ state: "escalated", outstanding: [], escalation: { code: "closure_unknown" } });
  });

  test("does not touch the erasures of others", async () => {
    const { memory, tenantKey } = await given.tenant();
    await memory.remember(aMemory({ tenantKey, provenanceKnown: false }));
    await memory.remember(aMemory({ tenantKey, subjectKey: "customer:priya" }));

    expect(await memory.forget({ tenantKey, subjectKey: "customer:priya" })).toMatchObject({
      state: "complete",
      closure: "confirmed",
    });
  });
});
