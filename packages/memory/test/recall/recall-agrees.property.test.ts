import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { InMemoryStore, Memory, type MemoryOptions, type RecallInput } from "../../src/index.js";
import { requestedLegs } from "../support/legs.js";
import { openPglite, type PostgresLeg } from "../support/postgres-legs.js";

const WORDS = ["invoice", "invoices", "late", "tea", "café", "चाय", "the", "of"];
const PERSONS = ["customer:ramesh", "customer:priya"];
const PEPPER = "a pepper that is only used in this test";

const words = fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 6 });
const embedder = { embed: (texts: readonly string[]) => Promise.resolve(texts.map(vectorOf)) };

const scalar = fc.constantFrom<string | number | boolean | null>(
  1,
  2,
  2.5,
  "a",
  "b",
  "\u{1F600}",
  "\uFFFD",
  true,
  null,
);
const rows = fc.array(
  fc.record({
    words,
    person: fc.constantFrom(...PERSONS),
    kind: fc.constantFrom("note", "chat"),
    value: fc.option(scalar, { nil: undefined }),
    captured: fc.option(fc.constantFrom("2024-01-01T00:00:00.000Z", "2024-02-01T00:00:00.500Z"), { nil: undefined }),
    summarised: fc.boolean(),
  }),
  { minLength: 15, maxLength: 40 },
);

const bound = fc.constantFrom<number | string>(1, 2, "a", "\u{1F600}");
const condition = fc.oneof(
  fc.record({ exists: fc.boolean() }),
  fc.record({ in: fc.array(scalar, { minLength: 1, maxLength: 3 }) }),
  fc.constantFrom("gt", "gte", "lt", "lte").chain((name) => bound.map((value) => ({ [name]: value }))),
);
const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined, freq: 1 });
const queries = fc.record({
  words,
  limit: fc.integer({ min: 1, max: 12 }),
  minScore: fc.constantFrom(0, 0, 0.3, 0.7),
  subjectKey: optional(fc.constantFrom(...PERSONS)),
  kinds: optional(fc.constant(["note"])),
  include: optional(fc.constantFrom("memories" as const, "derived" as const)),
  where: optional(condition.map((value) => ({ value }))),
  capturedAt: optional(fc.constant({ from: "2024-01-15T00:00:00Z" })),
  createdAt: optional(fc.constantFrom({ to: "2020-01-01T00:00:00Z" }, { from: "2020-01-01T00:00:00Z" })),
  strategy: fc.constantFrom(
    { strategy: "lexical" as const },
    { strategy: "bm25" as const },
    { strategy: "bm25" as const, stemming: "english" as const },
    { strategy: "hybrid" as const, stemming: "english" as const },
  ),
  fewRows: fc.constantFrom(5, 10, 5000),
});

describe.skipIf(!requestedLegs().includes("pglite"))("recall in memory and in Postgres", () => {
  let leg: PostgresLeg;
  beforeAll(async () => {
    leg = await openPglite();
  });
  afterAll(() => leg.close());

  test("gives the same rows in the same order with the same scores, however few Postgres looks at", async () => {
    let run = 0;
    await fc.assert(
      fc.asyncProperty(
        rows,
        fc.array(queries, { minLength: 8, maxLength: 8 }),
        fc.boolean(),
        async (stored, asked, hidden) => {
          const tenantKey = `tenant-${String((run += 1))}`;
          const options: MemoryOptions = { embedder, subjectHashPepper: PEPPER };
          const inMemory = new Memory({ ...options, store: new InMemoryStore() });
          const inPostgres = new Memory({ ...options, store: leg.newStore() });
          for (const memory of [inMemory, inPostgres]) {
            await store(memory, tenantKey, stored);
            if (hidden) await memory.erasures.open({ tenantKey, subjectKey: "customer:priya" });
          }

          for (const { words: text, strategy, fewRows, ...filters } of asked) {
            await leg.sql(`set demystify_memory.few_rows = ${String(fewRows)}`);
            const given = Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined));
            const query = { tenantKey, text: text.join(" "), ...strategy, ...given } as RecallInput;

            expect([query, await shown(inPostgres, query)]).toEqual([query, await shown(inMemory, query)]);
          }
        },
      ),
      { numRuns: process.env["LONG"] === undefined ? 12 : 200, seed: 20240504 },
    );
  }, 300_000);
});

type Stored = typeof rows extends fc.Arbitrary<infer Rows> ? Rows : never;

async function store(memory: Memory, tenantKey: string, stored: Stored): Promise<void> {
  const results = await memory.rememberMany(
    stored.map((row, n) => ({
      tenantKey,
      subjectKey: row.person,
      kind: row.kind,
      text: row.words.join(" "),
      metadata: { n, ...(row.value === undefined ? {} : { value: row.value }) },
      ...(row.captured === undefined ? {} : { capturedAt: row.captured }),
    })),
  );
  const summaries = results.flatMap((result, n) => {
    if (!("memory" in result)) throw result.error;
    if (stored[n]?.summarised !== true) return [];
    const { memoryId, text, kind, metadata } = result.memory;
    const sources = [{ sourceKind: "memory" as const, sourceId: memoryId }];
    return [{ tenantKey, kind, text, metadata: { ...metadata, summary: true }, sources }];
  });
  if (summaries.length > 0) await memory.deriveMany(summaries);
}

/** Rounded where vectors have a part in it: the two add up in another precision. */
async function shown(memory: Memory, query: RecallInput): Promise<unknown> {
  const { strategy, hits } = await memory.recall(query);
  return { strategy, hits: hits.map(({ kind, row, score }) => [kind, row.metadata["n"], score]) };
}

/** A direction by the words alone, with no two texts so near that rounding could swap them. */
function vectorOf(text: string): number[] {
  const vector = WORDS.map((word) => text.split(" ").filter((other) => other === word).length);
  return [...vector.map((count, n) => count * (1 + n / 7)), 0.25];
}
