import type { Sql } from "../stores/store.js";

/**
 * Does work with every trigger of the schema off, and with its indexes away where there is much to do: a store is put
 * in place in minutes, not hours. What the triggers fill in, the work fills in. Everything is back afterwards.
 */
export async function withoutRules(sql: Sql, rows: number, work: () => Promise<void>): Promise<void> {
  const indexes = rows >= MANY ? await dropIndexes(sql) : [];
  await setTriggers(sql, "disable");
  try {
    await work();
  } finally {
    await setTriggers(sql, "enable always");
    for (const index of indexes) await sql.script(index);
  }
  await sql.script("vacuum analyze");
}

const MANY = 20_000;

const TABLES = "('demystify_memory.memory'::regclass, 'demystify_memory.derived'::regclass)";

async function dropIndexes(sql: Sql): Promise<readonly string[]> {
  const { rows } = await sql.query<{ definition: string; name: string }>(
    `select pg_get_indexdef(indexrelid) as definition, indexrelid::regclass::text as name
       from pg_index where indrelid in ${TABLES} and not indisprimary`,
  );
  for (const { name } of rows) await sql.script(`drop index ${name}`);
  return rows.map(({ definition }) => definition);
}

async function setTriggers(sql: Sql, mode: "disable" | "enable always"): Promise<void> {
  const { rows } = await sql.query<{ relation: string; name: string }>(
    `select tgrelid::regclass::text as relation, quote_ident(tgname) as name
       from pg_trigger t join pg_class c on c.oid = t.tgrelid
      where c.relnamespace = 'demystify_memory'::regnamespace and not tgisinternal`,
  );
  await sql.script(rows.map(({ relation, name }) => `alter table ${relation} ${mode} trigger ${name}`).join(";\n"));
}
