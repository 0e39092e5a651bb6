import type { Sql } from "../stores/store.js";
import { withoutRules } from "./rules.js";

const EACH = 1000;

/** Evidence of so many memories erased long ago, a thousand to an erasure. */
export async function putHistory(sql: Sql, tenantKey: string, items: number): Promise<void> {
  await withoutRules(sql, 0, async () => {
    await sql.query(
      `insert into demystify_memory.tombstone
         (tenant_key, tombstone_id, scope, subject_hash, subject_key_id, reason, origin, planned_memories, matched, opened_at)
       select $1, ${id("n", "0")}, 'subject', md5(n::text) || md5(n::text), 'default', 'subject_request', 'forget', $3::int, true,
              '2024-01-01'::timestamptz + n * interval '1 second'
         from generate_series(1, $2::int) n`,
      [tenantKey, Math.ceil(items / EACH), EACH],
    );
    await sql.query(
      `insert into demystify_memory.tombstone_item (tenant_key, item_id, tombstone_id, kind, content_tags)
       select $1, ${id("n", "i")}, ${id("n", "0")}, 'memory',
              array[md5(n::text) || md5(i::text), 'any:' || md5(i::text) || md5(n::text)]
         from generate_series(1, $2::int) n, generate_series(1, $3::int) i`,
      [tenantKey, Math.ceil(items / EACH), EACH],
    );
    await sql.query(
      `insert into demystify_memory.erasure_event (tenant_key, tombstone_id, event, memories)
       select $1, ${id("n", "0")}, e, case e when 'rows_destroyed' then $3::int else 0 end
         from generate_series(1, $2::int) n, unnest(array['rows_destroyed', 'destroyed', 'completed']) e`,
      [tenantKey, Math.ceil(items / EACH), EACH],
    );
  });
}

function id(erasure: string, item: string): string {
  return `('018c0000-0000-7' || lpad(to_hex(${item}::int), 3, '0') || '-8000-' || lpad(to_hex(${erasure}::int), 12, '0'))::uuid`;
}
