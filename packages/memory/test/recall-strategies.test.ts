import { expect, test } from "vitest";
import { Memory, PgMemoryStore, type Queryable } from "../src/index.js";
import { aMemory, inTurn } from "./support/builders.js";
import { anEmbedderThat } from "./support/recording-embedder.js";
import { describeEachStore } from "./support/stores.js";

const PEPPER = "a pepper that is only used in this test";

describeEachStore("recall by weighted terms", (given) => {
  test("puts a row with the rare term before rows with more of the common ones", async () => {
    const { memory, tenantKey } = await given.tenant();
    await inTurn(["the saffron", "the tea is here", "the tea is hot", "the tea is late", "is the tea"], (text) =>
      memory.remember(aMemory({ tenantKey, text })),
    );

    const text = "is the saffron";
    const plain = await memory.recall({ tenantKey, text });
    const weighted = await memory.recall({ tenantKey, text, strategy: "bm25" });

    expect(plain.hits.map(({ row }) => row.text)).toContain("the saffron");
    expect(weighted.hits[0]?.row.text).toBe("the saffron");
    expect(weighted.hits.length).toBe(5);
  });

  test("scores the share of the query's weight, 1 for a row with all terms", async () => {
    const { memory, tenantKey } = await given.tenant();
    await inTurn(["tea late", "tea"], (text) => memory.remember(aMemory({ tenantKey, text })));

    const { hits } = await memory.recall({ tenantKey, text: "late tea", strategy: "bm25" });

    expect(hits.map(({ score }) => score)).toEqual([1, expect.closeTo(0.21, 2)]);
  });

  test("says what was weighed and what was not", async () => {
    const { memory, tenantKey } = await given.tenant();
    await memory.remember(aMemory({ tenantKey, text: "tea" }));

    const { strategy, note, coverage } = await memory.recall({ tenantKey, text: "tea", strategy: "bm25" });

    expect(strategy).toBe("bm25");
    expect(note).toContain("without term frequency and row length");
    expect(note).toContain("without stemming");
    expect(coverage).toMatchObject({ considered: 1, truncated: false });
  });

  test("counts inflected forms as the word where that is asked for, of rows stored before as well", async () => {
    const { memory, tenantKey } = await given.tenant();
    await inTurn(["two invoices", "was invoiced", "an offer"], (text) => memory.remember(aMemory({ tenantKey, text })));

    const query = { tenantKey, text: "invoice", strategy: "bm25" } as const;
    const exact = await memory.recall(query);
    const stemmed = await memory.recall({ ...query, stemming: "english" });

    expect(exact.hits).toEqual([]);
    expect(stemmed.hits.map(({ row }) => row.text)).toEqual(["was invoiced", "two invoices"]);
    expect(stemmed.note).toContain("Inflected English forms");
  });

  test("of a text without a term finds nothing and says why", async () => {
    const { memory, tenantKey } = await given.tenant();

    const { hits, note } = await memory.recall({ tenantKey, text: "?!", strategy: "bm25" });

    expect(hits).toEqual([]);
    expect(note).toContain("no term to look for");
  });

  test("is not moved by what is hidden: a term is as rare as what can be seen says", async () => {
    const { memory, tenantKey } = await given.tenant();
    await inTurn(["tea late", "tea", "late"], (text) => memory.remember(aMemory({ tenantKey, text })));
    const query = { tenantKey, text: "tea late", strategy: "bm25" } as const;
    const before = await memory.recall(query);
    await inTurn(["tea", "tea", "tea"], (text) =>
      memory.remember(aMemory({ tenantKey, subjectKey: "customer:priya", text })),
    );

    await memory.erasures.open({ tenantKey, subjectKey: "customer:priya" });

    expect(await memory.recall(query)).toEqual(before);
  });
});

describeEachStore("recall by both rankings", (given) => {
  const embedder = {
    embed: (texts: readonly string[]) =>
      Promise.resolve(texts.map((text) => [text.includes("chai") ? 1 : 0.1, text.includes("bill") ? 1 : 0.1, 0.2])),
  };

  test("puts first what both find, and says how the two were fused", async () => {
    const { memory, tenantKey } = await given.tenant({ embedder });
    await inTurn(["chai", "a bill for saffron", "saffron", "chai saffron"], (text) =>
      memory.remember(aMemory({ tenantKey, text })),
    );

    const { strategy, hits, note } = await memory.recall({ tenantKey, text: "chai saffron", strategy: "hybrid" });

    expect(strategy).toBe("hybrid");
    expect(hits[0]).toMatchObject({ row: { text: "chai saffron" }, score: 1 });
    expect(note).toContain("reciprocal rank fusion");
    expect(note).toContain("cosine similarity");
  });

  test("without a working embedder is by terms alone, and says that it is not hybrid", async () => {
    const { tenantKey } = await given.tenant();
    const memory = new Memory({
      store: given.store,
      embedder: anEmbedderThat(() => Promise.reject(new Error("down"))),
    });
    await memory.remember(aMemory({ tenantKey, text: "tea" }));

    const { strategy, note, hits } = await memory.recall({ tenantKey, text: "tea", strategy: "hybrid" });

    expect(strategy).toBe("bm25");
    expect(note).toContain("The embedder failed");
    expect(note).toContain("vectors had no part in it");
    expect(hits).toHaveLength(1);
  });

  test("keeps to the least score, on the fused scale", async () => {
    const { memory, tenantKey } = await given.tenant({ embedder });
    await inTurn(["chai", "saffron", "chai saffron"], (text) => memory.remember(aMemory({ tenantKey, text })));

    const { hits } = await memory.recall({ tenantKey, text: "chai saffron", strategy: "hybrid", minScore: 1 });

    expect(hits.map(({ row }) => row.text)).toEqual(["chai saffron"]);
  });
});

test.each(["lexical", "bm25"] as const)("the words of a query do not leave the process (%s)", async (strategy) => {
  const sent: string[] = [];
  const db: Queryable = {
    query: (text, params = []) => {
      sent.push(text, ...params.map(String));
      const answer = text.includes("capabilities()")
        ? { vector: true, version: 1 }
        : text.includes("keys_in_use")
          ? []
          : { hits: [], coverage: {} };
      return Promise.resolve({ rows: [{ answer: JSON.stringify(answer) }] });
    },
  };
  const memory = new Memory({ store: new PgMemoryStore(db), subjectHashPepper: PEPPER });

  await memory.recall({ tenantKey: "acme", text: "saffron invoices", strategy });

  expect(sent.some((each) => each.includes("recall_"))).toBe(true);
  expect(sent.filter((each) => /saffron|invoic/u.test(each))).toEqual([]);
});
