import { describe, expect, test } from "vitest";
import { Memory } from "../../src/memory.js";
import type { EmbeddingUpdate, ListQuery, TermsUpdate } from "../../src/ports/memory-store.js";
import { aFakeStore } from "./fake-store.js";

const ID = "018f3c2a-7b1d-7c4e-9a5f-6b7c8d9e0f1a";
const idOf = (n: number) => `018f3c2a-7b1d-7c4e-9a5f-${n.toString(16).padStart(12, "0")}`;

describe("looking up a row", () => {
  test("asks the store for the canonical id", async () => {
    const store = aFakeStore();
    const memory = new Memory({ store });

    await memory.getMemory("acme", ID.toUpperCase());
    await memory.getDerived("acme", ID);
    await memory.lineage({ tenantKey: "acme", kind: "derived", id: ID });

    expect(store.calls).toEqual([
      ["getMemory", "acme", ID],
      ["getDerived", "acme", ID],
      ["lineage", "acme", "derived", ID],
    ]);
  });

  test("by a malformed id finds nothing, without asking", async () => {
    const store = aFakeStore();
    const memory = new Memory({ store });

    expect(await memory.getMemory("acme", "Ramesh")).toBeNull();
    expect(await memory.getDerived("acme", "")).toBeNull();
    expect(await memory.lineage({ tenantKey: "acme", kind: "memory", id: "x" })).toBeNull();
    expect(store.calls).toEqual([]);
  });

  test.each<[string, (memory: Memory) => Promise<unknown>, string]>([
    ["no tenant", (memory) => memory.getMemory("", ID), "tenantKey"],
    ["an id that is no string", (memory) => memory.getMemory("acme", 1 as never), "memoryId"],
    ["no id", (memory) => memory.getDerived("acme", undefined as never), "derivedId"],
    ["an unknown sort", (memory) => memory.lineage({ tenantKey: "a", kind: "x" as never, id: ID }), "kind"],
    ["no argument", (memory) => memory.lineage(undefined as never), "input"],
  ])("is refused with %s", async (_case, call, argument) => {
    await expect(call(new Memory({ store: aFakeStore() }))).rejects.toMatchObject({
      code: "ERR_INVALID_INPUT",
      argument,
    });
  });
});

describe("listing rows", () => {
  test("passes the filters on, with the defaults", async () => {
    const store = aFakeStore();
    const memory = new Memory({ store });

    await memory.listMemories({ tenantKey: "acme" });
    await memory.listDerived({ tenantKey: "acme", subjectKey: "ramesh", embedded: false, limit: 7, cursor: "c" });
    await memory.listMemories({ tenantKey: "acme", embedded: { dimensionsNot: 1536 } });

    const queries = store.calls.map(([, , query]) => query as ListQuery);
    expect(queries).toEqual([
      { subject: null, missingVector: null, limit: 100, cursor: null },
      {
        subject: [{ hash: memory.subjectFingerprint("acme", "ramesh"), keyId: null, check: null }],
        missingVector: false,
        limit: 7,
        cursor: "c",
      },
      { subject: null, missingVector: { dimensionsNot: 1536 }, limit: 100, cursor: null },
    ]);
  });

  test.each<[object, string]>([
    [{ subjectKey: "" }, "subjectKey"],
    [{ embedded: true }, "embedded"],
    [{ embedded: null }, "embedded"],
    [{ embedded: {} }, "embedded.dimensionsNot"],
    [{ embedded: { dimensionsNot: 0 } }, "embedded.dimensionsNot"],
    [{ embedded: { dimensions: 3 } }, "embedded"],
    [{ limit: 2000 }, "limit"],
    [{ cursor: 1 }, "cursor"],
    [{ kind: "note" }, "input"],
  ])("is refused with %j", async (input, argument) => {
    const store = aFakeStore();
    const memory = new Memory({ store });
    const refused = { code: "ERR_INVALID_INPUT", argument };

    await expect(memory.listMemories({ tenantKey: "acme", ...input })).rejects.toMatchObject(refused);
    await expect(memory.listDerived({ tenantKey: "acme", ...input })).rejects.toMatchObject(refused);
    expect(store.calls).toEqual([]);
  });
});

