import { describe, expect, test } from "vitest";
import { Memory } from "../../src/memory.js";
import type { LexicalQuery, VectorQuery } from "../../src/ports/memory-store.js";
import { aFakeStore } from "./fake-store.js";
import { maskSecret } from "./redactors.js";

const PEPPERS = [
  { id: "new", secret: "a secret of at least thirty-two bytes" },
  { id: "old", secret: "an older secret, thirty-two bytes long" },
];
const working = { embed: (texts: readonly string[]) => Promise.resolve(texts.map(() => [3, 4])) };
const failing = { embed: () => Promise.reject(new Error("Ramesh")) };
const useless = { embed: () => Promise.resolve([[]]) };

describe("recall", () => {
  test("ranks by vector where there is an embedder, with the defaults", async () => {
    const store = aFakeStore();

    const result = await new Memory({ store, embedder: working, candidatePool: 7 }).recall({
      tenantKey: "acme",
      text: "late",
    });

    expect(store.callsOf("recallVector")).toEqual([
      [
        "acme",
        {
          subject: null,
          kinds: null,
          include: "both",
          metadata: null,
          limit: 10,
          minScore: 0,
          embedding: Float32Array.of(3, 4),
          candidatePool: 7,
        },
      ],
    ]);
    expect(result).toMatchObject({ strategy: "vector", ranking: "pgvector", hits: [] });
  });

  test("ranks by the caller's vector without an embedder or a text", async () => {
    const store = aFakeStore();

    const result = await new Memory({ store, embedder: failing }).recall({ tenantKey: "acme", embedding: [1] });

    expect(result.strategy).toBe("vector");
    expect((store.callsOf("recallVector")[0]?.[1] as VectorQuery).embedding).toEqual(Float32Array.of(1));
  });

  test("says that the text was not used where a vector came with it", async () => {
    const memory = new Memory({ store: aFakeStore(), embedder: failing });

    const both = await memory.recall({ tenantKey: "acme", text: "late", embedding: [1] });
    const alone = await memory.recall({ tenantKey: "acme", embedding: [1] });

    expect(both).toMatchObject({ strategy: "vector", note: expect.stringContaining("the text was not") as string });
    expect(alone.note).not.toContain("the text was not");
  });

  test("passes every filter on, the person under every hash", async () => {
    const store = aFakeStore();
    const memory = new Memory({ store, subjectHashPepper: PEPPERS });

    await memory.recall({
      tenantKey: "acme",
      text: "late bill",
      subjectKey: "ramesh",
      kinds: ["note"],
      include: "memories",
      metadata: { channel: "chat" },
      limit: 3,
      minScore: 0.5,
    });

    const [tenantKey, query] = store.callsOf("recallLexical")[0] as [string, LexicalQuery];
    expect(tenantKey).toBe("acme");
    expect(query).toMatchObject({
      kinds: ["note"],
      include: "memories",
      metadata: { channel: "chat" },
      limit: 3,
      minScore: 0.5,
    });
    expect(query.subject).toMatchObject([
      { hash: memory.subjectFingerprint("acme", "ramesh"), keyId: "new" },
      { keyId: "old" },
    ]);
    expect(query.terms.map((hashes) => hashes.length)).toEqual([2, 2]);
  });

  test("redacts the query before it is embedded or taken apart", async () => {
    const seen: string[] = [];
    const embedder = {
      embed: (texts: readonly string[]) => {
        seen.push(...texts);
        return Promise.reject(new Error("Ramesh"));
      },
    };
    const store = aFakeStore();

    await new Memory({ store, redactor: maskSecret, embedder }).recall({ tenantKey: "acme", text: "secret plan" });
    await new Memory({ store }).recall({ tenantKey: "acme", text: "[MASKED] plan" });

    expect(seen).toEqual(["[MASKED] plan"]);
    const [first, second] = store.callsOf("recallLexical").map(([, query]) => (query as LexicalQuery).terms);
    expect(first).toEqual(second);
  });

  test.each([
    ["no embedder", undefined, "There is no embedder"],
    ["a failing embedder", failing, "The embedder failed"],
    ["an embedder without a usable answer", useless, "The embedder gave no usable vector"],
  ])("neither fails nor pretends with %s: it ranks by terms and says so", async (_case, embedder, reason) => {
    const store = aFakeStore();
    const memory = embedder === undefined ? new Memory({ store }) : new Memory({ store, embedder });

    const result = await memory.recall({ tenantKey: "acme", text: "late bill" });

    expect(result.strategy).toBe("lexical");
    expect(result.note).toContain(reason);
    expect(result.note).toContain("exact term overlap");
    expect(result.note).toContain("without stemming, synonyms or meaning");
    expect(store.callsOf("recallVector")).toEqual([]);
  });

  test("does not call the embedder where terms are asked for", async () => {
    const store = aFakeStore();

    const result = await new Memory({ store, embedder: failing }).recall({
      tenantKey: "acme",
      text: "late",
      strategy: "lexical",
    });

    expect(result).toMatchObject({
      strategy: "lexical",
      note: expect.stringMatching(/^Terms were asked for/) as string,
    });
  });

  test.each([
    ["fails", failing, "the embedder failed on the query"],
    ["gives no usable vector", useless, "the embedder gave no usable vector of the query"],
  ])("demanded by vector is an error where the embedder %s", async (_case, embedder, message) => {
    const store = aFakeStore();
    const query = { tenantKey: "acme", text: "late", strategy: "vector" } as const;

    const error: unknown = await new Memory({ store, embedder }).recall(query).catch((thrown: unknown) => thrown);

    expect(error).toMatchObject({ code: "ERR_EMBEDDER", message, retryable: true });
    expect(error).not.toHaveProperty("cause");
    expect(store.calls).toEqual([]);
  });

  test("of a query without a term looks for nothing, finds nothing and says so", async () => {
    const store = aFakeStore();

    const result = await new Memory({ store }).recall({ tenantKey: "acme", text: "!!!" });

    expect(result).toMatchObject({ strategy: "lexical", ranking: "postgres", hits: [], coverage: { considered: 0 } });
    expect(result.note).toContain("there is no term to look for");
    expect(store.callsOf("recallLexical")).toEqual([]);
  });

  test.each<[string, object, string]>([
    ["neither text nor embedding", {}, "text"],
    ["a blank text", { text: " " }, "text"],
    ["terms without a text", { embedding: [1], strategy: "lexical" }, "text"],
    ["a vector with nothing to make it", { text: "late", strategy: "vector" }, "embedding"],
    ["an unknown strategy", { text: "late", strategy: "semantic" }, "strategy"],
    ["a hybrid ranking with nothing to make a vector", { text: "late", strategy: "hybrid" }, "embedding"],
    ["weighted terms without a text", { embedding: [1], strategy: "bm25" }, "text"],
    ["weighted terms of a store that cannot weigh", { text: "late", strategy: "bm25" }, "strategy"],
    ["stems of exact terms", { text: "late", strategy: "lexical", stemming: "english" }, "stemming"],
    ["no condition", { text: "late", where: {} }, "where"],
    ["an empty condition", { text: "late", where: { a: {} } }, "where.*"],
    ["a condition it does not know", { text: "late", where: { a: { like: "x" } } }, "where.*"],
    ["a range without an order", { text: "late", where: { a: { gt: true } } }, "where.*.gt"],
    ["no value to be one of", { text: "late", where: { a: { in: [] } } }, "where.*.in"],
    ["an object to be one of", { text: "late", where: { a: { in: [{}] } } }, "where.*.in[0]"],
    ["a time without an end", { text: "late", createdAt: {} }, "createdAt"],
    [
      "a time that ends before it begins",
      { text: "late", capturedAt: { from: "2024-01-02T00:00:00Z", to: "2024-01-01T00:00:00Z" } },
      "capturedAt",
    ],
    ["a day without a zone", { text: "late", createdAt: { from: "2024-01-02" } }, "createdAt.from"],
    ["an unknown include", { text: "late", include: "all" }, "include"],
    ["no kinds", { text: "late", kinds: [] }, "kinds"],
    ["a malformed kind", { text: "late", kinds: ["note", "A note"] }, "kinds[1]"],
    ["a limit of 0", { text: "late", limit: 0 }, "limit"],
    ["a limit of 1,001", { text: "late", limit: 1001 }, "limit"],
    ["a score beyond 1", { text: "late", minScore: 2 }, "minScore"],
    ["a filter that is no object", { text: "late", metadata: [] }, "metadata"],
    ["a blank person", { text: "late", subjectKey: "" }, "subjectKey"],
    ["a bad embedding", { embedding: [0] }, "embedding"],
    ["a misspelt field", { text: "late", subjectkey: "ramesh" }, "input"],
  ])("refuses %s, and looks at nothing", async (_case, input, argument) => {
    const store = aFakeStore();

    await expect(new Memory({ store }).recall({ tenantKey: "acme", ...input })).rejects.toMatchObject({
      code: "ERR_INVALID_INPUT",
      argument,
    });
    expect(store.calls).toEqual([]);
  });
});
