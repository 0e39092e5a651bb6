import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import type { FaultServer } from "./fault-server.js";
import type { Sql } from "./sql.js";

const LOCK = 4711;
const PATIENCE_MS = 20_000;
const TABLES = `select c.relname::text as name from pg_class c
  where c.relnamespace = 'demystify_memory'::regnamespace and c.relkind in ('r', 'p')`;

/**
 * Makes the nth statement that writes to any of our tables wait for a lock, wherever it stands: in a function, in a
 * trigger, or in what a trigger's own statement set off. A fault then strikes exactly there.
 */
export async function installPauses(sql: Sql): Promise<void> {
  for (const statement of [
    "create schema faults",
    "create sequence faults.statement",
    "create table faults.pause_at (statement bigint)",
    "insert into faults.pause_at values (0)",
    `create function faults.wait() returns trigger language plpgsql security definer as $$
     begin
       if nextval('faults.statement') = (select statement from faults.pause_at) then
         perform pg_advisory_xact_lock(${LOCK});
       end if;
       return null;
     end $$`,
  ]) {
    await sql(statement);
  }
  for (const { name } of await sql(TABLES)) {
    await sql(`create trigger aaa_pause before insert or update or delete on demystify_memory.${String(name)}
               for each statement execute function faults.wait()`);
  }
}

/** Takes the pauses away again: `verify_install()` rightly reports triggers of strangers. */
export async function removePauses(sql: Sql): Promise<void> {
  for (const { name } of await sql(TABLES)) await sql(`drop trigger aaa_pause on demystify_memory.${String(name)}`);
  await sql("drop schema faults cascade");
}

/**
 * Runs `work` with its nth writing statement (from 1; 0: none) held back, and `strike` once it waits there. Answers how
 * many writing statements there were, as far as the server lived to count them, and whether it struck.
 */
export async function strikeAt(
  server: FaultServer,
  statement: number,
  work: () => Promise<unknown>,
  strike: () => Promise<unknown>,
): Promise<{ readonly outcome: unknown; readonly struck: boolean; readonly statements: number }> {
  const holder = new pg.Client({ connectionString: server.cluster.url() });
  holder.on("error", () => undefined);
  await holder.connect();
  try {
    await holder.query("update faults.pause_at set statement = $1", [statement]);
    await holder.query("select setval('faults.statement', 1, false)");
    await holder.query("select pg_advisory_lock($1)", [LOCK]);
    let settled = false;
    const outcome = work()
      .catch((error: unknown) => error)
      .finally(() => {
        settled = true;
      });
    const struck = await untilWaiting(holder, () => settled);
    if (struck) await strike();
    else if (statement > 0) await outcome;
    const result = await outcome;
    const statements = struck ? statement : await count(holder);
    return { outcome: result, struck, statements };
  } finally {
    await holder.query("select pg_advisory_unlock_all()").catch(() => undefined);
    await holder.end().catch(() => undefined);
  }
}

async function untilWaiting(holder: pg.Client, isOver: () => boolean): Promise<boolean> {
  const deadline = Date.now() + PATIENCE_MS;
  while (Date.now() < deadline) {
    if (isOver()) return false;
    const { rowCount } = await holder.query(
      `select from pg_locks
        where locktype = 'advisory' and objid = $1::int and classid = 0 and not granted
          and database = (select oid from pg_database where datname = current_database())`,
      [LOCK],
    );
    if (rowCount === 1) return true;
    await pause(2);
  }
  throw new Error("the operation neither came to the statement nor to its end");
}

async function count(holder: pg.Client): Promise<number> {
  const { rows } = await holder.query<{ count: number }>(
    "select case when is_called then last_value else 0 end::int as count from faults.statement",
  );
  return rows[0]!.count;
}
