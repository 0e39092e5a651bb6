import type { Bench } from "./server.js";

export interface Graph {
  readonly tenantKey: string;
  /** Persons with their number of memories. */
  readonly persons: readonly { readonly subjectKey: string; readonly memories: number }[];
}

const LEVELS = 6;

/**
 * Puts a store in place: memories of persons, and over each person's memories a pyramid of derived rows, six levels,
 * each with 1 to 50 sources (6.5 on average) from a window of 64. With plain SQL and the triggers off, because going
 * through the gate would take hours; what the triggers fill in, this fills in.
 */
export async function putGraph({ admin, memory }: Bench, { tenantKey, persons }: Graph): Promise<void> {
  await admin.query("set session_replication_role = replica");
  await triggers(admin, "disable");
  try {
    for (const { subjectKey, memories } of persons) {
      const hash = memory.subjectFingerprint(tenantKey, subjectKey);
      await admin.query(PUT_MEMORIES, [tenantKey, subjectKey, hash, memories]);
    }
    for (let level = 1; level <= LEVELS; level++) {
      for (const { subjectKey, memories } of persons) {
        const hash = memory.subjectFingerprint(tenantKey, subjectKey);
        await admin.query(PUT_LEVEL, [tenantKey, hash, level, Math.ceil(memories * SHARES[level - 1]!)]);
      }
    }
    await admin.query(
      "insert into demystify_memory.subject (tenant_key, subject_hash, key_id) select distinct tenant_key, subject_hash, 'default' from demystify_memory.memory where tenant_key = $1 on conflict do nothing",
      [tenantKey],
    );
  } finally {
    await triggers(admin, "enable always");
    await admin.query("set session_replication_role = origin");
  }
  await admin.query("vacuum analyze demystify_memory.memory, demystify_memory.derived");
}

/** Of the memories of a person, how many derived rows a level has. */
const SHARES = [0.4, 0.25, 0.15, 0.1, 0.06, 0.04];

const PUT_MEMORIES = `
  insert into demystify_memory.memory (tenant_key, subject_key, subject_hash, key_id, text, term_hashes)
  select $1, $2, $3, 'default', 'said ' || n || ' ' || repeat(md5(n::text), 8),
         array(select (n * 7919 + k * 104729)::bigint * 2654435761 % 9223372036854775 from generate_series(1, 30) k)
    from generate_series(1, $4::int) n`;

const PUT_LEVEL = `
  with below as (
    select array_agg(id) as ids from (
      select memory_id as id from demystify_memory.memory where $3::int = 1 and tenant_key = $1 and subject_hash = $2
      union all
      select derived_id from demystify_memory.derived
       where $3::int > 1 and tenant_key = $1 and kind = 'level' || chr(96 + $3::int - 1) and subject_hashes @> array[$2::text]) x
  ), made as (
    select n, array(select distinct ids[1 + (start + (random() * 63)::int) % cardinality(ids)]
                      from generate_series(1, 1 + (power(random(), 3) * 22)::int + n * 0)) as sources
      from below, generate_series(1, $4::int) n, lateral (select (random() * cardinality(ids))::int + n * 0 as start) s
  )
  insert into demystify_memory.derived (tenant_key, kind, text, term_hashes, source_memories, source_derived, subject_hashes)
  select $1, 'level' || chr(96 + $3::int), 'summary ' || n || repeat(md5(n::text), 8),
         array(select (n * 7919 + k * 104729)::bigint * 2654435761 % 9223372036854775 from generate_series(1, 30) k),
         case when $3::int = 1 then sources else '{}' end, case when $3::int > 1 then sources else '{}' end, array[$2::text]
    from made where sources <> '{}'`;

async function triggers(admin: Bench["admin"], mode: "disable" | "enable always"): Promise<void> {
  const { rows } = await admin.query<{ relation: string; name: string }>(
    `select tgrelid::regclass::text as relation, tgname::text as name from pg_trigger
      where tgrelid in ('demystify_memory.memory'::regclass, 'demystify_memory.derived'::regclass) and not tgisinternal`,
  );
  for (const { relation, name } of rows) await admin.query(`alter table ${relation} ${mode} trigger ${name}`);
}
