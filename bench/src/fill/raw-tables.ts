import type { Sql } from "../stores/store.js";

/** `raw.memory` and `raw.derived`: the same columns and indexes, filled with the same rows, and no rule. */
export async function copyToRaw(sql: Sql): Promise<void> {
  await sql.script(`create schema if not exists raw; drop table if exists raw.memory, raw.derived`);
  for (const table of ["memory", "derived"]) {
    await sql.script(`create table raw.${table}
      (like demystify_memory.${table} including defaults including generated including storage)`);
    const { rows } = await sql.query<{ columns: string }>(
      `select string_agg(quote_ident(attname), ', ' order by attnum) as columns from pg_attribute
        where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = ''`,
      [`demystify_memory.${table}`],
    );
    const columns = rows[0]!.columns;
    await sql.script(`insert into raw.${table} (${columns}) select ${columns} from demystify_memory.${table}`);
    const indexes = await sql.query<{ definition: string }>(
      "select pg_get_indexdef(indexrelid) as definition from pg_index where indrelid = $1::regclass",
      [`demystify_memory.${table}`],
    );
    for (const { definition } of indexes.rows) {
      await sql.script(definition.replace(/INDEX \S+ ON demystify_memory\./, "INDEX ON raw."));
    }
  }
  await sql.script("create index on raw.derived (tenant_key, (subject_hashes[1]))");
  for (const table of ["memory", "derived"]) await sql.script(`vacuum analyze raw.${table}`);
}
