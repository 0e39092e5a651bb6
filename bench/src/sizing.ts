import { putGraph } from "./fill/graph-sql.js";
import { withoutRules } from "./fill/rules.js";
import { openPostgres, startServer } from "./stores/postgres.js";
import type { Sql } from "./stores/store.js";

const MEMORIES = 40_000;
const PERSONS = 8;
const NUMBERS = 384;
const TABLES = ["memory", "derived"];

/** Prints what a row takes on disk, by part of its table, so that a large store can be planned: docs/guides/scale.md. */
export async function main(): Promise<void> {
  const cluster = await startServer();
  try {
    const store = await openPostgres(cluster, "sizing");
    const sql = store.sql ?? noServer();
    const tenantKey = "sizing";
    const persons = Array.from({ length: PERSONS }, (_, n) => ({
      subjectKey: `person:${String(n)}`,
      memories: MEMORIES / PERSONS,
    }));
    await putGraph(sql, store.memory, tenantKey, persons);
    const { rows } = await sql.query<{ length: number; terms: number }>(
      "select avg(length(text))::int as length, avg(cardinality(term_hashes))::int as terms from demystify_memory.memory",
    );
    process.stdout.write(`texts of ${String(rows[0]?.length)} characters with ${String(rows[0]?.terms)} terms\n`);
    await printSizes(sql, "without vectors");

    await withoutRules(sql, MEMORIES, () => putVectors(sql));
    await printSizes(sql, `with vectors of ${String(NUMBERS)}`);

    const before = await bytesOf(sql, "tombstone_item");
    for (const { subjectKey } of persons.slice(0, 2)) await store.memory.forget({ tenantKey, subjectKey });
    const [items] = (await sql.query<{ n: number }>("select count(*)::int as n from demystify_memory.tombstone_item"))
      .rows;
    const evidence = ((await bytesOf(sql, "tombstone_item")) - before) / (items?.n ?? 0);
    process.stdout.write(`evidence: ${evidence.toFixed(0)} bytes for each erased row\n`);
    await store.close();
  } finally {
    await cluster.remove();
  }
}

async function putVectors(sql: Sql): Promise<void> {
  for (const name of TABLES) {
    await sql.query(
      `update demystify_memory.${name} r
          set embedding = array(select (random() - 0.5)::real from generate_series(1, ${String(NUMBERS)}) where r.text is not null)`,
    );
    await sql.script(`vacuum full demystify_memory.${name}`);
  }
}

async function printSizes(sql: Sql, title: string): Promise<void> {
  process.stdout.write(`${title}: bytes a row\n`);
  for (const name of TABLES) {
    const table = `'demystify_memory.${name}'::regclass`;
    const { rows } = await sql.query<{ part: string; bytes: number }>(
      `select x.part, round(x.bytes / (select count(*) from demystify_memory.${name}))::int as bytes
         from (select 'row' as part, pg_relation_size(${table})::numeric as bytes
               union all select 'outside the row', pg_table_size(${table}) - pg_relation_size(${table})
               union all select c.relname, pg_relation_size(c.oid)
                 from pg_index i join pg_class c on c.oid = i.indexrelid where i.indrelid = ${table}
               union all select 'all', pg_total_relation_size(${table})) x`,
    );
    for (const { part, bytes } of rows) process.stdout.write(`  ${name}: ${part} ${String(bytes)}\n`);
  }
}

async function bytesOf(sql: Sql, name: string): Promise<number> {
  const { rows } = await sql.query<{ bytes: string }>(
    `select pg_total_relation_size('demystify_memory.${name}') as bytes`,
  );
  return Number(rows[0]?.bytes);
}

function noServer(): never {
  throw new Error("a server is measured, and this store has none");
}
