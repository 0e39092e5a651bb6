import { describe, expect, test } from "vitest";
import { ProvenanceRequiredError, SourceForgottenError, UnknownSourceError } from "../src/index.js";
import { aMemory, aSummaryOf, inTurn, LONG_AGO, NEVER_SOON, sourceOf, UNKNOWN_ID } from "./support/builders.js";
import { describeEachStore } from "./support/stores.js";

describeEachStore("derive", (given) => {
  test("gives back the row with its sources, as every read will show it", async () => {
    const { memory, tenantKey } = await given.tenant();
    const source = await memory.remember(aMemory({ tenantKey }));
    const weekly = await memory.derive(aSummaryOf(source));

    const result = await memory.derive({
      tenantKey,
      kind: "digest",
      text: "calls in the evening",
      sources: [sourceOf(source), sourceOf(weekly)],
      metadata: { model: "small" },
    });

    const { derivedId, createdAt, ...rest } = result.derived;
    expect(rest).toEqual({
      tenantKey,
      kind: "digest",
      text: "calls in the evening",
      metadata: { model: "small" },
      embedded: false,
      dimensions: null,
      sources: [sourceOf(source), sourceOf(weekly)],
      expiresAt: null,
    });
    expect(Date.parse(createdAt)).toBeGreaterThanOrEqual(Date.parse(source.memory.createdAt));
    expect(await memory.getDerived(tenantKey, derivedId)).toEqual(result.derived);
    expect(await (await given.second()).getDerived(tenantKey, derivedId)).toEqual(result.derived);
  });

  describe("refuses, and stores nothing,", () => {
    test("a text without a source", async () => {
      const { memory, tenantKey } = await given.tenant();

      const deriving = memory.derive({ tenantKey, kind: "summary", text: "from nowhere", sources: [] });

      await expect(deriving).rejects.toThrow(ProvenanceRequiredError);
      expect((await memory.listDerived({ tenantKey })).rows).toEqual([]);
    });

    test("a source named twice", async () => {
      const { memory, tenantKey } = await given.tenant();
      const source = await memory.remember(aMemory({ tenantKey }));

      const deriving = memory.derive({ ...aSummaryOf(source), sources: [sourceOf(source), sourceOf(source)] });

      await expect(deriving).rejects.toMatchObject({ code: "ERR_INVALID_INPUT" });
      expect((await memory.listDerived({ tenantKey })).rows).toEqual([]);
    });

    test("an unknown source, and says which", async () => {
      const { memory, tenantKey } = await given.tenant();
      const source = await memory.remember(aMemory({ tenantKey }));

      const deriving = memory.derive({
        ...aSummaryOf(source),
        sources: [sourceOf(source), { sourceKind: "memory", sourceId: UNKNOWN_ID }],
      });

      await expect(deriving).rejects.toThrow(UnknownSourceError);
      await expect(deriving).rejects.toMatchObject({ sourceIds: [UNKNOWN_ID], retryable: false });
      expect((await memory.listDerived({ tenantKey })).rows).toEqual([]);
    });

    test("a malformed id like an unknown one", async () => {
      const { memory, tenantKey } = await given.tenant();

      const deriving = memory.derive({
        tenantKey,
        kind: "summary",
        text: "from nowhere",
        sources: [{ sourceKind: "memory", sourceId: "not-an-id" }],
      });

      await expect(deriving).rejects.toThrow(UnknownSourceError);
    });

    test("the id of a memory where a derived row was meant", async () => {
      const { memory, tenantKey } = await given.tenant();
      const source = await memory.remember(aMemory({ tenantKey }));

      const deriving = memory.derive({
        ...aSummaryOf(source),
        sources: [{ sourceKind: "derived", sourceId: source.memory.memoryId }],
      });

      await expect(deriving).rejects.toThrow(UnknownSourceError);
    });

    test("an expired source like an unknown one", async () => {
      const { memory, tenantKey } = await given.tenant();
      const expired = await memory.remember(aMemory({ tenantKey, expiresAt: LONG_AGO }));

      await expect(memory.derive(aSummaryOf(expired))).rejects.toThrow(UnknownSourceError);
    });

    test.each(["open", "complete"])("a source whose erasure is %s, and says which", async (state) => {
      const { memory, tenantKey } = await given.tenant();
      const kept = await memory.remember(aMemory({ tenantKey, subjectKey: "customer:priya" }));
      const gone = await memory.remember(aMemory({ tenantKey, subjectKey: "customer:ramesh" }));
      const scope = { tenantKey, subjectKey: "customer:ramesh" };
      await (state === "open" ? memory.erasures.open(scope) : memory.forget(scope));

      const deriving = memory.derive(aSummaryOf(kept, gone));

      await expect(deriving).rejects.toThrow(SourceForgottenError);
      await expect(deriving).rejects.toMatchObject({ sourceIds: [gone.memory.memoryId], retryable: false });
      expect((await memory.listDerived({ tenantKey })).rows).toEqual([]);
    });

    test("a derived source that was erased with what it was made from", async () => {
      const { memory, tenantKey } = await given.tenant();
      const summary = await memory.derive(aSummaryOf(await memory.remember(aMemory({ tenantKey }))));
      await memory.forget({ tenantKey, subjectKey: "customer:ramesh" });

      await expect(memory.derive(aSummaryOf(summary))).rejects.toThrow(SourceForgottenError);
    });

    test("a forgotten source before an unknown one, so that a queue drops the job", async () => {
      const { memory, tenantKey } = await given.tenant();
      const gone = await memory.remember(aMemory({ tenantKey }));
      await memory.forget({ tenantKey, subjectKey: "customer:ramesh" });

      const deriving = memory.derive({
        ...aSummaryOf(gone),
        sources: [{ sourceKind: "memory", sourceId: UNKNOWN_ID }, sourceOf(gone)],
      });

      await expect(deriving).rejects.toMatchObject({ code: "ERR_SOURCE_FORGOTTEN", sourceIds: [gone.memory.memoryId] });
    });
  });

  test("concerns everybody that any of its ancestors is filed under", async () => {
    const { memory, tenantKey } = await given.tenant();
    const ramesh = await memory.remember(aMemory({ tenantKey, subjectKey: "customer:ramesh" }));
    const joint = await memory.remember(
      aMemory({ tenantKey, subjectKey: "customer:priya", alsoAbout: ["customer:asha"] }),
    );
    const first = await memory.derive(aSummaryOf(ramesh, joint));
    const second = await memory.derive(aSummaryOf(first));

    for (const subjectKey of ["customer:ramesh", "customer:priya", "customer:asha"]) {
      const { rows } = await memory.listDerived({ tenantKey, subjectKey });
      expect(rows).toEqual([second.derived, first.derived]);
    }
    expect((await memory.listDerived({ tenantKey, subjectKey: "customer:nobody" })).rows).toEqual([]);
  });

  test("is never visible longer than the first of its sources to expire", async () => {
    const { memory, tenantKey } = await given.tenant();
    const soon = "2998-01-01T00:00:00.000Z";
    const sources = await inTurn([NEVER_SOON, soon, undefined], (expiresAt) =>
      memory.remember(aMemory({ tenantKey, ...(expiresAt && { expiresAt }) })),
    );
    const [later, first, never] = sources as [(typeof sources)[0], (typeof sources)[0], (typeof sources)[0]];

    const summary = await memory.derive(aSummaryOf(later, first, never));
    const above = await memory.derive(aSummaryOf(summary, later));

    expect(summary.derived.expiresAt).toBe(soon);
    expect(above.derived.expiresAt).toBe(soon);
  });

  test("takes as many as 4,096 sources", async () => {
    const { memory, tenantKey } = await given.tenant();
    const results = await memory.rememberMany(
      Array.from({ length: 4096 }, () => aMemory({ tenantKey, text: "one of many" })),
    );
    const sources = results.map((result) => {
      if (!("memory" in result)) throw result.error;
      return sourceOf(result);
    });

    const { derived } = await memory.derive({ tenantKey, kind: "digest", text: "all of it", sources });

    expect((await memory.getDerived(tenantKey, derived.derivedId))?.sources).toHaveLength(4096);
    expect(await memory.forget({ tenantKey, subjectKey: "customer:ramesh" })).toMatchObject({
      counts: { memories: 4096, derived: 1, provenanceEdges: 4096 },
    });
  });
});

