import { describe, expect, test } from "vitest";
import { ContentForgottenError } from "../src/index.js";
import { aMemory, aSummaryOf } from "./support/builders.js";
import { aCanary } from "./support/canary.js";
import { refOf } from "./support/copies.js";
import { describeEachStore } from "./support/stores.js";

const SUBJECT = "customer:ramesh";
const KEYED = { subjectHashPepper: "a secret of at least thirty-two bytes" };
const REFUSING = { ...KEYED, onRematerialise: "refuse" } as const;
const LONG = "a sentence of more than forty characters, as a model would write it";

describeEachStore("a text that was erased before", (given) => {
  test("is stored, visible, and reported", async () => {
    const { memory, tenantKey } = await given.tenant(KEYED);
    await memory.remember(aMemory({ tenantKey, text: "short" }));
    await memory.forget({ tenantKey, subjectKey: SUBJECT });

    const again = await memory.remember(aMemory({ tenantKey, text: "short" }));

    expect(again.rematerialised).toBe(true);
    expect(await memory.getMemory(tenantKey, again.memory.memoryId)).toEqual(again.memory);
  });

  test("is known as it is stored: redacted", async () => {
    const { memory, tenantKey } = await given.tenant(KEYED);
    await memory.remember(aMemory({ tenantKey, text: "call 9876543210" }));
    await memory.forget({ tenantKey, subjectKey: SUBJECT });

    expect(await memory.remember(aMemory({ tenantKey, text: "call 9876543210" }))).toMatchObject({
      rematerialised: true,
    });
  });

  test("is not known from somebody else where it is short, and is where it is long", async () => {
    const { memory, tenantKey } = await given.tenant(KEYED);
    await memory.remember(aMemory({ tenantKey, text: "yes" }));
    await memory.remember(aMemory({ tenantKey, text: LONG }));
    await memory.forget({ tenantKey, subjectKey: SUBJECT });

    const short = await memory.remember(aMemory({ tenantKey, subjectKey: "customer:priya", text: "yes" }));
    const long = await memory.remember(aMemory({ tenantKey, subjectKey: "customer:priya", text: LONG }));

    expect(short).not.toHaveProperty("rematerialised");
    expect(long.rematerialised).toBe(true);
  });

  test("is known in another shape: a derived row that says it, or a memory of what a derived row said", async () => {
    const { memory, tenantKey } = await given.tenant(KEYED);
    const source = await memory.remember(aMemory({ tenantKey, text: LONG }));
    await memory.derive({ ...aSummaryOf(source), text: `${LONG}, in short` });
    await memory.forget({ tenantKey, subjectKey: SUBJECT });
    const other = await memory.remember(aMemory({ tenantKey, subjectKey: "customer:priya" }));

    const derived = await memory.derive({ ...aSummaryOf(other), text: LONG });
    const remembered = await memory.remember(
      aMemory({ tenantKey, subjectKey: "customer:priya", text: `${LONG}, in short` }),
    );

    expect(derived.rematerialised).toBe(true);
    expect(remembered.rematerialised).toBe(true);
  });

  test("is known of any of the persons it is filed under", async () => {
    const { memory, tenantKey } = await given.tenant(KEYED);
    await memory.remember(aMemory({ tenantKey, alsoAbout: ["customer:priya"], text: "yes" }));
    await memory.forget({ tenantKey, subjectKey: SUBJECT });

    const ofPriya = await memory.remember(aMemory({ tenantKey, subjectKey: "customer:priya", text: "yes" }));

    expect(ofPriya.rematerialised).toBe(true);
  });

  test("is not looked for without a pepper, nor in another tenant", async () => {
    const { memory: without, tenantKey } = await given.tenant();
    const { memory, tenantKey: other } = await given.tenant(KEYED);
    await without.remember(aMemory({ tenantKey, text: LONG }));
    await without.forget({ tenantKey, subjectKey: SUBJECT });
    await memory.remember(aMemory({ tenantKey: other, text: LONG }));
    await memory.forget({ tenantKey: other, subjectKey: SUBJECT });
    const { tenantKey: third } = await given.tenant();

    expect(await without.remember(aMemory({ tenantKey, text: LONG }))).not.toHaveProperty("rematerialised");
    expect(await memory.remember(aMemory({ tenantKey: third, text: LONG }))).not.toHaveProperty("rematerialised");
  });

  describe("with onRematerialise: refuse", () => {
    test("is refused, and nothing of it is stored", async () => {
      const { memory, tenantKey } = await given.tenant(REFUSING);
      const canary = aCanary();
      await memory.remember(aMemory({ tenantKey, text: canary }));
      await memory.forget({ tenantKey, subjectKey: SUBJECT });

      const again = memory.remember(aMemory({ tenantKey, text: canary, idempotencyKey: "first" }));

      await expect(again).rejects.toThrow(ContentForgottenError);
      await expect(again).rejects.toMatchObject({ retryable: false });
      await given.expectNowhere(canary);
      const other = await memory.remember(aMemory({ tenantKey, text: "something else", idempotencyKey: "first" }));
      expect(other.memory.text).toBe("something else");
    });

    test("is not refused where somebody else said it: that is only reported", async () => {
      const { memory, tenantKey } = await given.tenant(REFUSING);
      await memory.remember(aMemory({ tenantKey, text: LONG }));
      await memory.forget({ tenantKey, subjectKey: SUBJECT });

      const elsewhere = await memory.remember(aMemory({ tenantKey, subjectKey: "customer:priya", text: LONG }));

      expect(elsewhere).toMatchObject({ memory: { text: LONG }, rematerialised: true });
    });

    test("is refused alone: the others of a batch are stored", async () => {
      const { memory, tenantKey } = await given.tenant(REFUSING);
      await memory.remember(aMemory({ tenantKey, text: "said before" }));
      await memory.forget({ tenantKey, subjectKey: SUBJECT });

      const [again, other] = await memory.rememberMany([
        aMemory({ tenantKey, text: "said before" }),
        aMemory({ tenantKey, text: "never said" }),
      ]);

      expect(again).toMatchObject({ error: { code: "ERR_CONTENT_FORGOTTEN" } });
      expect(other).toMatchObject({ memory: { text: "never said" } });
    });
  });
});

