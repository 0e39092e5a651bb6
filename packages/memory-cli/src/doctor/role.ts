import type { Queryable } from "../database/database.js";
import { failure, ok, warning, type Finding } from "./finding.js";

interface Role {
  readonly name: string;
  readonly superuser: boolean;
  readonly bypass: boolean;
  readonly owner: string | null;
  readonly isOwner: boolean;
  readonly memberOfOwner: boolean;
  readonly mayConfigure: boolean;
  readonly tenant: string | null;
  readonly fixedTenant: boolean;
  readonly changes: readonly string[];
}

/** An embedded Postgres has one role, and this process is it. */
export function embeddedRole(): Finding {
  return warning(
    "role_superuser",
    "an embedded Postgres has one role, a superuser: row-level security does not hold against this process",
    "For trials that is enough. In production use a server, and a role of its own for the application.",
  );
}

/** The role this connection really has: what row-level security and the grants mean for it. */
export async function checkRole(db: Queryable): Promise<readonly Finding[]> {
  const role = await readRole(db);
  return [
    superuser(role),
    bypass(role),
    membership(role),
    installer(role),
    changesRows(role),
    tenantOfSession(role),
    fixedTenant(role),
  ];
}

async function readRole(db: Queryable): Promise<Role> {
  const { rows } = await db.query<Role>(
    `with installed as (
       select c.relowner as owner
         from pg_catalog.pg_class c
         join pg_catalog.pg_namespace n on n.oid = c.relnamespace
        where n.nspname = 'demystify_memory' and c.relname = 'settings')
     select r.rolname::text as name, r.rolsuper as superuser, r.rolbypassrls as bypass,
            o.rolname::text as owner, coalesce(o.oid = r.oid, false) as "isOwner",
            coalesce(pg_catalog.pg_has_role(r.oid, o.oid, 'member'), false) as "memberOfOwner",
            coalesce((select bool_or(pg_catalog.has_function_privilege(r.oid, f.oid, 'execute'))
                        from pg_catalog.pg_proc f
                        join pg_catalog.pg_namespace n on n.oid = f.pronamespace
                       where n.nspname = 'demystify_memory' and f.proname = 'configure'), false) as "mayConfigure",
            nullif(current_setting('app.current_tenant', true), '') as tenant,
            exists (select from pg_catalog.pg_db_role_setting s, unnest(s.setconfig) v
                     where s.setrole in (0, r.oid)
                       and s.setdatabase in (0, (select d.oid from pg_catalog.pg_database d where d.datname = current_database()))
                       and v like 'app.current\\_tenant=%') as "fixedTenant",
            coalesce((select array_agg(t.relname || ': ' || p order by t.relname, p)
                        from pg_catalog.pg_class t
                        join pg_catalog.pg_namespace n on n.oid = t.relnamespace
                       cross join unnest(array['DELETE', 'UPDATE', 'TRUNCATE']) p
                       where n.nspname = 'demystify_memory' and t.relname in ('memory', 'derived')
                         and pg_catalog.has_table_privilege(r.oid, t.oid, p)), '{}') as changes
       from pg_catalog.pg_roles r
       left join installed i on true
       left join pg_catalog.pg_roles o on o.oid = i.owner
      where r.rolname = current_user`,
  );
  const role = rows[0];
  if (role === undefined) throw new Error("the catalogue does not know the role of this connection");
  return role;
}

const OWN_ROLE =
  "Let the application connect as a role of its own: create role app login …; then demystify-memory grants --app app.";

function superuser({ name, superuser: is }: Role): Finding {
  return is
    ? failure(
        "role_superuser",
        `${name} is a superuser: row-level security and every right are ignored, so one wrong query reads every tenant`,
        OWN_ROLE,
      )
    : ok("role_superuser", `${name} is no superuser`);
}

function bypass({ name, bypass: is, superuser: all }: Role): Finding {
  if (all) return failure("role_bypasses_rls", `${name} bypasses row-level security, being a superuser`, OWN_ROLE);
  return is
    ? failure(
        "role_bypasses_rls",
        `${name} has BYPASSRLS, as default roles of some hosts do: it reads every tenant`,
        `alter role ${name} nobypassrls; or: ${OWN_ROLE}`,
      )
    : ok("role_bypasses_rls", "row-level security holds for this role");
}

function membership({ name, superuser: all, owner, isOwner, memberOfOwner }: Role): Finding {
  if (owner === null) return ok("role_is_engine", "nothing is installed that it could own");
  if (isOwner) {
    return warning(
      "role_is_engine",
      `${name} owns the tables and functions, so it could switch rules off`,
      `${OWN_ROLE} Where the installer may create roles, migrating gives the tables to a role that cannot log in.`,
    );
  }
  if (memberOfOwner && !all) {
    return failure(
      "role_is_engine",
      `${name} is a member of ${owner}, whose policies see every tenant`,
      `revoke ${owner} from ${name};`,
    );
  }
  return ok("role_is_engine", `the tables belong to ${owner}`);
}

function installer({ name, mayConfigure, superuser: all, isOwner }: Role): Finding {
  return mayConfigure && !all && !isOwner
    ? warning(
        "role_is_installer",
        `${name} has the rights of the installer: it may change settings, and insert and delete rows in SQL`,
        OWN_ROLE,
      )
    : ok("role_is_installer", mayConfigure ? "see the checks above" : "it may not change the installation");
}

function changesRows({ name, changes, superuser: all }: Role): Finding {
  if (changes.length === 0) return ok("role_changes_rows", "it can neither delete nor update rows in SQL");
  return warning(
    "role_changes_rows",
    all ? `${name} can delete rows in SQL, being a superuser` : `${name} can change rows in SQL: ${changes.join(", ")}`,
    "An application needs none of this: revoke it, and leave erasing to forget. A DELETE in SQL is recorded as one.",
  );
}

/** The trap of retention jobs: under forced row-level security an owner without a tenant deletes nothing, silently. */
function tenantOfSession({ name, changes, tenant, superuser: all, bypass: free }: Role): Finding {
  if (tenant !== null) {
    return warning(
      "session_tenant",
      "the session carries a tenant from its start: through a pool it is inherited by whoever borrows the connection",
      "Set app.current_tenant inside a transaction, with set_config(…, true).",
    );
  }
  if (changes.length > 0 && !all && !free) {
    return warning(
      "session_tenant",
      `${name} may DELETE but no tenant is set: its DELETE removes nothing, and reports success`,
      "In a job, begin; select set_config('app.current_tenant', 'the tenant', true); delete …; commit; for each tenant.",
    );
  }
  return ok("session_tenant", "no tenant stays in the session");
}

function fixedTenant({ name, fixedTenant: is }: Role): Finding {
  return is
    ? failure(
        "role_has_fixed_tenant",
        `app.current_tenant is set for ${name}, or for the database: every session starts in one tenant`,
        `alter role ${name} reset app.current_tenant; and the same of the database.`,
      )
    : ok("role_has_fixed_tenant", "no tenant is set for the role or the database");
}
