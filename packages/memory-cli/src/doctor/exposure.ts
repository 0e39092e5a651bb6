import type { Queryable } from "../database/database.js";
import { failure, ok, warning, type Finding } from "./finding.js";

/** Roles that hosts give to whoever calls their web interface. */
const WEB_ROLES = ["anon", "authenticated", "service_role", "web_anon"];

/** Whether somebody reaches the schema who should not. */
export async function checkExposure(db: Queryable): Promise<readonly Finding[]> {
  return [await checkGrantees(db), await checkWebInterface(db), await checkSearchPath(db), await checkLogging(db)];
}

async function checkGrantees(db: Queryable): Promise<Finding> {
  const { rows } = await db.query<{ grantee: string }>(
    `with acl as (
       select a.grantee from pg_catalog.pg_namespace n, aclexplode(n.nspacl) a where n.nspname = 'demystify_memory'
       union
       select a.grantee from pg_catalog.pg_class c
         join pg_catalog.pg_namespace n on n.oid = c.relnamespace, aclexplode(c.relacl) a
        where n.nspname = 'demystify_memory'
       union
       select a.grantee from pg_catalog.pg_proc f
         join pg_catalog.pg_namespace n on n.oid = f.pronamespace, aclexplode(f.proacl) a
        where n.nspname = 'demystify_memory')
     select distinct case when acl.grantee = 0 then 'PUBLIC' else r.rolname::text end as grantee
       from acl left join pg_catalog.pg_roles r on r.oid = acl.grantee
      where acl.grantee = 0 or r.rolname = any ($1::text[])
      order by 1`,
    [WEB_ROLES],
  );
  const names = rows.map(({ grantee }) => grantee);
  if (names.length === 0) return ok("exposure_grants", "nothing is granted to PUBLIC or to a web role");
  return failure(
    "exposure_grants",
    `granted to ${names.join(", ")}: whoever connects as one of them reaches the schema`,
    names
      .map((name) => `revoke all on schema demystify_memory from ${name}; and on all its tables and routines.`)
      .join(" "),
  );
}

async function checkWebInterface(db: Queryable): Promise<Finding> {
  const { rows } = await db.query<{ n: number }>(
    `select count(*)::int as n from pg_catalog.pg_db_role_setting s, unnest(s.setconfig) v
      where v like 'pgrst.db\\_schemas=%' and v like '%demystify\\_memory%'`,
  );
  return (rows[0]?.n ?? 0) === 0
    ? ok("exposure_web", "the schema is not listed for a web interface")
    : failure(
        "exposure_web",
        "the schema is among those that the web interface serves (pgrst.db_schemas)",
        "Take demystify_memory off the exposed schemas in the settings of the host.",
      );
}

async function checkSearchPath(db: Queryable): Promise<Finding> {
  const { rows } = await db.query<{ path: string }>("select array_to_string(current_schemas(false), ', ') as path");
  const inside = (rows[0]?.path ?? "").split(", ").includes("demystify_memory");
  return inside
    ? warning(
        "search_path",
        "demystify_memory is in the search_path: names of the host and of the product may be taken for each other",
        "Take it off the search_path of the role and of the database; every statement here names its schema.",
      )
    : ok("search_path", "the schema is not in the search_path");
}

/** A server that logs parameters writes down every text that is stored. */
async function checkLogging(db: Queryable): Promise<Finding> {
  const { rows } = await db.query<{ statements: string; duration: string; length: string; onError: string }>(
    `select current_setting('log_statement') as statements,
            current_setting('log_min_duration_statement') as duration,
            current_setting('log_parameter_max_length') as length,
            current_setting('log_parameter_max_length_on_error') as "onError"`,
  );
  const { statements = "none", duration = "-1", length = "0", onError = "0" } = rows[0] ?? {};
  const logs = (["all", "mod"].includes(statements) || duration !== "-1") && length !== "0";
  if (!logs && onError === "0") return ok("server_logs", "parameters do not go to the server's log");
  return warning(
    "server_logs",
    logs
      ? "statements are logged with their parameters: every text that is stored goes to the server's log"
      : "parameters of failed statements go to the server's log",
    "alter database … set log_parameter_max_length = 0; set log_parameter_max_length_on_error = 0;",
  );
}
