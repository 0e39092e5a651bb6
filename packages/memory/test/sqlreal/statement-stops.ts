import type { Sql } from "../support/sql.js";

const TABLES = `select c.relname::text as name from pg_class c
  where c.relnamespace = 'demystify_memory'::regnamespace and c.relkind in ('r', 'p')`;

/**
 * A fault in the database that strikes at the nth statement which writes to any of our tables, wherever that statement
 * stands: in a function, in a trigger, or in what a trigger's own statement set off. Its transaction is undone with it;
 * what was committed before stays. Counted by a sequence, which no rollback turns back.
 */
export async function installStops(sql: Sql): Promise<void> {
  for (const statement of [
    "create schema stops",
    "create sequence stops.statement",
    "create table stops.at (statement bigint)",
    "insert into stops.at values (0)",
    `create function stops.strike() returns trigger language plpgsql security definer as $$
     begin
       if nextval('stops.statement') = (select statement from stops.at) then
         raise exception 'struck' using errcode = 'XX001';
       end if;
       return null;
     end $$`,
  ]) {
    await sql(statement);
  }
  for (const { name } of await sql(TABLES)) {
    await sql(`create trigger aaa_stop before insert or update or delete on demystify_memory.${String(name)}
               for each statement execute function stops.strike()`);
  }
}

/** From now on the nth writing statement fails; 0: none does. */
export async function stopAt(sql: Sql, statement: number): Promise<void> {
  await sql("update stops.at set statement = $1", [statement]);
  await sql("select setval('stops.statement', 1, false)");
}

/** How many writing statements there were since then. */
export async function statementsSince(sql: Sql): Promise<number> {
  const [row] = await sql("select case when is_called then last_value else 0 end::int as count from stops.statement");
  return Number(row?.["count"]);
}
