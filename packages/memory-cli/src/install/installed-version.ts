import type { Queryable } from "../database/database.js";

/** The version of the schema; 0: none. `null`: it is there, and this role may not ask. */
export async function installedVersion(db: Queryable): Promise<number | null> {
  const { rows } = await db.query<{ there: boolean; callable: boolean }>(
    `select exists (select from pg_catalog.pg_class c
                     where c.relnamespace = n.oid and c.relname = 'schema_migration') as there,
            pg_catalog.has_schema_privilege(n.oid, 'usage') and coalesce((
              select pg_catalog.has_function_privilege(f.oid, 'execute')
                from pg_catalog.pg_proc f
               where f.pronamespace = n.oid and f.proname = 'capabilities'), false) as callable
       from pg_catalog.pg_namespace n
      where n.nspname = 'demystify_memory'`,
  );
  const { there = false, callable = false } = rows[0] ?? {};
  if (!there) return 0;
  if (!callable) return null;
  const answer = await db.query<{ capabilities: string }>(
    "select demystify_memory.capabilities()::text as capabilities",
  );
  const { version } = JSON.parse(answer.rows[0]?.capabilities ?? "{}") as { version?: number };
  return version ?? 0;
}
