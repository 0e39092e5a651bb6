import type { GivenNative } from "../sqlreal/databases.js";
import type { Sql } from "../support/sql.js";

const ENGINE = "demystify_memory_engine";
export const TABLES = [
  "subject",
  "memory",
  "derived",
  "idempotency_key",
  "tombstone",
  "tombstone_item",
  "erasure_event",
  "open_erasure",
  "sink",
  "placement",
  "placement_lease",
  "restriction",
  "restriction_in_force",
  "legal_hold",
  "legal_hold_refusal",
  "subject_key",
  "settings",
  "schema_migration",
  "legal_basis",
] as const;

/** A session as the application's login role, with the rights that grantsSql() gives it. */
export function asApplication<T>(given: GivenNative, tenantKey: string, work: (sql: Sql) => Promise<T>): Promise<T> {
  return given.session({ role: given.appRole, tenantKey }, work);
}

/** A session as a host's own job, which may read, insert and delete in the two payload tables. */
export async function asHostJob<T>(
  given: GivenNative,
  tenantKey: string | undefined,
  work: (sql: Sql) => Promise<T>,
): Promise<T> {
  const role = await given.createRole();
  await given.sql(`grant usage on schema demystify_memory to ${role}`);
  await given.sql(`grant select, insert, delete on demystify_memory.memory, demystify_memory.derived to ${role}`);
  return given.session(tenantKey === undefined ? { role } : { role, tenantKey }, work);
}

/** A session as the role that owns the tables. Nobody can log in as it: a superuser takes it on. */
export function asOwner<T>(given: GivenNative, work: (sql: Sql) => Promise<T>): Promise<T> {
  return given.session({ role: ENGINE }, work);
}

/**
 * A session as a member of the owning role, who takes it on. Roles belong to the whole server, so all of it is one
 * transaction that is never committed; each statement has a savepoint, to which a refused one goes back.
 */
export function asOwnerMember<T>(given: GivenNative, work: (sql: Sql) => Promise<T>): Promise<T> {
  return given.session({}, async (sql) => {
    await sql("begin");
    await sql("create role memory_owner_member");
    await sql(`grant ${ENGINE} to memory_owner_member`);
    await sql("set local session authorization memory_owner_member");
    await sql(`set local role ${ENGINE}`);
    return work(withSavepoints(sql));
  });
}

/** A session as a superuser for whom ordinary triggers are off. */
export function asReplica<T>(given: GivenNative, work: (sql: Sql) => Promise<T>): Promise<T> {
  return given.session({}, async (sql) => {
    await sql("set session_replication_role = replica");
    return work(sql);
  });
}

export function asSuperuser<T>(given: GivenNative, work: (sql: Sql) => Promise<T>): Promise<T> {
  return given.session({}, work);
}

function withSavepoints(sql: Sql): Sql {
  return async (text, params = []) => {
    await sql("savepoint attempt");
    try {
      const rows = await sql(text, params);
      await sql("release savepoint attempt");
      return rows;
    } catch (error) {
      await sql("rollback to savepoint attempt");
      throw error;
    }
  };
}
