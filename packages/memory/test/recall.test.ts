import { describe, expect, test } from "vitest";
import { EmbedderError, InvalidInputError } from "../src/index.js";
import { aMemory, aSummaryOf, inTurn, LONG_AGO } from "./support/builders.js";
import { anEmbedderThat, aRecordingEmbedder } from "./support/recording-embedder.js";
import { describeEachStore } from "./support/stores.js";

describeEachStore("recall by terms", (given) => {
  test("scores the share of the query's terms that a row holds, best first", async () => {
    const { memory, tenantKey } = await given.tenant();
    await inTurn(["tea", "tea and coffee", "tea, coffee, cake", "water"], (text) =>
      memory.remember(aMemory({ tenantKey, text })),
    );

    const { hits } = await memory.recall({ tenantKey, text: "cake tea coffee milk" });

    expect(hits.map(({ row, score }) => [row.text, score])).toEqual([
      ["tea, coffee, cake", 0.75],
      ["tea and coffee", 0.5],
      ["tea", 0.25],
    ]);
  });

  test("neither fails nor pretends without an embedder: the note says what was done", async () => {
    const { memory, tenantKey } = await given.tenant();
    await memory.remember(aMemory({ tenantKey, text: "tea" }));

    const answer = await memory.recall({ tenantKey, text: "tea" });

    expect(answer.strategy).toBe("lexical");
    expect(answer.note).toMatch(/term/iu);
    expect(answer.note).toMatch(/without stemming, synonyms or meaning/iu);
  });

  test('does not stem: "invoices" does not find "invoice"', async () => {
    const { memory, tenantKey } = await given.tenant();
    await memory.remember(aMemory({ tenantKey, text: "disputed one invoice" }));

    expect((await memory.recall({ tenantKey, text: "invoices" })).hits).toEqual([]);
    expect((await memory.recall({ tenantKey, text: "INVOICE" })).hits).toHaveLength(1);
  });

  test("finds Hindi words as they are written", async () => {
    const { memory, tenantKey } = await given.tenant();
    const { memory: row } = await memory.remember(aMemory({ tenantKey, text: "शाम को चाय पसंद है" }));
    await memory.remember(aMemory({ tenantKey, text: "सुबह को पानी" }));

    const { hits } = await memory.recall({ tenantKey, text: "चाय पसंद" });

    expect(hits).toEqual([{ kind: "memory", row, score: 1 }]);
  });

  test("breaks ties by the newest, memories and derived rows alike", async () => {
    const { memory, tenantKey } = await given.tenant();
    const first = await memory.remember(aMemory({ tenantKey, text: "tea" }));
    const second = await memory.derive({ ...aSummaryOf(first), text: "tea" });
    const third = await memory.remember(aMemory({ tenantKey, text: "tea" }));

    const { hits } = await memory.recall({ tenantKey, text: "tea" });

    expect(hits.map(({ row }) => row)).toEqual([third.memory, second.derived, first.memory]);
  });

  test("looks at every row, not at a window of the newest", async () => {
    const { memory, tenantKey } = await given.tenant({ candidatePool: 2 });
    const oldest = await memory.remember(aMemory({ tenantKey, text: "tea" }));
    await inTurn([1, 2, 3, 4], () => memory.remember(aMemory({ tenantKey, text: "water" })));

    const { hits, coverage } = await memory.recall({ tenantKey, text: "tea" });

    expect(hits.map(({ row }) => row)).toEqual([oldest.memory]);
    expect(coverage).toMatchObject({ considered: 1, truncated: false, skippedNoTerms: 0 });
  });

  test("of a text without a term finds nothing and says why", async () => {
    const { memory, tenantKey } = await given.tenant();
    await memory.remember(aMemory({ tenantKey, text: "!!!" }));

    const { hits, note } = await memory.recall({ tenantKey, text: "!?!" });

    expect(hits).toEqual([]);
    expect(note).toMatch(/term|word/iu);
  });
});

