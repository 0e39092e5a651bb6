import type { Queryable } from "../database/database.js";

/** What there is to drop. */
export interface Installed {
  readonly database: string;
  /** The role the tables belong to, where it is one of its own. */
  readonly engine: string | null;
}

/** `null`: nothing is installed. Looks at the catalogue only. */
export async function readInstalled(session: Queryable): Promise<Installed | null> {
  const { rows } = await session.query<{ database: string; engine: string | null }>(
    `select current_database()::text as database,
            (select r.rolname::text
               from pg_catalog.pg_class c
               join pg_catalog.pg_roles r on r.oid = c.relowner
              where c.relnamespace = n.oid and c.relname = 'settings' and not r.rolcanlogin) as engine
       from pg_catalog.pg_namespace n
      where n.nspname = 'demystify_memory'`,
  );
  return rows[0] ?? null;
}

/**
 * Drops the schema, and the engine role where nothing else needs it.
 *
 * @returns whether the role is gone
 */
export async function dropSchema(session: Queryable, { engine }: Installed): Promise<boolean> {
  await session.query("drop schema demystify_memory cascade");
  if (engine === null) return false;
  try {
    await session.query(`drop role "${engine.replaceAll('"', '""')}"`);
    return true;
  } catch {
    return false;
  }
}
