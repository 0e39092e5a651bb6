import type { Sql } from "../support/sql.js";

/** What live rows and evidence say together about one tenant. */
export interface Ledger {
  /** Rows that live, and rows that the evidence says were destroyed: nothing is ever in neither. */
  readonly memories: number;
  readonly derived: number;
  readonly live: number;
  /** Complete erasures of which a row lives or a copy is neither confirmed nor attested. */
  readonly falselyComplete: readonly string[];
  /** Live rows of an erasure that says it destroyed them. */
  readonly destroyedButLive: readonly string[];
}

/** As the superuser: row-level security would hide what is looked for. */
export async function ledgerOf(sql: Sql, tenantKey: string): Promise<Ledger> {
  const [row] = await sql(
    `with state as (select * from demystify_memory.erasure_state where tenant_key = $1),
     live as (
       select memory_id as id from demystify_memory.memory where tenant_key = $1
       union all select derived_id from demystify_memory.derived where tenant_key = $1),
     covered as (
       select i.tombstone_id from demystify_memory.tombstone_item i
        where i.tenant_key = $1 and (i.item_id in (select id from live)
           or exists (select from demystify_memory.placement p
                       where p.tenant_key = $1 and p.placement_id = i.item_id and p.gone_at is null)
              -- A copy written late is waited for by an erasure of its own, after the first was complete.
              and not exists (select from demystify_memory.tombstone_item j join state s using (tombstone_id)
                               where j.tenant_key = $1 and j.item_id = i.item_id and s.state <> 'complete')))
     select (select count(*)::int from demystify_memory.memory where tenant_key = $1)
              + coalesce((select sum(memories)::int from state), 0) as memories,
            (select count(*)::int from demystify_memory.derived where tenant_key = $1)
              + coalesce((select sum(derived)::int from state), 0) as derived,
            (select count(*)::int from live) as live,
            array(select tombstone_id::text from state
                   where state = 'complete' and tombstone_id in (select tombstone_id from covered)) as "falselyComplete",
            array(select s.tombstone_id::text from state s
                    join demystify_memory.tombstone_item i on i.tenant_key = $1 and i.tombstone_id = s.tombstone_id
                   where s.destroyed_at is not null and i.item_id in (select id from live)) as "destroyedButLive"`,
    [tenantKey],
  );
  return row as unknown as Ledger;
}

/** The ids of rows that an open erasure covers and that still live: no read may show one. */
export async function coveredAndLive(sql: Sql, tenantKey: string): Promise<readonly string[]> {
  const rows = await sql(
    `select i.item_id::text as id from demystify_memory.tombstone_item i
      where i.tenant_key = $1
        and (exists (select from demystify_memory.memory m where m.tenant_key = $1 and m.memory_id = i.item_id)
          or exists (select from demystify_memory.derived d where d.tenant_key = $1 and d.derived_id = i.item_id))`,
    [tenantKey],
  );
  return rows.map(({ id }) => String(id));
}