describeEachStore("recall by vector", (given) => {
  test("scores the cosine, best first, and rows of score 0 or less are no hits", async () => {
    const { memory, tenantKey } = await given.tenant();
    const vectors = { same: [2, 0], near: [1, 1], across: [0, 3], opposite: [-1, 0] };
    for (const [text, embedding] of Object.entries(vectors))
      await memory.remember(aMemory({ tenantKey, text, embedding }));

    const { strategy, hits } = await memory.recall({ tenantKey, embedding: [1, 0] });

    expect(strategy).toBe("vector");
    expect(hits.map(({ row }) => row.text)).toEqual(["same", "near"]);
    expect(hits[0]?.score).toBeCloseTo(1, 6);
    expect(hits[1]?.score).toBeCloseTo(Math.SQRT1_2, 6);
  });

  test("skips and counts vectors of another length and rows without one, and never compares them", async () => {
    const { memory, tenantKey } = await given.tenant();
    await memory.remember(aMemory({ tenantKey, text: "fits", embedding: [1, 0] }));
    await memory.remember(aMemory({ tenantKey, text: "longer", embedding: [1, 0, 0] }));
    await memory.remember(aMemory({ tenantKey, text: "none" }));

    const { hits, coverage } = await memory.recall({ tenantKey, embedding: [1, 0] });

    expect(hits.map(({ row }) => row.text)).toEqual(["fits"]);
    expect(coverage).toMatchObject({ considered: 1, skippedDimension: 1, skippedNoVector: 1 });
  });

  test("uses the embedder for the query where no vector is given", async () => {
    const embedder = aRecordingEmbedder();
    const { memory, tenantKey } = await given.tenant({ embedder });
    await memory.remember(aMemory({ tenantKey, text: "evening tea" }));

    const { strategy, hits } = await memory.recall({ tenantKey, text: "evening tea" });

    expect(strategy).toBe("vector");
    expect(hits[0]?.score).toBeCloseTo(1, 6);
  });

  test("says so where the ranking left older rows out", async () => {
    const { memory, tenantKey } = await given.tenant({ candidatePool: 2 });
    await inTurn([1, 2, 3], (n) => memory.remember(aMemory({ tenantKey, text: `note ${n}`, embedding: [1, n] })));
    const { vectorSearch } = await memory.capabilities();

    const { ranking, coverage, hits, note } = await memory.recall({ tenantKey, embedding: [1, 1] });

    expect(ranking).toBe(vectorSearch);
    const inProcess = ranking === "in-process";
    expect(coverage).toMatchObject({ considered: inProcess ? 2 : 3, truncated: inProcess });
    expect(hits).toHaveLength(inProcess ? 2 : 3);
    expect(/newest|older/iu.test(note)).toBe(inProcess);
  });

  test("falls back to terms where the embedder fails, and says so", async () => {
    const embedder = anEmbedderThat(() => Promise.reject(new Error("no network")));
    const { memory, tenantKey } = await given.tenant({ embedder });
    const { memory: row } = await memory.remember(aMemory({ tenantKey, text: "evening tea" }));

    const { strategy, note, hits } = await memory.recall({ tenantKey, text: "tea" });

    expect(strategy).toBe("lexical");
    expect(note).toMatch(/embedder/iu);
    expect(hits).toEqual([{ kind: "memory", row, score: 1 }]);
  });

  test("does not fall back where a vector was demanded", async () => {
    const embedder = anEmbedderThat(() => Promise.reject(new Error("no network")));
    const { memory, tenantKey } = await given.tenant({ embedder });

    await expect(memory.recall({ tenantKey, text: "tea", strategy: "vector" })).rejects.toThrow(EmbedderError);
  });
});

