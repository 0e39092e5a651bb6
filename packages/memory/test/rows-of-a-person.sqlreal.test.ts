import { expect, test } from "vitest";
import { Memory, PgMemoryStore, type Page } from "../src/index.js";
import { describeEachDatabase } from "./sqlreal/databases.js";

const RAMESH = "customer:ramesh";
const PRIYA = "customer:priya";

/** Of a person with few rows all are read, by the indexes on persons; of one with many the tenant is, by time or by terms. */
describeEachDatabase("what is asked about a person", (given) => {
  /** Six texts, two of Priya's; two of each are about the other one as well. A note on each, and one on all. */
  async function twoPersons(tenantKey: string): Promise<void> {
    const memory = given.memory();
    const sources = [];
    for (let n = 0; n < 6; n++) {
      const [subjectKey, other] = n % 3 === 0 ? [PRIYA, RAMESH] : [RAMESH, PRIYA];
      const alsoAbout = n < 4 ? [other] : [];
      const text = `tea number ${String(n)}`;
      const { memory: row } = await memory.remember({ tenantKey, subjectKey, alsoAbout, text, embedding: [1, n] });
      const source = { sourceKind: "memory" as const, sourceId: row.memoryId };
      sources.push(source);
      await memory.derive({ tenantKey, kind: "note", text: `a note on ${text}`, sources: [source], embedding: [n, 1] });
    }
    await memory.derive({ tenantKey, kind: "digest", text: "all about tea", sources });
  }

  const everyPage = async <T>(list: (page: { limit: number; cursor?: string }) => Promise<Page<T>>) => {
    const rows: T[] = [];
    for (let cursor: string | null | undefined; cursor !== null;) {
      const page = await list({ limit: 2, ...(cursor === undefined ? {} : { cursor }) });
      rows.push(...page.rows);
      cursor = page.nextCursor;
    }
    return rows;
  };

  const answers = (tenantKey: string, subjectKey: string, fewRows: number) =>
    given.session({}, async (sql) => {
      await sql(`set demystify_memory.few_rows = ${String(fewRows)}`);
      const query = async (text: string, params: unknown[] = []) => ({ rows: await sql(text, params) });
      const memory = new Memory({ store: new PgMemoryStore({ query }) });
      const whom = { tenantKey, subjectKey };
      const recall = async (input: object) => {
        const { hits, coverage } = await memory.recall({ ...whom, ...input, limit: 50 });
        return {
          hits: hits.map((hit) => [hit.kind === "memory" ? hit.row.memoryId : hit.row.derivedId, hit.score]),
          skippedNoTerms: coverage.skippedNoTerms,
        };
      };
      return {
        memories: (await everyPage((page) => memory.listMemories({ ...whom, ...page }))).map((row) => row.memoryId),
        derived: (await everyPage((page) => memory.listDerived({ ...whom, ...page }))).map((row) => row.derivedId),
        lexical: await recall({ text: "tea number 3" }),
        bm25: await recall({ text: "tea number 3", strategy: "bm25" }),
        vector: await recall({ embedding: [2, 1], strategy: "vector" }),
      };
    });

  test.each([
    [RAMESH, 6, 7],
    [PRIYA, 4, 5],
    ["customer:nobody", 0, 0],
  ])("is answered alike however many rows there are of %s", async (subjectKey, memories, derived) => {
    const tenantKey = given.freshTenant();
    await twoPersons(tenantKey);
    await given.sql(
      "update demystify_memory.derived set term_hashes = null where tenant_key = $1 and kind = 'digest'",
      [tenantKey],
    );

    const [byPerson, byTenant] = [await answers(tenantKey, subjectKey, 5000), await answers(tenantKey, subjectKey, 1)];

    expect(byTenant).toEqual(byPerson);
    expect([byPerson.memories.length, byPerson.derived.length]).toEqual([memories, derived]);
    expect(byPerson.lexical.hits).toHaveLength(memories + Math.max(0, derived - 1));
    expect(byPerson.lexical.skippedNoTerms).toBe(Math.sign(derived));
    expect(byPerson.vector.hits).toHaveLength(memories + Math.max(0, derived - 1));
  });

  test("shows a row once that plain SQL filed under one person twice", async () => {
    const tenantKey = given.freshTenant();
    const { memory } = await given.memory().remember({ tenantKey, subjectKey: RAMESH, text: "tea" });
    await given.sql(
      `insert into demystify_memory.memory (tenant_key, subject_hash, also_hashes, text)
       select tenant_key, subject_hash, array[subject_hash], 'coffee' from demystify_memory.memory where memory_id = $1`,
      [memory.memoryId],
    );

    const { memories } = await answers(tenantKey, RAMESH, 5000);

    expect(memories).toHaveLength(2);
    expect(new Set(memories).size).toBe(2);
  });
});
