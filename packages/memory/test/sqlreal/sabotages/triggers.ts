import type { Sabotage } from "./sabotage.js";
import { ENGINE, NEVER, S } from "./sabotage.js";

/** How the rules that fire can be broken. */
export const TRIGGERS: readonly Sabotage[] = [
  {
    check: "copies_are_kept",
    how: "the only handle to a copy may be deleted",
    sql: `drop trigger placement_is_kept_until_gone on ${S}.placement`,
  },
  {
    check: "copies_are_kept",
    how: "the rule for copies is put on a condition that is never true",
    sql: NEVER("placement", "placement_is_kept_until_gone"),
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
    check: "evidence_is_append_only",
    how: "tombstones may be changed",
    sql: `drop trigger tombstone_is_append_only on ${S}.tombstone`,
  },
  {
    check: "evidence_is_append_only",
    how: "the rule for tombstones is put on a condition that is never true",
    sql: NEVER("tombstone", "tombstone_is_append_only"),
  },
  {
    check: "evidence_is_append_only",
    how: "evidence may be rewritten by a change of its type",
    sql: `create or replace trigger tombstone_is_append_only before update or delete or truncate on ${S}.tombstone
            for each statement execute function ${S}.refuse_change('evidence is inserted', '');
          alter table ${S}.tombstone enable always trigger tombstone_is_append_only`,
  },
  {
    check: "evidence_is_stamped",
    how: "a tombstone may be given any time",
    sql: `drop trigger tombstone_is_stamped_by_the_database on ${S}.tombstone`,
  },
  {
    check: "evidence_is_stamped",
    how: "rows may be covered after the fact",
    sql: `drop trigger tombstone_item_has_an_open_tombstone on ${S}.tombstone_item`,
  },
  {
    check: "no_foreign_triggers",
    how: "a trigger of the host is added",
    sql: `create trigger host_trigger before update on ${S}.memory
            for each row execute function pg_catalog.suppress_redundant_updates_trigger();
          alter table ${S}.memory enable always trigger host_trigger`,
  },
  {
    check: "partitions_are_not_named",
    how: "a partition lets statements name it",
    sql: `create table ${S}.host_parts (tenant_key text) partition by hash (tenant_key);
          alter table ${S}.host_parts owner to ${ENGINE};
          alter table ${S}.host_parts enable row level security;
          alter table ${S}.host_parts force row level security;
          create trigger host_parts_refuses before truncate on ${S}.host_parts
            for each statement execute function ${S}.refuse_change('never', '');
          alter table ${S}.host_parts enable always trigger host_parts_refuses;
          create table ${S}.host_part partition of ${S}.host_parts for values with (modulus 1, remainder 0);
          alter table ${S}.host_part owner to ${ENGINE};
          alter table ${S}.host_part enable row level security;
          alter table ${S}.host_part force row level security`,
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
    check: "payload_is_never_rewritten",
    how: "texts may be given another type",
    sql: `drop trigger memory_is_never_rewritten on ${S}.memory`,
  },
  {
    check: "payload_is_never_rewritten",
    how: "only some columns are named",
    sql: `create or replace trigger derived_is_never_rewritten before update of kind on ${S}.derived
            for each statement execute function ${S}.refuse_change('never', '');
          alter table ${S}.derived enable always trigger derived_is_never_rewritten`,
  },
  {
    check: "tables_join_no_hierarchy",
    how: "memories may be made a partition",
    unpartitioned: true,
    sql: `drop trigger memory_joins_no_hierarchy on ${S}.memory`,
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
  {
    check: "write_gate_stands",
    how: "the stamp of a raw insert is left out for another role than the owner",
    sql: `do $$ declare definition text; begin
            select pg_get_triggerdef(oid) into strict definition from pg_trigger
             where tgrelid = '${S}.memory'::regclass and tgname = 'memory_is_stamped_after_the_lock';
            definition := replace(definition, 'CREATE TRIGGER', 'CREATE OR REPLACE TRIGGER');
            execute replace(definition, '<> ''${ENGINE}''', '= ''${ENGINE}''');
            execute 'alter table ${S}.memory enable always trigger memory_is_stamped_after_the_lock';
          end $$`,
  },
];
