import { describe, expect, test } from "vitest";
import type { Memory, RecallInput } from "../src/index.js";
import { aMemory, aSummaryOf, inTurn } from "./support/builders.js";
import { describeEachStore } from "./support/stores.js";

type Filters = Omit<RecallInput, "tenantKey" | "text" | "embedding" | "limit" | "minScore" | "strategy" | "include">;

/** What each filter leaves of the four rows below, and of the summary of the first. */
const FILTERS: readonly (readonly [string, Filters, readonly string[]])[] = [
  ["a value that is there", { where: { priority: { exists: true } } }, ["a", "b", "c"]],
  ["a value that is not there", { where: { priority: { exists: false } } }, ["d", "sum"]],
  ["one of some values", { where: { priority: { in: [1, "high", false] } } }, ["a", "c"]],
  ["null among them", { where: { priority: { in: [null] } } }, []],
  ["a range of numbers", { where: { priority: { gte: 1, lt: 3 } } }, ["a", "b"]],
  ["a range of texts", { where: { priority: { gt: "a" } } }, ["c"]],
  ["two conditions", { where: { priority: { exists: true }, channel: { in: ["chat"] } } }, ["a"]],
  ["contained metadata", { metadata: { channel: "chat" } }, ["a", "d"]],
  ["kinds", { kinds: ["note", "summary"] }, ["a", "b", "c", "d", "sum"]],
  ["another kind", { kinds: ["chat"] }, []],
  ["captured from an instant on", { capturedAt: { from: "2024-02-01T00:00:00Z" } }, ["b", "c"]],
  ["captured before an instant", { capturedAt: { to: "2024-02-01T00:00:00Z" } }, ["a"]],
  ["stored long ago", { createdAt: { to: "2001-01-01T00:00:00Z" } }, []],
  ["stored since", { createdAt: { from: "2001-01-01T00:00:00Z" } }, ["a", "b", "c", "d", "sum"]],
  ["a person", { subjectKey: "customer:priya" }, ["d"]],
];

describeEachStore("filters", (given) => {
  describe.each(FILTERS)("on %s", (_, filters, expected) => {
    test.each([
      ["terms", { text: "tea" }],
      ["weighted terms", { text: "tea", strategy: "bm25" as const }],
      ["vectors", { embedding: [1, 0] }],
    ])("narrow a recall by %s", async (_by, query) => {
      const { memory, tenantKey } = await given.tenant();
      await keepFive(memory, tenantKey);

      const { hits, coverage } = await memory.recall({ tenantKey, ...query, ...filters });

      expect(hits.map(({ row }) => row.metadata["n"] ?? "sum").sort()).toEqual(expected);
      expect(coverage.considered).toBe(expected.length);
    });

    test("narrow both lists, and a recall of one sort of row", async () => {
      const { memory, tenantKey } = await given.tenant();
      await keepFive(memory, tenantKey);

      const memories = await memory.listMemories({ tenantKey, ...filters });
      const derived = await memory.listDerived({ tenantKey, ...filters });
      const recalled = await memory.recall({ tenantKey, text: "tea", include: "derived", ...filters });

      expect(memories.rows.map(({ metadata }) => metadata["n"]).sort()).toEqual(expected.filter((n) => n !== "sum"));
      expect(derived.rows.map(() => "sum")).toEqual(expected.filter((n) => n === "sum"));
      expect(recalled.hits.map(() => "sum")).toEqual(expected.filter((n) => n === "sum"));
    });
  });

  test("hold on every page of a list", async () => {
    const { memory, tenantKey } = await given.tenant();
    await inTurn([1, 2, 3, 4, 5, 6], (n) => memory.remember(aMemory({ tenantKey, metadata: { n } })));
    const filters = { tenantKey, where: { n: { gt: 1 } }, limit: 2 };

    const first = await memory.listMemories(filters);
    const second = await memory.listMemories({ ...filters, cursor: first.nextCursor ?? "" });
    const third = await memory.listMemories({ ...filters, cursor: second.nextCursor ?? "" });

    const shown = [first, second, third].map(({ rows }) => rows.map(({ metadata }) => metadata["n"]));
    expect(shown).toEqual([[6, 5], [4, 3], [2]]);
    expect(third.nextCursor).toBeNull();
  });

  test("keep to the least score", async () => {
    const { memory, tenantKey } = await given.tenant();
    await inTurn(["tea", "tea cake"], (text) => memory.remember(aMemory({ tenantKey, text })));

    const { hits } = await memory.recall({ tenantKey, text: "tea cake", minScore: 0.6 });

    expect(hits.map(({ row }) => row.text)).toEqual(["tea cake"]);
  });
});

async function keepFive(memory: Memory, tenantKey: string): Promise<void> {
  const base = { tenantKey, kind: "note", text: "tea", embedding: [1, 0] };
  const [first] = await inTurn(
    [
      { metadata: { n: "a", priority: 1, channel: "chat" }, capturedAt: "2024-01-01T00:00:00Z" },
      { metadata: { n: "b", priority: 2.5, channel: "mail" }, capturedAt: "2024-02-01T00:00:00Z" },
      { metadata: { n: "c", priority: "high" }, capturedAt: "2024-03-01T00:00:00Z" },
      { metadata: { n: "d", channel: "chat" }, subjectKey: "customer:priya" },
    ],
    (row) => memory.remember(aMemory({ ...base, ...row })),
  );
  if (first === undefined) throw new Error("nothing was stored");
  await memory.derive({ ...aSummaryOf(first), kind: "summary", text: "tea", embedding: [1, 0] });
}
