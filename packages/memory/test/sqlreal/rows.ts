import { subjectHash } from "../../src/index.js";
import type { Row, Sql } from "../support/sql.js";

/** A memory as a host's own SQL would insert it. Answers its id. */
export async function insertMemory(
  sql: Sql,
  given: {
    readonly tenantKey: string;
    readonly subjectKey?: string;
    readonly text?: string;
    readonly alsoAbout?: string;
  },
): Promise<string> {
  const { tenantKey, subjectKey = "customer:ramesh", text = "prefers a call in the evening", alsoAbout } = given;
  const also = alsoAbout === undefined ? [] : [subjectHash({ tenantKey, subjectKey: alsoAbout })];
  const [row] = await sql(
    `insert into demystify_memory.memory (tenant_key, subject_key, subject_hash, also_hashes, text)
     values ($1, $2, $3, $4, $5) returning memory_id::text as id`,
    [tenantKey, subjectKey, subjectHash({ tenantKey, subjectKey }), also, text],
  );
  return String(row?.["id"]);
}

/** A derived row, likewise. */
export async function insertDerived(
  sql: Sql,
  given: {
    readonly tenantKey: string;
    readonly memories?: readonly string[];
    readonly derived?: readonly string[];
    readonly text?: string;
    readonly kind?: string;
  },
): Promise<string> {
  const { tenantKey, memories = [], derived = [], text = "a summary of what was said", kind = "summary" } = given;
  const [row] = await sql(
    `insert into demystify_memory.derived (tenant_key, kind, text, source_memories, source_derived)
     values ($1, $2, $3, $4, $5) returning derived_id::text as id`,
    [tenantKey, kind, text, memories, derived],
  );
  return String(row?.["id"]);
}

/** A memory, a summary of it, and a summary of that summary, inserted by plain SQL. */
export async function insertLineage(
  sql: Sql,
  given: { readonly tenantKey: string; readonly subjectKey?: string; readonly text?: string },
): Promise<{ readonly memory: string; readonly weekly: string; readonly monthly: string }> {
  const { tenantKey, text } = given;
  const memory = await insertMemory(sql, given);
  const said = text === undefined ? {} : { text };
  const weekly = await insertDerived(sql, { tenantKey, memories: [memory], ...said });
  const monthly = await insertDerived(sql, { tenantKey, derived: [weekly], ...said });
  return { memory, weekly, monthly };
}

/** How many rows of either kind a tenant has; as the superuser, who sees all. */
export async function liveRows(sql: Sql, tenantKey: string): Promise<{ memories: number; derived: number }> {
  const [row] = await sql(
    `select (select count(*)::int from demystify_memory.memory where tenant_key = $1) as memories,
            (select count(*)::int from demystify_memory.derived where tenant_key = $1) as derived`,
    [tenantKey],
  );
  return row as { memories: number; derived: number };
}

/** The tombstones of a tenant, oldest first, with what was destroyed under each. */
export async function tombstonesOf(sql: Sql, tenantKey: string): Promise<readonly Row[]> {
  return sql(
    `select t.tombstone_id::text as id, t.scope, t.origin, t.reason, t.subject_hash, s.state,
            s.memories::int, s.derived::int, s.edges::int, s.cascade_depth::int as depth
       from demystify_memory.tombstone t
       join demystify_memory.erasure_state s using (tenant_key, tombstone_id)
      where t.tenant_key = $1
      order by t.opened_at, t.subject_hash`,
    [tenantKey],
  );
}
