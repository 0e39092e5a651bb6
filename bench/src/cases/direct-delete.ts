import { alternate, type Variant } from "../measure.js";
import { timed } from "../result/row.js";
import type { Person } from "../fill/graph-shape.js";
import type { Sql } from "../stores/store.js";
import { SQL_STORES, type GrowthCase } from "./case.js";

/** A plain DELETE, which cascades and writes evidence, against the same cascade on tables without evidence. */
export const directDelete: GrowthCase = {
  name: "direct-delete",
  stores: SQL_STORES,
  run: async ({ store: { sql, memory }, tenantKey, scale, victims }, give) => {
    if (sql === null) return;
    await sql.script(CASCADE);
    const measure = async (persons: readonly Person[], memories: string) => {
      const counts: number[] = [];
      const deleteFrom = (schema: string, name: string): Variant => ({
        name,
        prepare: async (round) => {
          const hash = memory.subjectFingerprint(tenantKey, persons[round]!.subjectKey);
          if (schema === "raw") counts.push(await derivedRows(sql, tenantKey, hash));
          return () =>
            sql.query(`delete from ${schema}.memory where tenant_key = $1 and subject_hash = $2`, [tenantKey, hash]);
        },
      });
      const [a, b] = await alternate({ rounds: persons.length - 1, seconds: scale.batches.seconds }, [
        deleteFrom("demystify_memory", "DELETE"),
        deleteFrom("raw", "DELETE with the cascade alone"),
      ]);
      await nothingLeft(sql, tenantKey, memory.subjectFingerprint(tenantKey, persons[1]!.subjectKey));
      const rows = persons[1]!.memories + (counts[1] ?? 0);
      const work = `DELETE of ${memories} memories, about ${rows.toLocaleString("en")} rows`;
      give(timed({ work, ours: a!, raw: b, per: rows, targets: [{ of: "ratio", atMost: 4 }] }));
    };
    await measure(victims.deleteTen, "10");
    if (victims.deleteThousand.length > 0) await measure(victims.deleteThousand, "1,000");
  },
};

async function derivedRows(sql: Sql, tenantKey: string, hash: string): Promise<number> {
  const { rows } = await sql.query<{ n: number }>(
    "select count(*)::int as n from raw.derived where tenant_key = $1 and subject_hashes[1] = $2",
    [tenantKey, hash],
  );
  return rows[0]!.n;
}

// Both cascades must have done the work that is compared: what no source reaches stays in both.
async function nothingLeft(sql: Sql, tenantKey: string, hash: string): Promise<void> {
  const { rows } = await sql.query<{ ours: number; raw: number }>(
    `select (select count(*)::int from demystify_memory.derived where tenant_key = $1 and subject_hashes @> array[$2::text]) as ours,
            (select count(*)::int from raw.derived where tenant_key = $1 and subject_hashes[1] = $2::text) as raw`,
    [tenantKey, hash],
  );
  if (rows[0]!.ours !== 0 || rows[0]!.raw !== 0) throw new Error("a cascade left rows behind: nothing can be compared");
}

const CASCADE = `
  create or replace function raw.cascade() returns trigger language plpgsql
    set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off as $$ begin
      if not exists (select from old_rows) then return null; end if;
      if tg_argv[0] = 'memory' then
        delete from raw.derived d using (select o.tenant_key, o.memory_id as id from old_rows o) o
          where d.source_memories @> array[o.id] and d.tenant_key || '' = o.tenant_key;
      else
        delete from raw.derived d using (select o.tenant_key, o.derived_id as id from old_rows o) o
          where d.source_derived @> array[o.id] and d.tenant_key || '' = o.tenant_key;
      end if;
      return null; end $$;
  drop trigger if exists cascades on raw.memory;
  drop trigger if exists cascades on raw.derived;
  create trigger cascades after delete on raw.memory referencing old table as old_rows
    for each statement execute function raw.cascade('memory');
  create trigger cascades after delete on raw.derived referencing old table as old_rows
    for each statement execute function raw.cascade('derived');`;