describeEachStore("isForgotten", (given) => {
  test("names the ids and texts that a tombstone covers, and only those", async () => {
    const { memory, tenantKey } = await given.tenant(KEYED);
    const gone = await memory.remember(aMemory({ tenantKey, text: "call 9876543210" }));
    const summary = await memory.derive({ ...aSummaryOf(gone), text: LONG });
    await memory.forget({ tenantKey, subjectKey: SUBJECT });
    const kept = await memory.remember(aMemory({ tenantKey, subjectKey: "customer:priya", text: "likes tea" }));
    const alive = await memory.derive(aSummaryOf(kept));

    const result = await memory.isForgotten({
      tenantKey,
      memoryIds: [kept.memory.memoryId, gone.memory.memoryId.toUpperCase()],
      derivedIds: [summary.derived.derivedId, alive.derived.derivedId],
      contents: [
        { subjectKey: "customer:priya", text: "likes tea" },
        { subjectKey: SUBJECT, text: "call 9876543210" },
        { subjectKey: SUBJECT, text: "likes tea" },
        { text: LONG },
        { text: `${LONG}, but never said` },
      ],
    });

    expect(result).toEqual({
      memoryIds: [gone.memory.memoryId],
      derivedIds: [summary.derived.derivedId],
      contents: [1, 3],
    });
  });

  test("covers what is open as well as what is complete, and no other tenant's", async () => {
    const { memory, tenantKey } = await given.tenant();
    const { tenantKey: other } = await given.tenant();
    const { memory: row } = await memory.remember(aMemory({ tenantKey }));
    const opened = await memory.erasures.open({ tenantKey, subjectKey: SUBJECT });
    const memoryIds = [row.memoryId];

    expect(await memory.isForgotten({ tenantKey, memoryIds })).toEqual({ memoryIds, derivedIds: [], contents: [] });
    await memory.erasures.resume(refOf(opened));
    expect(await memory.isForgotten({ tenantKey, memoryIds })).toEqual({ memoryIds, derivedIds: [], contents: [] });
    expect(await memory.isForgotten({ tenantKey: other, memoryIds })).toMatchObject({ memoryIds: [] });
  });

  test("refuses to answer for a text that it could not know", async () => {
    const { memory, tenantKey } = await given.tenant(KEYED);
    const { memory: without } = await given.tenant();

    await expect(
      without.isForgotten({ tenantKey, contents: [{ subjectKey: SUBJECT, text: "yes" }] }),
    ).rejects.toMatchObject({ code: "ERR_INVALID_INPUT", argument: "contents" });
    await expect(memory.isForgotten({ tenantKey, contents: [{ text: "yes" }] })).rejects.toMatchObject({
      code: "ERR_INVALID_INPUT",
      argument: "contents[0].subjectKey",
    });
  });

  test("never answers for texts under a key that it lacks", async () => {
    const { memory, tenantKey } = await given.tenant(KEYED);
    const { memory: lacking } = await given.tenant({
      subjectHashPepper: [{ id: "other", secret: "another secret of thirty-two bytes or more" }],
    });
    const { memory: row } = await memory.remember(aMemory({ tenantKey }));
    await memory.forget({ tenantKey, subjectKey: SUBJECT });

    await expect(
      lacking.isForgotten({ tenantKey, contents: [{ subjectKey: SUBJECT, text: row.text }] }),
    ).rejects.toMatchObject({ code: "ERR_CLOSURE_NOT_ENUMERABLE", missingKeyId: "default" });
    expect(await lacking.isForgotten({ tenantKey, memoryIds: [row.memoryId] })).toMatchObject({
      memoryIds: [row.memoryId],
    });
  });
});