describeEachStore("deriveMany", (given) => {
  test("answers in order, one by one, whatever becomes of the others", async () => {
    const { memory, tenantKey } = await given.tenant();
    const source = await memory.remember(aMemory({ tenantKey }));
    const gone = await memory.remember(aMemory({ tenantKey, subjectKey: "customer:gone" }));
    await memory.forget({ tenantKey, subjectKey: "customer:gone" });

    const results = await memory.deriveMany([
      { ...aSummaryOf(source), text: "first" },
      { ...aSummaryOf(gone), text: "second" },
      { ...aSummaryOf(source), text: "third", sources: [] },
      { ...aSummaryOf(source), text: "fourth", sources: [{ sourceKind: "memory", sourceId: UNKNOWN_ID }] },
      { ...aSummaryOf(source), text: "fifth" },
    ]);

    expect(results).toMatchObject([
      { derived: { text: "first" } },
      { error: { code: "ERR_SOURCE_FORGOTTEN" } },
      { error: { code: "ERR_PROVENANCE_REQUIRED" } },
      { error: { code: "ERR_UNKNOWN_SOURCE" } },
      { derived: { text: "fifth" } },
    ]);
    expect((await memory.listDerived({ tenantKey })).rows.map(({ text }) => text)).toEqual(["fifth", "first"]);
  });
});