describe("setEmbeddings", () => {
  test("hands the vectors over in statements of 1,000 rows, and adds up what happened", async () => {
    const store = aFakeStore({
      setEmbeddings: (_tenantKey, items) => Promise.resolve({ updated: items.length - 1, unknown: 1 }),
    });
    const items = Array.from({ length: 1500 }, (_, n) => ({
      kind: "memory" as const,
      id: idOf(n).toUpperCase(),
      embedding: [n + 1],
    }));

    const result = await new Memory({ store }).setEmbeddings({ tenantKey: "acme", items });

    expect(result).toEqual({ updated: 1498, unknown: 2 });
    const batches = store.callsOf("setEmbeddings").map(([, batch]) => batch as readonly EmbeddingUpdate[]);
    expect(batches.map((batch) => batch.length)).toEqual([1000, 500]);
    expect(batches[1]?.[0]).toEqual({ kind: "memory", id: idOf(1000), embedding: Float32Array.of(1001) });
  });

  test("takes a memory and a derived row of the same id, and nothing at all", async () => {
    const memory = new Memory({ store: aFakeStore() });
    const item = { kind: "memory" as const, id: ID, embedding: [1] };

    expect(await memory.setEmbeddings({ tenantKey: "acme", items: [item, { ...item, kind: "derived" }] })).toEqual({
      updated: 2,
      unknown: 0,
    });
    expect(await memory.setEmbeddings({ tenantKey: "acme", items: [] })).toEqual({ updated: 0, unknown: 0 });
  });

  const item = { kind: "memory", id: ID, embedding: [1] };
  test.each<[string, unknown, string]>([
    ["no items", undefined, "items"],
    ["10,001 items", new Array(10_001).fill(item), "items"],
    ["an unknown sort", [{ ...item, kind: "x" }], "items[0].kind"],
    ["a malformed id", [item, { ...item, id: "Ramesh" }], "items[1].id"],
    ["a bad vector", [{ ...item, embedding: [Number.NaN] }], "items[0].embedding"],
    ["the same row twice", [item, { ...item, id: ID.toUpperCase() }], "items[1]"],
    ["a text", [{ ...item, text: "new" }], "items[0]"],
  ])("refuses %s, and changes nothing", async (_case, items, argument) => {
    const store = aFakeStore();

    await expect(new Memory({ store }).setEmbeddings({ tenantKey: "acme", items } as never)).rejects.toMatchObject({
      code: "ERR_INVALID_INPUT",
      argument,
    });
    expect(store.calls).toEqual([]);
  });
});

describe("reindexTerms", () => {
  test("gives rows the terms that remember would have given them, and says whether there are more", async () => {
    const texts = [
      { kind: "memory" as const, id: idOf(1), text: "Late invoice" },
      { kind: "derived" as const, id: idOf(2), text: "!!!" },
      { kind: "memory" as const, id: idOf(3), text: "another" },
    ];
    const store = aFakeStore({ rowsWithoutTerms: (_tenantKey, limit) => Promise.resolve(texts.slice(0, limit)) });
    const memory = new Memory({ store });
    await memory.remember({ tenantKey: "acme", subjectKey: "ramesh", text: "Late invoice" });

    const result = await memory.reindexTerms({ tenantKey: "acme", limit: 2 });

    const [, items] = store.callsOf("setTerms")[0] as [string, readonly TermsUpdate[]];
    const [, remembered] = store.callsOf("insertMemories")[0] as [string, readonly { termHashes: bigint[] }[]];
    expect(result).toEqual({ updated: 2, more: true });
    expect(items).toEqual([
      { kind: "memory", id: idOf(1), termHashes: remembered[0]?.termHashes },
      { kind: "derived", id: idOf(2), termHashes: [] },
    ]);
  });

  test("changes nothing where every row has its terms", async () => {
    const store = aFakeStore();

    expect(await new Memory({ store }).reindexTerms({ tenantKey: "acme" })).toEqual({ updated: 0, more: false });
    expect(store.calls).toEqual([["rowsWithoutTerms", "acme", 1001]]);
  });

  test("refuses a limit out of bounds", async () => {
    const memory = new Memory({ store: aFakeStore() });

    await expect(memory.reindexTerms({ tenantKey: "acme", limit: 0 })).rejects.toMatchObject({ argument: "limit" });
  });
});

describe("capabilities", () => {
  test("are the store's", async () => {
    expect(await new Memory({ store: aFakeStore() }).capabilities()).toMatchObject({ vectorSearch: "pgvector" });
  });
});

describe("subjectFingerprint", () => {
  test("is 64 hexadecimal digits of one person in one tenant", () => {
    const memory = new Memory({ store: aFakeStore() });

    expect(memory.subjectFingerprint("acme", "ramesh")).toMatch(/^[0-9a-f]{64}$/);
    expect(memory.subjectFingerprint("acme", "ramesh")).not.toBe(memory.subjectFingerprint("other", "ramesh"));
    expect(() => memory.subjectFingerprint("", "ramesh")).toThrow(expect.objectContaining({ argument: "tenantKey" }));
    expect(() => memory.subjectFingerprint("acme", 1 as never)).toThrow(
      expect.objectContaining({ argument: "subjectKey" }),
    );
  });
});
