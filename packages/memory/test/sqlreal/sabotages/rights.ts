import type { Sabotage } from "./sabotage.js";
import { ENGINE, S } from "./sabotage.js";

/** How who may do what can be broken. */
export const RIGHTS: readonly Sabotage[] = [
  {
    check: "app_cannot_skip_triggers",
    how: "the application's role may switch ordinary triggers off",
    sql: `do $$ declare app text; begin
            select grantee into strict app from information_schema.routine_privileges
             where routine_schema = '${S}' and routine_name = 'remember_many' and grantee like '%app%' limit 1;
            execute format('grant set on parameter session_replication_role to %I', app);
          end $$`,
  },
  {
    check: "default_privileges_give_nothing",
    how: "later tables are open to everybody",
    sql: `alter default privileges in schema ${S} grant select on tables to public`,
  },
  {
    check: "default_privileges_give_nothing",
    how: "later functions of the engine are open to everybody",
    sql: `alter default privileges for role ${ENGINE} grant execute on routines to public`,
  },
  {
    check: "engine_policies_name_the_owner",
    how: "the engine's policy is made another role's",
    sql: `alter policy memory_is_seen_by_the_engine on ${S}.memory to current_user`,
  },
  {
    check: "engine_policies_name_the_owner",
    how: "the engine's policy is made everybody's",
    sql: `alter policy memory_is_seen_by_the_engine on ${S}.memory to public`,
  },
  {
    check: "no_foreign_policies",
    how: "a policy lets everybody see every row",
    sql: `create policy host_policy on ${S}.memory using (true)`,
  },
  {
    check: "nobody_becomes_the_owner",
    how: "a role is made a member of the owner",
    sql: `grant ${ENGINE} to pg_monitor`,
  },
  {
    check: "nobody_creates_in_the_schema",
    how: "a role may create in the schema",
    sql: `grant create on schema ${S} to pg_monitor`,
  },
  {
    check: "nobody_may_attach_or_truncate",
    how: "a role may put triggers on memories",
    sql: `grant trigger on ${S}.memory to pg_monitor`,
  },
  {
    check: "nobody_may_attach_or_truncate",
    how: "a role may refer to memories",
    sql: `grant references (tenant_key, memory_id) on ${S}.memory to pg_monitor`,
  },
  {
    check: "nobody_may_attach_or_truncate",
    how: "a role may truncate",
    sql: `grant truncate on ${S}.derived to pg_monitor`,
  },
  {
    check: "nothing_is_granted_to_public",
    how: "everybody may read memories",
    sql: `grant select on ${S}.memory to public`,
  },
  {
    check: "nothing_is_granted_to_public",
    how: "everybody may call a function",
    sql: `grant execute on function ${S}.uuid_v7() to public`,
  },
  {
    check: "nothing_is_granted_to_public",
    how: "everybody may read one column",
    sql: `grant select (text) on ${S}.memory to public`,
  },
  {
    check: "nothing_is_granted_to_web_roles",
    how: "whoever calls the web gateway may read",
    sql: `create role anon;
          grant select on ${S}.live_memory to anon`,
  },
  {
    check: "owner_cannot_log_in",
    how: "the owner may log in",
    sql: `alter role ${ENGINE} login`,
  },
  {
    check: "owner_cannot_log_in",
    how: "the owner is past row-level security",
    sql: `alter role ${ENGINE} bypassrls`,
  },
  {
    check: "row_security_is_forced",
    how: "the owner is exempted",
    sql: `alter table ${S}.memory no force row level security`,
  },
  {
    check: "row_security_is_forced",
    how: "row-level security is switched off",
    sql: `alter table ${S}.derived disable row level security`,
  },
  {
    check: "tables_are_written_by_the_engine",
    how: "a role may write evidence",
    sql: `grant insert on ${S}.tombstone to pg_monitor`,
  },
  {
    check: "tables_are_written_by_the_engine",
    how: "a role may change texts",
    sql: `grant update (text) on ${S}.memory to pg_monitor`,
  },
  {
    check: "tables_are_written_by_the_engine",
    how: "a role may change the settings",
    sql: `grant update on ${S}.settings to pg_monitor`,
  },
  {
    check: "tenant_policies_exist",
    how: "a tenant policy is dropped",
    sql: `drop policy memory_is_seen_by_its_tenant on ${S}.memory`,
  },
  {
    check: "tenant_policies_exist",
    how: "a tenant policy mentions the tenant and lets everybody in",
    sql: `alter policy memory_is_seen_by_its_tenant on ${S}.memory
            using (true or tenant_key = current_setting('app.current_tenant', true))`,
  },
];
