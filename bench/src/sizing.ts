import { openBench } from "./server.js";
import { putGraph } from "./graph.js";

const MEMORIES = 40_000;
const PERSONS = 8;
const VECTORS = 384;

/** Measures what a row takes on disk, by table and kind of index, so that a store can be planned. */
export async function main(): Promise<void> {
  const bench = await openBench();
  try {
    const { admin, version } = bench;
    const tenantKey = "bench sizing";
    const persons = Array.from({ length: PERSONS }, (_, n) => ({ subjectKey: `person:${n}`, memories: MEMORIES / PERSONS }));
    await putGraph(bench, { tenantKey, persons });
    console.log(`PostgreSQL ${version}; ${MEMORIES} memories of about 270 characters and 30 terms, as many derived rows\n`);
    await table(bench, "without vectors");

    await admin.query("set session_replication_role = replica");
    for (const name of ["memory", "derived"]) {
      await admin.query(`alter table demystify_memory.${name} disable trigger user`);
      await admin.query(
        `update demystify_memory.${name} r
            set embedding = array(select (random() - 0.5)::real from generate_series(1, ${VECTORS}) g where r.text is not null)`,
      );
      await admin.query(`alter table demystify_memory.${name} enable trigger user`);
      await admin.query(`vacuum full analyze demystify_memory.${name}`);
    }
    await admin.query("set session_replication_role = origin");
    await table(bench, `with vectors of ${VECTORS}`);

    const before = await bytes(bench, "tombstone_item");
    for (const { subjectKey } of persons.slice(0, 2)) await bench.memory.forget({ tenantKey, subjectKey });
    const items = await count(bench, "tombstone_item");
    console.log(`evidence: ${((await bytes(bench, "tombstone_item")) - before) / items} bytes for each erased row`);
  } finally {
    await bench.remove();
  }
}

async function table({ admin }: Awaited<ReturnType<typeof openBench>>, title: string): Promise<void> {
  console.log(`${title}: bytes a row`);
  for (const name of ["memory", "derived"]) {
    const { rows } = await admin.query<{ part: string; bytes: string }>(
      `with n as (select count(*)::numeric as rows from demystify_memory.${name})
       select 'heap' as part, round(pg_relation_size('demystify_memory.${name}') / n.rows, 1) as bytes from n
       union all select 'toast', round((pg_table_size('demystify_memory.${name}') - pg_relation_size('demystify_memory.${name}')) / n.rows, 1) from n
       union all select i.indexrelid::regclass::text, round(pg_relation_size(i.indexrelid) / n.rows, 1)
         from n, pg_index i where i.indrelid = 'demystify_memory.${name}'::regclass
       union all select 'all', round(pg_total_relation_size('demystify_memory.${name}') / n.rows, 1) from n`,
    );
    for (const { part, bytes } of rows) console.log(`  ${name}: ${part.replace("demystify_memory.", "")} ${bytes}`);
  }
}

async function bytes({ admin }: Awaited<ReturnType<typeof openBench>>, name: string): Promise<number> {
  const { rows } = await admin.query<{ bytes: string }>(`select pg_total_relation_size('demystify_memory.${name}') as bytes`);
  return Number(rows[0]?.bytes);
}

async function count({ admin }: Awaited<ReturnType<typeof openBench>>, name: string): Promise<number> {
  const { rows } = await admin.query<{ n: string }>(`select count(*) as n from demystify_memory.${name}`);
  return Number(rows[0]?.n);
}
