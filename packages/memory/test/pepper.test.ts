import { expect, test } from "vitest";
import { ClosureNotEnumerableError, subjectHash } from "../src/index.js";
import { aMemory, aSummaryOf } from "./support/builders.js";
import { aCanary } from "./support/canary.js";
import { describeEachStore } from "./support/stores.js";

const OLD = { id: "k2023", secret: "an old secret of at least 32 bytes" };
const NEW = { id: "k2024", secret: "a newer secret of at least 32 bytes" };
const SUBJECT = "customer:ramesh";

describeEachStore("a pepper", (given) => {
  test("keys the person's hash, and every receipt and tombstone says so", async () => {
    const { memory, tenantKey } = await given.tenant({ subjectHashPepper: OLD.secret });
    await memory.remember(aMemory({ tenantKey, subjectKey: SUBJECT }));

    const receipt = await memory.forget({ tenantKey, subjectKey: SUBJECT });

    expect(receipt).toMatchObject({
      subjectHashKeyed: true,
      subjectHash: subjectHash({ tenantKey, subjectKey: SUBJECT, pepper: OLD.secret }),
    });
    expect(await memory.erasureHistory(tenantKey)).toMatchObject([{ subjectHashKeyed: true }]);
    expect(receipt.subjectHash).not.toBe(subjectHash({ tenantKey, subjectKey: SUBJECT }));
  });

  test("is needed to keep who asked, and keeps it as a hash", async () => {
    const { memory, tenantKey } = await given.tenant({ subjectHashPepper: OLD.secret });
    const requester = aCanary();

    const receipt = await memory.forget({
      tenantKey,
      subjectKey: SUBJECT,
      requestedBy: { role: "controller", id: requester },
    });

    expect(receipt.requestedBy).toEqual({
      role: "controller",
      idHash: expect.stringMatching(/^[0-9a-f]{64}$/u) as string,
    });
    await given.expectNowhere(requester);
  });

  test("never enters the store", async () => {
    const { memory, tenantKey } = await given.tenant({ subjectHashPepper: [NEW, OLD] });
    await memory.derive(aSummaryOf(await memory.remember(aMemory({ tenantKey, subjectKey: SUBJECT }))));

    await memory.forget({ tenantKey, subjectKey: SUBJECT });

    await given.expectNowhere(OLD.secret, NEW.secret);
  });

  test("cannot be read from the Memory that was made with it", async () => {
    const { memory } = await given.tenant({ subjectHashPepper: OLD.secret });

    expect(
      `${JSON.stringify(memory)} ${Object.values(memory)
        .map((value) => JSON.stringify(value))
        .join()}`,
    ).not.toContain(OLD.secret);
  });

  test("can be replaced: what was written under the former key is found, recalled and erased", async () => {
    const { memory: before, tenantKey } = await given.tenant({ subjectHashPepper: [OLD] });
    const { memory: after } = await given.tenant({ subjectHashPepper: [NEW, OLD] });
    const canary = aCanary();
    const old = await before.remember(aMemory({ tenantKey, subjectKey: SUBJECT, text: canary }));
    const recent = await after.remember(aMemory({ tenantKey, subjectKey: SUBJECT, text: canary }));

    const { rows } = await after.listMemories({ tenantKey, subjectKey: SUBJECT });
    const { hits } = await after.recall({ tenantKey, text: canary, subjectKey: SUBJECT });
    const receipt = await after.forget({ tenantKey, subjectKey: SUBJECT });

    expect(rows).toEqual([recent.memory, old.memory]);
    expect(hits.map(({ row }) => row)).toEqual([recent.memory, old.memory]);
    expect(receipt).toMatchObject({ counts: { memories: 2 }, otherSubjects: 0 });
    expect(receipt.subjectHash).toBe(after.subjectFingerprint(tenantKey, SUBJECT));
    await given.expectNowhere(canary);
  });

  test("can be replaced without losing the record: erasures under the former key are found", async () => {
    const { memory: before, tenantKey } = await given.tenant({ subjectHashPepper: [OLD] });
    const { memory: after } = await given.tenant({ subjectHashPepper: [NEW, OLD] });
    const first = await before.forget({ tenantKey, subjectKey: SUBJECT });
    const second = await after.forget({ tenantKey, subjectKey: SUBJECT });

    const history = await after.erasureHistory(tenantKey, { subjectKey: SUBJECT });

    expect(history.map(({ tombstoneId }) => tombstoneId)).toEqual([second.tombstoneId, first.tombstoneId]);
  });

  test("can be replaced without opening the gate: late data of a person forgotten under the former key is refused", async () => {
    const { memory: before, tenantKey } = await given.tenant({ subjectHashPepper: [OLD] });
    const { memory: after } = await given.tenant({ subjectHashPepper: [NEW, OLD] });
    await before.forget({ tenantKey, subjectKey: SUBJECT });

    const writing = after.remember(aMemory({ tenantKey, subjectKey: SUBJECT, capturedAt: "2001-01-01T00:00:00Z" }));

    await expect(writing).rejects.toMatchObject({ code: "ERR_SUBJECT_FORGOTTEN" });
  });

  test("counts one person as one, under however many keys", async () => {
    const { memory: before, tenantKey } = await given.tenant({ subjectHashPepper: [OLD] });
    const { memory: after } = await given.tenant({ subjectHashPepper: [NEW, OLD] });
    const priyaBefore = await before.remember(aMemory({ tenantKey, subjectKey: "customer:priya" }));
    const priyaAfter = await after.remember(aMemory({ tenantKey, subjectKey: "customer:priya" }));
    const ramesh = await after.remember(aMemory({ tenantKey, subjectKey: SUBJECT }));
    await after.derive(aSummaryOf(ramesh, priyaBefore, priyaAfter));

    const receipt = await after.forget({ tenantKey, subjectKey: SUBJECT });

    expect(receipt).toMatchObject({ counts: { memories: 1, derived: 1 }, otherSubjects: 1 });
  });

  test("that is lost never certifies that there was nothing", async () => {
    const { memory: before, tenantKey } = await given.tenant({ subjectHashPepper: [OLD] });
    const { memory: without } = await given.tenant({ subjectHashPepper: [NEW] });
    const { memory: row } = await before.remember(aMemory({ tenantKey, subjectKey: SUBJECT }));

    await expect(without.forget({ tenantKey, subjectKey: SUBJECT })).rejects.toThrow(ClosureNotEnumerableError);
    await expect(without.erasures.open({ tenantKey, subjectKey: SUBJECT })).rejects.toThrow(ClosureNotEnumerableError);
    await expect(without.previewForget({ tenantKey, subjectKey: SUBJECT })).rejects.toThrow(ClosureNotEnumerableError);
    expect(await before.getMemory(tenantKey, row.memoryId)).toEqual(row);
    expect(await before.erasureHistory(tenantKey)).toEqual([]);
  });

  test("that is lost stops every question about a person, because the answer could be wrong", async () => {
    const { memory: before, tenantKey } = await given.tenant({ subjectHashPepper: [OLD] });
    const { memory: without } = await given.tenant({ subjectHashPepper: [NEW] });
    await before.remember(aMemory({ tenantKey, subjectKey: SUBJECT, text: "tea", embedding: [1, 0] }));
    const about = { tenantKey, subjectKey: SUBJECT };

    const answers = await Promise.allSettled([
      without.listMemories(about),
      without.listDerived(about),
      without.recall({ ...about, text: "tea" }),
      without.recall({ ...about, embedding: [1, 0] }),
      without.erasureHistory(tenantKey, { subjectKey: SUBJECT }),
    ]);

    expect(answers).toEqual(
      answers.map(() => ({ status: "rejected", reason: expect.any(ClosureNotEnumerableError) as unknown })),
    );
  });

  test("that was mistyped is noticed by whoever writes or asks with it", async () => {
    const { memory: before, tenantKey } = await given.tenant({ subjectHashPepper: [OLD] });
    const mistyped = { ...OLD, secret: `${OLD.secret}!` };
    const { memory: wrong } = await given.tenant({ subjectHashPepper: [mistyped] });
    await before.remember(aMemory({ tenantKey, subjectKey: SUBJECT }));

    const answers = await Promise.allSettled([
      wrong.remember(aMemory({ tenantKey, subjectKey: SUBJECT })),
      wrong.forget({ tenantKey, subjectKey: SUBJECT }),
    ]);

    expect(answers).toEqual(
      answers.map(() => ({ status: "rejected", reason: expect.any(ClosureNotEnumerableError) as unknown })),
    );
    expect((await before.listMemories({ tenantKey })).rows).toHaveLength(1);
    expect(await before.erasureHistory(tenantKey)).toEqual([]);
  });

  test("that was added later finds and erases what was written without one", async () => {
    const { memory: before, tenantKey } = await given.tenant();
    const { memory: after } = await given.tenant({ subjectHashPepper: OLD.secret });
    const canary = aCanary();
    const old = await before.remember(aMemory({ tenantKey, subjectKey: SUBJECT, text: canary }));

    const { rows } = await after.listMemories({ tenantKey, subjectKey: SUBJECT });
    const receipt = await after.forget({ tenantKey, subjectKey: SUBJECT });

    expect(rows).toEqual([old.memory]);
    expect(receipt).toMatchObject({ state: "complete", counts: { memories: 1 }, subjectHashKeyed: true });
    await given.expectNowhere(canary);
  });

  test("that is lost leaves writing and looking up by id as they were", async () => {
    const { memory: before, tenantKey } = await given.tenant({ subjectHashPepper: [OLD] });
    const { memory: without } = await given.tenant({ subjectHashPepper: [NEW] });
    const { memory: row } = await before.remember(aMemory({ tenantKey, subjectKey: SUBJECT }));

    const { memory: other } = await without.remember(aMemory({ tenantKey, subjectKey: SUBJECT }));

    expect(await without.getMemory(tenantKey, row.memoryId)).toEqual(row);
    expect(await without.getMemory(tenantKey, other.memoryId)).toEqual(other);
  });
});
