import type { Sabotage } from "./sabotage.js";
import { S } from "./sabotage.js";

/** How what the tables are can be broken. */
export const TABLES: readonly Sabotage[] = [
  {
    check: "all_tables_exist",
    how: "a table is dropped",
    sql: `drop table ${S}.restriction cascade`,
  },
  {
    check: "columns_are_unchanged",
    how: "a column is dropped",
    sql: `alter table ${S}.sink drop column registered_at`,
  },
  {
    check: "columns_are_unchanged",
    how: "a column is given another type",
    sql: `alter table ${S}.sink alter column registered_at type text`,
  },
  {
    check: "columns_are_unchanged",
    how: "a column may be left empty",
    sql: `alter table ${S}.placement_lease alter column leased_until drop not null`,
  },
  {
    check: "columns_are_unchanged",
    how: "the texts of summaries are dropped, and the rule that names them with them",
    sql: `alter table ${S}.derived drop column text cascade`,
    follows: ["payload_is_never_rewritten"],
  },
  {
    check: "constraints_are_unchanged",
    how: "a placement may be recorded without a source",
    sql: `alter table ${S}.placement drop constraint placement_requires_provenance`,
  },
  {
    check: "constraints_are_unchanged",
    how: "a constraint on evidence keeps its name and loses its meaning",
    sql: `alter table ${S}.erasure_event drop constraint erasure_event_code_is_a_code;
          alter table ${S}.erasure_event add constraint erasure_event_code_is_a_code check (code ~ '.')`,
  },
  {
    check: "constraints_are_unchanged",
    how: "a constraint was never validated",
    sql: `alter table ${S}.memory drop constraint memory_is_filed_under_a_hash;
          alter table ${S}.memory add constraint memory_is_filed_under_a_hash check (subject_hash ~ '^[0-9a-f]{64}$') not valid`,
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
    check: "indexes_stand",
    how: "one request may open two erasures",
    sql: `drop index ${S}.tombstone_by_request`,
  },
  {
    check: "indexes_stand",
    how: "an index is there by name and no longer unique",
    sql: `drop index ${S}.restriction_lifts;
          create index restriction_lifts on ${S}.restriction (tenant_key, lifts)`,
  },
  {
    check: "indexes_stand",
    how: "the index on sources is gone",
    sql: `drop index ${S}.derived_by_source_memory`,
  },
  {
    check: "no_foreign_columns",
    how: "a memory is given a note",
    sql: `alter table ${S}.memory add column note text`,
  },
  {
    check: "primary_keys_stand",
    how: "evidence is no longer found by its key",
    sql: `alter table ${S}.tombstone_item drop constraint tombstone_item_pkey`,
  },
  {
    check: "primary_keys_stand",
    how: "a key does not begin with the tenant",
    sql: `alter table ${S}.restriction_in_force drop constraint restriction_in_force_pkey;
          alter table ${S}.restriction_in_force add primary key (restriction_id)`,
  },
  {
    check: "provenance_indexes_are_immediate",
    how: "an index on sources collects a pending list",
    unpartitioned: true,
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
    check: "tables_have_one_owner",
    how: "a table is given to somebody else",
    sql: `alter table ${S}.open_erasure owner to current_user`,
  },
  {
    check: "tombstones_hold_hashes_only",
    how: "a tombstone may hold a raw identifier",
    sql: `alter table ${S}.tombstone drop constraint tombstone_has_no_raw_identifier`,
  },
  {
    check: "views_hide_what_is_hidden",
    how: "a view no longer hides what is forgotten",
    sql: `create or replace view ${S}.live_memory with (security_barrier = true) as
            select m.tenant_key, m.memory_id, m.subject_key, m.subject_hash, m.also_keys, m.also_hashes, m.kind, m.text, m.metadata,
                   m.embedding, m.captured_at, m.expires_at, m.created_at
              from ${S}.memory m where m.tenant_key = current_setting('app.current_tenant', true)`,
  },
  {
    check: "views_hide_what_is_hidden",
    how: "a view lets a condition of the caller see every row first",
    sql: `alter view ${S}.provenance reset (security_barrier)`,
  },
];
