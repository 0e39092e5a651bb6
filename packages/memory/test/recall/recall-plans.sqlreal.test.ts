import type pg from "pg";
import { beforeAll, expect, test } from "vitest";
import { describeEachDatabase, describeNative } from "../sqlreal/databases.js";

describeEachDatabase("the statements of recall", (given) => {
  test.each([
    ["recall_known", ["enable_seqscan=off"]],
    ["recall_tier", ["enable_seqscan=off"]],
    ["recall_bm25", ["enable_seqscan=off"]],
    ["compare_vectors", ["enable_seqscan=off", "enable_sort=off"]],
    ["hits_json", ["enable_seqscan=off", "enable_hashjoin=off", "enable_mergejoin=off"]],
  ])("of %s are pinned, with JIT off", async (name, pins) => {
    const [routine] = await given.sql(
      "select proconfig as settings from pg_proc where pronamespace = 'demystify_memory'::regnamespace and proname = $1",
      [name],
    );

    expect(routine?.["settings"]).toEqual(expect.arrayContaining([...pins, "jit=off"]));
  });

  test("compare the tenant where no index leads with it, wherever terms are to be found by index", async () => {
    const [row] = await given.sql("select demystify_memory.recall_statement('memory', 'by terms') as sql");

    expect(row?.["sql"]).toContain("r.tenant_key || '' = $1");
  });

  test("ask for few combinations of terms, however many terms there are", async () => {
    const plans = await given.sql(
      `select n, size, (demystify_memory.tier_plan(array_fill(20, array[n]), 1000, 1e6, size)).*
         from generate_series(1, 40) n, generate_series(1, n) size`,
    );

    for (const { n, size, chosen } of plans as unknown as { n: number; size: number; chosen: number }[]) {
      expect(chosen).toBeGreaterThan(0);
      expect(chosen).toBeLessThanOrEqual(size);
      if (chosen > 1) expect(combinations(n - size + chosen, chosen)).toBeLessThanOrEqual(45);
    }
  });

  test("find by combinations just the rows with so many of the terms", async () => {
    const found = await given.sql(
      `with rows as (
         select s as n, array(select t::bigint from generate_series(1, 6) t where s & (1 << t - 1) > 0) as term_hashes from generate_series(0, 63) s
       ), plans as (
         select size, demystify_memory.tier_condition('{1,2,3,4,5,6}', '{0,1,2,3,4,5}', '{5,4,3,2,1,0}', size, chosen) as condition
           from generate_series(1, 6) size, lateral demystify_memory.tier_plan('{1,1,1,1,1,1}', 1000, 1e6, size)
       )
       select size, condition from plans order by size`,
    );

    for (const { size, condition } of found as unknown as { size: number; condition: string }[]) {
      const missed = await given.sql(
        `select r.term_hashes from (
           select array(select t::bigint from generate_series(1, 6) t where s & (1 << t - 1) > 0) as term_hashes from generate_series(0, 63) s) r
          where cardinality(r.term_hashes) >= ${String(size)} and not (${condition})`,
      );
      expect([size, missed]).toEqual([size, []]);
    }
  });
});

function combinations(all: number, chosen: number): number {
  let count = 1;
  for (let i = 1; i <= chosen; i++) count = (count * (all - chosen + i)) / i;
  return Math.round(count);
}

const ROWS = 30_000;
const TENANT = "large";

describeNative("a recall by terms among thirty thousand rows of one tenant", (given) => {
  let client: pg.Client;
  beforeAll(async () => {
    await fill(given.sql);
    client = await given.connect();
  }, 120_000);

  /** How many rows and index entries the server reads, and the answer's coverage. */
  const asking = async (terms: readonly number[], filter: object = {}) => {
    const counted = async () => {
      await client.query("select pg_stat_force_next_flush()");
      const [row] = await given.sql(
        `select (select sum(seq_tup_read + coalesce(idx_tup_fetch, 0)) from pg_stat_user_tables where schemaname = 'demystify_memory')::int as rows`,
      );
      return Number(row?.["rows"]);
    };
    const before = await counted();
    const { rows } = await client.query<{ answer: string }>(
      `select demystify_memory.recall_lexical($1, $2::bigint[], $3::int[], null, null, $4::jsonb, 10, 0) as answer`,
      [TENANT, terms, terms.map((_, n) => n), JSON.stringify(filter)],
    );
    const { hits, coverage } = JSON.parse(rows[0]?.answer ?? "") as {
      hits: { score: number }[];
      coverage: { considered: number; partial?: boolean };
    };
    return { read: (await counted()) - before, scores: hits.map(({ score }) => score), coverage };
  };

  test("does not sort what every row holds: it meets the newest by walking back in time", async () => {
    const { read, scores, coverage } = await asking([2]);

    expect(scores).toEqual(Array.from({ length: 10 }, () => 1));
    expect(coverage.partial).toBe(true);
    expect(read).toBeLessThan(ROWS / 5);
  });

  test("finds a rare term by index, however common the others are", async () => {
    const { read, scores } = await asking([2, 3, 997]);

    expect(scores.length).toBe(10);
    expect(scores[0]).toBeGreaterThan(0.6);
    expect(read).toBeLessThan(ROWS / 5);
  });

  test("with terms that no row holds looks at few rows all the same", async () => {
    const { read, scores } = await asking([100_003, 100_019, 100_043]);

    expect(scores).toEqual([]);
    expect(read).toBeLessThan(ROWS / 5);
  });

  test("of many words asks for combinations of the rare ones", async () => {
    const { read, scores } = await asking([2, 3, 5, 7, 11, 101, 103, 107, 109, 113]);

    expect(scores.length).toBe(10);
    expect(read).toBeLessThan(ROWS / 2);
  });

  test("costs the same after a history of erasures: what hides is the work list, not the evidence", async () => {
    const before = await asking([2, 3, 997]);
    await given.sql("alter table demystify_memory.tombstone_item disable trigger user");
    await given.sql(
      `insert into demystify_memory.tombstone_item (tenant_key, item_id, tombstone_id, kind)
       select $1, gen_random_uuid(), gen_random_uuid(), 'memory' from generate_series(1, 50000)`,
      [TENANT],
    );

    const after = await asking([2, 3, 997]);

    expect(after.read - before.read).toBeLessThan(100);
  });
});

/** A row holds the primes that divide its number: a word in two rows, one in three, one in five, … */
async function fill(sql: (text: string) => Promise<unknown>): Promise<void> {
  await sql("alter table demystify_memory.memory disable trigger user");
  await sql(
    `insert into demystify_memory.memory (tenant_key, subject_hash, text, term_hashes, created_at)
     select '${TENANT}', encode(sha256((n % 500)::text::bytea), 'hex'), 'said ' || n,
            array(select p::bigint from unnest(array[2,3,5,7,11,13,17,101,103,107,109,113,997]) p where n % p = 0),
            timestamptz '2024-01-01' + n * interval '1 minute'
       from generate_series(1, ${String(ROWS)}) n`,
  );
  await sql("vacuum analyze demystify_memory.memory");
}