describeEachStore("recall", (given) => {
  test("needs a text or a vector", async () => {
    const { memory, tenantKey } = await given.tenant();

    await expect(memory.recall({ tenantKey })).rejects.toThrow(InvalidInputError);
  });

  test("returns at most ten hits, or as many as asked for", async () => {
    const { memory, tenantKey } = await given.tenant();
    await memory.rememberMany(Array.from({ length: 12 }, () => aMemory({ tenantKey, text: "tea" })));

    expect((await memory.recall({ tenantKey, text: "tea" })).hits).toHaveLength(10);
    expect((await memory.recall({ tenantKey, text: "tea", limit: 11 })).hits).toHaveLength(11);
  });

  test("does not show rows below the least score asked for", async () => {
    const { memory, tenantKey } = await given.tenant();
    await memory.remember(aMemory({ tenantKey, text: "tea" }));
    await memory.remember(aMemory({ tenantKey, text: "tea and cake" }));

    const { hits } = await memory.recall({ tenantKey, text: "tea cake", minScore: 0.75 });

    expect(hits.map(({ row }) => row.text)).toEqual(["tea and cake"]);
  });

  describe.each([
    ["terms", { text: "tea" }],
    ["vectors", { embedding: [1, 0] }],
  ] as const)("by %s", (_, query) => {
    test("is narrowed to a person, a kind, a sort of row and metadata", async () => {
      const { memory, tenantKey } = await given.tenant();
      const tea = { tenantKey, text: "tea", embedding: [1, 0] };
      const ramesh = await memory.remember(
        aMemory({ ...tea, kind: "fact", metadata: { plan: "gold", tags: ["a", "b"] } }),
      );
      const joint = await memory.remember(
        aMemory({ ...tea, subjectKey: "customer:priya", alsoAbout: ["customer:asha"] }),
      );
      const summary = await memory.derive({
        ...aSummaryOf(joint),
        text: "tea",
        embedding: [1, 0],
        metadata: { plan: null },
      });
      const found = async (filter: object) => {
        const { hits } = await memory.recall({ tenantKey, ...query, ...filter });
        return hits.map(({ row }) => row);
      };

      expect(await found({})).toEqual([summary.derived, joint.memory, ramesh.memory]);
      expect(await found({ subjectKey: "customer:asha" })).toEqual([summary.derived, joint.memory]);
      expect(await found({ subjectKey: "customer:nobody" })).toEqual([]);
      expect(await found({ kinds: ["fact"] })).toEqual([ramesh.memory]);
      expect(await found({ kinds: ["fact", "summary"] })).toEqual([summary.derived, ramesh.memory]);
      expect(await found({ include: "memories" })).toEqual([joint.memory, ramesh.memory]);
      expect(await found({ include: "derived" })).toEqual([summary.derived]);
      expect(await found({ metadata: { plan: "gold" } })).toEqual([ramesh.memory]);
      expect(await found({ metadata: { plan: null } })).toEqual([summary.derived]);
      expect(await found({ metadata: { plan: "gold", tags: ["b"] } })).toEqual([ramesh.memory]);
      expect(await found({ metadata: { tags: "b" } })).toEqual([]);
    });

    test("does not let hidden rows use up the limit", async () => {
      const { memory, tenantKey } = await given.tenant();
      const tea = { tenantKey, text: "tea", embedding: [1, 0] };
      const visible = await memory.remember(aMemory({ ...tea, subjectKey: "customer:priya" }));
      await inTurn([1, 2, 3], () => memory.remember(aMemory({ ...tea, subjectKey: "customer:ramesh" })));
      await inTurn([1, 2, 3], () =>
        memory.remember(aMemory({ ...tea, subjectKey: "customer:asha", expiresAt: LONG_AGO })),
      );
      await memory.erasures.open({ tenantKey, subjectKey: "customer:ramesh" });

      const { hits } = await memory.recall({ tenantKey, ...query, limit: 1 });

      expect(hits.map(({ row }) => row)).toEqual([visible.memory]);
    });
  });
});

describeEachStore("the metadata filter of recall", (given) => {
  const stored = { a: 1, s: "x", n: null, o: { p: { q: 2, r: 3 }, t: true }, l: [1, "two", [3, 4], { k: "v", w: 1 }] };

  test.each([
    [{}, true],
    [{ a: 1 }, true],
    [{ a: "1" }, false],
    [{ a: 1, s: "x" }, true],
    [{ a: 1, s: "y" }, false],
    [{ missing: null }, false],
    [{ n: null }, true],
    [{ o: { p: { q: 2 } } }, true],
    [{ o: { p: {} } }, true],
    [{ o: { p: [] } }, false],
    [{ o: { q: 2 } }, false],
    [{ l: ["two", 1, 1] }, true],
    [{ l: [] }, true],
    [{ l: {} }, false],
    [{ l: ["three"] }, false],
    [{ l: "two" }, false],
    [{ l: [3] }, false],
    [{ l: [[4]] }, true],
    [{ l: [[]] }, true],
    [{ l: [{ k: "v" }] }, true],
    [{ l: [{ k: "w" }] }, false],
    [{ s: ["x"] }, false],
  ] as const)("%j matches: %s", async (metadata, matches) => {
    const { memory, tenantKey } = await given.tenant();
    await memory.remember(aMemory({ tenantKey, text: "tea", metadata: stored }));

    const { hits } = await memory.recall({ tenantKey, text: "tea", metadata });

    expect(hits).toHaveLength(matches ? 1 : 0);
  });
});
