import { InstallError, type Queryable } from "@demystify/memory";
import { codeOf, type WorkerMemory } from "../worker-memory.js";
import { openErasureMetrics } from "./erasure-metrics.js";
import { formatMetrics, type Metric } from "./prometheus-format.js";

/**
 * The metrics of the whole installation in the text format of Prometheus, from plain SQL.
 *
 * The role must see every tenant: SELECT on the tables, and no row-level security (BYPASSRLS). Under row-level security
 * the same statements count nothing, and nothing open is what an operator wants to read: so it refuses instead.
 *
 * @throws InstallError where the role does not see every tenant, or nothing is installed
 */
export async function prometheusText(db: Queryable): Promise<string> {
  await mustSeeEverything(db);
  const [open, unconfirmed, attempts, totals] = await Promise.all([
    rowsOf<{ state: string; erasures: number; oldest: number }>(db, OPEN),
    rowsOf<{ sink: string; copies: number }>(db, UNCONFIRMED),
    rowsOf<{ sink: string; outcome: string; attempts: number }>(db, ATTEMPTS),
    rowsOf<{ late_writes: number; unknown_ratio: number; schema_version: number }>(db, TOTALS),
  ]);
  const count = (state: string) => open.find((row) => row.state === state)?.erasures ?? 0;
  const total = totals[0] ?? { late_writes: 0, unknown_ratio: 0, schema_version: 0 };
  return formatMetrics([
    ...openErasureMetrics({
      byState: { in_progress: count("in_progress"), escalated: count("escalated") },
      oldestSeconds: Math.max(0, ...open.map(({ oldest }) => oldest)),
      unconfirmed: new Map(unconfirmed.map(({ sink, copies }) => [sink, copies])),
    }),
    {
      name: "destruction_attempts_total",
      type: "counter",
      help: "How tries to destroy a copy ended, by sink and outcome.",
      samples: attempts.map(({ sink, outcome, attempts: value }) => ({ labels: { sink, outcome }, value })),
    },
    single("late_writes_total", "counter", "Copies written, or found again, after their erasure.", total.late_writes),
    single(
      "provenance_unknown_ratio",
      "gauge",
      "Share of memories whose derivations nobody recorded.",
      total.unknown_ratio,
    ),
    single("schema_version", "gauge", "The newest migration that ran.", total.schema_version),
  ]);
}

/**
 * The metrics of open erasures of these tenants, through the library: what the application's own role can see. What
 * takes the whole installation is left out.
 *
 * @throws whatever the store throws: some tenants are not taken for all of them
 */
export async function prometheusTextFrom(options: {
  readonly memory: Pick<WorkerMemory, "erasures">;
  readonly tenantKeys: readonly string[];
}): Promise<string> {
  const byState = { in_progress: 0, escalated: 0 };
  const unconfirmed = new Map<string, number>();
  let oldest = Number.POSITIVE_INFINITY;
  for (const tenantKey of options.tenantKeys) {
    for (const state of ["in_progress", "escalated"] as const) {
      let cursor: string | undefined;
      do {
        const from = cursor === undefined ? {} : { cursor };
        const page = await options.memory.erasures.list({ tenantKey, state, limit: 200, ...from });
        byState[state] += page.receipts.length;
        for (const { openedAt, outstanding } of page.receipts) {
          oldest = Math.min(oldest, Date.parse(openedAt));
          for (const { sink } of outstanding) unconfirmed.set(sink, (unconfirmed.get(sink) ?? 0) + 1);
        }
        cursor = page.nextCursor ?? undefined;
      } while (cursor !== undefined);
    }
  }
  const oldestSeconds = Number.isFinite(oldest) ? Math.max(0, (Date.now() - oldest) / 1000) : 0;
  return formatMetrics(openErasureMetrics({ byState, oldestSeconds, unconfirmed }));
}

function single(name: string, type: Metric["type"], help: string, value: number): Metric {
  return { name, type, help, samples: [{ value }] };
}

async function mustSeeEverything(db: Queryable): Promise<void> {
  const help =
    "Read metrics as a role with BYPASSRLS and SELECT on the schema demystify_memory, or use prometheusTextFrom with the tenants.";
  let sees: boolean | undefined;
  try {
    [{ sees } = { sees: undefined }] = await rowsOf<{ sees: boolean }>(db, SEES);
  } catch (thrown) {
    throw new InstallError(`the schema cannot be read (${codeOf(thrown)})`, help);
  }
  if (sees !== true) throw new InstallError("this role does not see every tenant, so what it counts is not all", help);
}

async function rowsOf<Row>(db: Queryable, sql: string): Promise<readonly Row[]> {
  return (await db.query(sql)).rows as readonly Row[];
}

const TABLES = ["tombstone", "tombstone_item", "erasure_event", "placement", "memory", "schema_migration"];

const SEES = `
  select bool_and(has_table_privilege(c.oid, 'select')
                  and (c.relname = 'schema_migration' or not row_security_active(c.oid))) as sees
    from pg_catalog.pg_class c
   where c.relnamespace = 'demystify_memory'::regnamespace and c.relname in (${TABLES.map((name) => `'${name}'`).join(", ")})`;

const OPEN = `
  select x.state, count(*)::int as erasures, extract(epoch from clock_timestamp() - min(x.opened_at))::float8 as oldest
    from (
      select t.opened_at,
             case when exists (
                    select from demystify_memory.erasure_event e
                     where e.tenant_key = t.tenant_key and e.tombstone_id = t.tombstone_id and e.event = 'escalated')
                  then 'escalated' else 'in_progress' end as state
        from demystify_memory.tombstone t
       where not exists (
         select from demystify_memory.erasure_event e
          where e.tenant_key = t.tenant_key and e.tombstone_id = t.tombstone_id and e.event = 'completed')) x
   group by x.state`;

const UNCONFIRMED = `
  select p.sink, count(*)::int as copies
    from demystify_memory.placement p
   where p.gone_at is null and exists (
     select from demystify_memory.tombstone_item i
      where i.tenant_key = p.tenant_key and i.item_id = p.placement_id and i.kind = 'placement')
   group by p.sink order by p.sink`;

const ATTEMPTS = `
  select p.sink,
         case when e.event <> 'attempt' then e.event
              when e.code is not null then 'failed'
              when e.proof in ('requested', 'acknowledged') then e.proof
              else 'rejected' end as outcome,
         count(*)::int as attempts
    from demystify_memory.erasure_event e
    join demystify_memory.placement p on p.tenant_key = e.tenant_key and p.placement_id = e.placement_id
   where e.event in ('attempt', 'confirmed', 'attested')
   group by 1, 2 order by 1, 2`;

const TOTALS = `
  select (select count(*)::int from demystify_memory.erasure_event where event = 'late_write')
           + (select count(*)::int from demystify_memory.tombstone where origin = 'late_write') as late_writes,
         (select coalesce(avg(case when provenance_known then 0 else 1 end), 0)::float8
            from demystify_memory.memory) as unknown_ratio,
         (select coalesce(max(version), 0) from demystify_memory.schema_migration) as schema_version`;
