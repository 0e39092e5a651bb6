import type { Queryable } from "../database/database.js";
import { failure, ok, type Finding } from "./finding.js";

/** Whether the role may call what other roles were given, and read the two views. */
export async function checkGrants(db: Queryable): Promise<readonly Finding[]> {
  const { rows } = await db.query<{ role: string; usage: boolean; missing: string[]; granted: number }>(
    `with routine as (
       select f.oid, f.proname, f.proowner,
              (select count(*) from aclexplode(f.proacl) a where a.grantee not in (0, f.proowner)) as grants
         from pg_catalog.pg_proc f
         join pg_catalog.pg_namespace n on n.oid = f.pronamespace
        where n.nspname = 'demystify_memory' and f.proname not in ('configure', 'grant_to'))
     select current_user::text as role,
            coalesce((select pg_catalog.has_schema_privilege(n.oid, 'usage')
                        from pg_catalog.pg_namespace n where n.nspname = 'demystify_memory'), false) as usage,
            (select count(*)::int from routine where grants > 0) as granted,
            array(select proname::text from routine
                   where grants > 0 and not pg_catalog.has_function_privilege(oid, 'execute')
                   union all
                  select c.relname::text from pg_catalog.pg_class c
                    join pg_catalog.pg_namespace n on n.oid = c.relnamespace
                   where n.nspname = 'demystify_memory' and c.relname in ('live_memory', 'provenance')
                     and not pg_catalog.has_table_privilege(c.oid, 'select')
                   order by 1) as missing`,
  );
  const { role = "", usage = false, missing = [], granted = 0 } = rows[0] ?? {};
  const remedy = `As the role that installed: demystify-memory grants --app ${role} --apply`;
  if (!usage) return [failure("grants", `${role} may not use the schema demystify_memory`, remedy)];
  if (missing.length === 0)
    return [ok("grants", granted === 0 ? "the role may call everything" : `${granted} functions`)];
  const shown = missing.slice(0, 5).join(", ");
  return [
    failure(
      "grants",
      `${role} lacks ${missing.length} grants: ${shown}${missing.length > 5 ? ", …" : ""}. An auditor lacks them rightly`,
      remedy,
    ),
  ];
}
