/** A way to break one rule of an installation. */
export interface Sabotage {
  readonly check: string;
  /** What was done, in words. */
  readonly how: string;
  /** As a superuser would do it, in a transaction that is rolled back afterwards. */
  readonly sql: string;
  /** Further checks that cannot but fail with it. */
  readonly follows?: readonly string[];
}

const S = "demystify_memory";
const EACH_OWNER = (routine: string, owner: string) =>
  `do $$ declare f regprocedure; begin
     for f in select p.oid from pg_proc p where p.pronamespace = '${S}'::regnamespace and p.proname = '${routine}' loop
       execute format('alter function %s owner to ${owner}', f);
     end loop;
   end $$`;

/** Puts a trigger on a condition that is never true; it is still there, by name and always enabled. */
const NEVER = (table: string, trigger: string) =>
  `do $$ declare definition text; begin
     select pg_get_triggerdef(oid) into strict definition from pg_trigger where tgrelid = '${S}.${table}'::regclass and tgname = '${trigger}';
     definition := replace(definition, 'CREATE TRIGGER', 'CREATE OR REPLACE TRIGGER');
     execute replace(definition, 'EXECUTE FUNCTION', 'WHEN (false) EXECUTE FUNCTION');
     execute 'alter table ${S}.${table} enable always trigger ${trigger}';
   end $$`;

