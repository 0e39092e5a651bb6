import { describe, expect, test } from "vitest";
import { InvalidInputError } from "../src/index.js";
import { aMemory, aSummaryOf, inTurn } from "./support/builders.js";
import { describeEachStore } from "./support/stores.js";

describeEachStore("lists", (given) => {
  test.each([1, 2, 3, 6, 7, 8])("of memories, %i a page, neither repeat nor skip one, newest first", async (limit) => {
    const { memory, tenantKey } = await given.tenant();
    const written = await inTurn([1, 2, 3, 4, 5, 6, 7], (n) =>
      memory.remember(aMemory({ tenantKey, text: `note ${n}` })),
    );

    const rows = await allPages((cursor) => memory.listMemories({ tenantKey, limit, ...cursor }));

    expect(rows).toEqual(written.map((result) => result.memory).reverse());
  });

  test("of memories written at one instant neither repeat nor skip one", async () => {
    const { memory, tenantKey } = await given.tenant();
    const results = await memory.rememberMany(
      Array.from({ length: 10 }, (_, n) => aMemory({ tenantKey, text: `note ${n}` })),
    );
    const written = results.map((result) => ("memory" in result ? result.memory : result.error));

    const rows = await allPages((cursor) => memory.listMemories({ tenantKey, limit: 3, ...cursor }));

    expect(rows).toEqual([...written].reverse());
  });

  test("of derived rows neither repeat nor skip one, newest first", async () => {
    const { memory, tenantKey } = await given.tenant();
    const source = await memory.remember(aMemory({ tenantKey }));
    const written = await inTurn([1, 2, 3, 4, 5], () => memory.derive(aSummaryOf(source)));

    const rows = await allPages((cursor) => memory.listDerived({ tenantKey, limit: 2, ...cursor }));

    expect(rows).toEqual(written.map((result) => result.derived).reverse());
  });

  test("of a person hold what is filed under them, first or also", async () => {
    const { memory, tenantKey } = await given.tenant();
    const own = await memory.remember(aMemory({ tenantKey, subjectKey: "customer:ramesh" }));
    await memory.remember(aMemory({ tenantKey, subjectKey: "customer:priya" }));
    const joint = await memory.remember(
      aMemory({ tenantKey, subjectKey: "customer:asha", alsoAbout: ["customer:ramesh"] }),
    );

    const rows = await allPages((cursor) =>
      memory.listMemories({ tenantKey, subjectKey: "customer:ramesh", limit: 1, ...cursor }),
    );

    expect(rows).toEqual([joint.memory, own.memory]);
  });

  test("go on from where they were while rows come and go", async () => {
    const { memory, tenantKey } = await given.tenant();
    const written = await inTurn(["a", "b", "c", "d", "e"], (person) =>
      memory.remember(aMemory({ tenantKey, subjectKey: `person:${person}` })),
    );
    const first = await memory.listMemories({ tenantKey, limit: 2 });

    await memory.remember(aMemory({ tenantKey, text: "newer than the first page" }));
    await memory.forget({ tenantKey, subjectKey: "person:d" });
    await memory.forget({ tenantKey, subjectKey: "person:c" });
    const rest = await memory.listMemories({ tenantKey, cursor: first.nextCursor ?? "" });

    expect(first.rows.map((row) => row.subjectKey)).toEqual(["person:e", "person:d"]);
    expect(rest).toEqual({ rows: [written[1]?.memory, written[0]?.memory], nextCursor: null });
  });

  test("do not let hidden rows use up the page", async () => {
    const { memory, tenantKey } = await given.tenant();
    const kept = await memory.remember(aMemory({ tenantKey, subjectKey: "customer:priya" }));
    await inTurn([1, 2, 3], () => memory.remember(aMemory({ tenantKey, subjectKey: "customer:ramesh" })));
    await memory.erasures.open({ tenantKey, subjectKey: "customer:ramesh" });

    expect(await memory.listMemories({ tenantKey, limit: 1 })).toEqual({ rows: [kept.memory], nextCursor: null });
  });

  test("show what is left to embed", async () => {
    const { memory, tenantKey } = await given.tenant();
    const bare = await memory.remember(aMemory({ tenantKey }));
    const short = await memory.remember(aMemory({ tenantKey, embedding: [1, 0] }));
    await memory.remember(aMemory({ tenantKey, embedding: [1, 0, 0] }));
    const bareSummary = await memory.derive(aSummaryOf(bare));
    await memory.derive({ ...aSummaryOf(short), embedding: [1, 0, 0] });

    expect((await memory.listMemories({ tenantKey, embedded: false })).rows).toEqual([bare.memory]);
    expect((await memory.listMemories({ tenantKey, embedded: { dimensionsNot: 3 } })).rows).toEqual([
      short.memory,
      bare.memory,
    ]);
    expect((await memory.listDerived({ tenantKey, embedded: false })).rows).toEqual([bareSummary.derived]);
  });

  describe("refuse a cursor", () => {
    test.each(["nonsense", "AAAA", "%%%", "bm90IGEgY3Vyc29y"])("that nobody was given: %s", async (cursor) => {
      const { memory, tenantKey } = await given.tenant();

      for (const list of [
        () => memory.listMemories({ tenantKey, cursor }),
        () => memory.listDerived({ tenantKey, cursor }),
        () => memory.erasures.list({ tenantKey, cursor }),
      ]) {
        await expect(list()).rejects.toThrow(InvalidInputError);
        await expect(list()).rejects.toMatchObject({ argument: "cursor" });
      }
    });
  });
});

async function allPages<Row>(
  page: (cursor: { cursor?: string }) => Promise<{ readonly rows: readonly Row[]; readonly nextCursor: string | null }>,
): Promise<Row[]> {
  const rows: Row[] = [];
  let cursor: { cursor?: string } = {};
  for (let pages = 0; pages < 20; pages++) {
    const { rows: more, nextCursor } = await page(cursor);
    rows.push(...more);
    if (nextCursor === null) return rows;
    cursor = { cursor: nextCursor };
  }
  throw new Error("the pages do not end");
}