/** At least one for each check of sql/checks. */
export const SABOTAGES: readonly Sabotage[] = [
  {
    check: "all_tables_exist",
    how: "a table is dropped",
    sql: `drop table ${S}.restriction cascade`,
    follows: [
      "engine_policies_name_the_owner",
      "evidence_is_append_only",
      "tenant_policies_exist",
      "truncate_is_refused",
    ],
  },
  {
    check: "definers_belong_to_the_engine",
    how: "a definer function is given to somebody else",
    sql: EACH_OWNER("recount", "current_user"),
  },
  {
    check: "delete_cascades",
    how: "the cascade is dropped",
    sql: `drop trigger memory_delete_2_reaches_derived on ${S}.memory`,
  },
  {
    check: "delete_cascades",
    how: "the record of a direct delete is dropped",
    sql: `drop trigger derived_delete_1_is_recorded on ${S}.derived`,
  },
  {
    check: "delete_cascades",
    how: "the cascade is put on a condition that is never true",
    sql: NEVER("memory", "memory_delete_2_reaches_derived"),
  },
  {
    check: "delete_cascades",
    how: "another function stands in for the cascade",
    sql: `create or replace trigger memory_delete_2_reaches_derived after delete on ${S}.memory
            referencing old table as old_rows for each statement execute function ${S}.settle_direct_delete();
          alter table ${S}.memory enable always trigger memory_delete_2_reaches_derived`,
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
    check: "evidence_has_no_content_column",
    how: "a tombstone is given a note",
    sql: `alter table ${S}.tombstone add column note text`,
  },
  {
    check: "evidence_has_no_content_column",
    how: "an event is given a column of any name that could hold prose",
    sql: `alter table ${S}.erasure_event add column because text`,
  },
  {
    check: "evidence_is_append_only",
    how: "tombstones may be changed",
    sql: `drop trigger tombstone_is_append_only on ${S}.tombstone`,
    follows: ["truncate_is_refused"],
  },
  {
    check: "evidence_is_append_only",
    how: "the rule for tombstones is put on a condition that is never true",
    sql: NEVER("tombstone", "tombstone_is_append_only"),
    follows: ["truncate_is_refused"],
  },
  {
    check: "functions_pin_their_search_path",
    how: "a function looks names up where its caller does",
    sql: `alter function ${S}.uuid_v7() reset search_path`,
  },
  {
    check: "no_extended_statistics",
    how: "statistics are kept on combinations of values",
    sql: `create statistics public.host_statistics on kind, subject_hash from ${S}.memory`,
  },
  {
    check: "no_foreign_policies",
    how: "a policy lets everybody see every row",
    sql: `create policy host_policy on ${S}.memory using (true)`,
  },
  {
    check: "no_foreign_triggers",
    how: "a trigger of the host is added",
    sql: `create trigger host_trigger before update on ${S}.memory
            for each row execute function pg_catalog.suppress_redundant_updates_trigger();
          alter table ${S}.memory enable always trigger host_trigger`,
  },
  {
    check: "no_inheritance",
    how: "a table inherits from memory",
    sql: `create table public.host_child () inherits (${S}.memory)`,
  },
  {
    check: "no_rules",
    how: "a rule turns every delete into nothing",
    sql: `create rule host_rule as on delete to ${S}.memory do instead nothing`,
  },
  {
    check: "no_view_copies_payload",
    how: "a materialised view keeps the texts",
    sql: `create materialized view public.host_view as select text from ${S}.memory`,
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
    check: "payload_has_no_statistics",
    how: "statistics on texts are switched on",
    sql: `alter table ${S}.memory alter column text set statistics 100`,
  },
  {
    check: "payload_has_no_statistics",
    how: "statistics on the persons of summaries are switched on",
    sql: `alter table ${S}.derived alter column subject_hashes set statistics 100`,
  },
  {
    check: "payload_is_immutable",
    how: "texts may be updated",
    sql: `drop trigger memory_payload_is_immutable on ${S}.memory`,
  },
  {
    check: "payload_is_immutable",
    how: "only one column is watched",
    sql: `create or replace trigger memory_payload_is_immutable before update of kind on ${S}.memory
            for each row execute function ${S}.refuse_payload_change();
          alter table ${S}.memory enable always trigger memory_payload_is_immutable`,
  },
  {
    check: "provenance_indexes_are_immediate",
    how: "an index on sources collects a pending list",
    sql: `alter index ${S}.derived_by_source_memory set (fastupdate = on)`,
  },
  {
    check: "provenance_is_required",
    how: "a derived row may have no source",
    sql: `alter table ${S}.derived drop constraint derived_requires_provenance`,
  },
  {
    check: "provenance_is_required",
    how: "the constraint keeps its name and loses its meaning",
    sql: `alter table ${S}.derived drop constraint derived_requires_provenance;
          alter table ${S}.derived add constraint derived_requires_provenance check (true)`,
  },
  {
    check: "publications_carry_deletes",
    how: "a subscriber is told of inserts alone",
    sql: `create publication host_publication for table ${S}.memory with (publish = 'insert')`,
  },
  {
    check: "replica_identity_is_the_key",
    how: "a subscriber is sent the whole erased row",
    sql: `alter table ${S}.memory replica identity full`,
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
    check: "settings_have_one_row",
    how: "the settings are gone",
    sql: `delete from ${S}.settings`,
  },
  {
    check: "source_has_no_cascading_key",
    how: "a host's table is deleted by foreign key",
    sql: `create table public.host_notes (tenant_key text, memory_id uuid,
            foreign key (tenant_key, memory_id) references ${S}.memory on delete cascade)`,
  },
  {
    check: "tables_are_logged",
    how: "a table is emptied by a crash",
    sql: `alter table ${S}.open_erasure set unlogged`,
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
  {
    check: "tombstones_hold_hashes_only",
    how: "a tombstone may hold a raw identifier",
    sql: `alter table ${S}.tombstone drop constraint tombstone_has_no_raw_identifier`,
  },
  {
    check: "triggers_fire_always",
    how: "a trigger does not fire for a replica session",
    sql: `alter table ${S}.memory enable trigger memory_delete_2_reaches_derived`,
  },
  {
    check: "triggers_fire_always",
    how: "a trigger is disabled",
    sql: `alter table ${S}.derived disable trigger derived_sources_are_live`,
  },
  {
    check: "truncate_is_refused",
    how: "memories may be truncated",
    sql: `drop trigger memory_is_never_truncated on ${S}.memory`,
  },
  {
    check: "write_gate_stands",
    how: "erased ids may be stored again",
    sql: `drop trigger memory_respects_tombstones on ${S}.memory`,
  },
  {
    check: "write_gate_stands",
    how: "forgotten sources may be derived from",
    sql: `drop trigger derived_sources_are_live on ${S}.derived`,
  },
  {
    check: "write_gate_stands",
    how: "the gate is put on a condition that is never true",
    sql: NEVER("derived", "derived_sources_are_live"),
  },
];
