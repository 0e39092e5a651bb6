import type { Sabotage } from "./sabotage.js";
import { S } from "./sabotage.js";

/** How the ways by which content leaves the tables can be broken. */
export const WAYS_OUT: readonly Sabotage[] = [
  {
    check: "expression_indexes_have_no_statistics",
    how: "an index on an expression is analysed",
    sql: `create index host_index on ${S}.memory (upper(kind))`,
  },
  {
    check: "no_extended_statistics",
    how: "statistics are kept on combinations of values",
    sql: `create statistics public.host_statistics on kind, subject_hash from ${S}.memory`,
  },
  {
    check: "no_foreign_views",
    how: "a view shows every text to whoever may read it",
    sql: `create view public.host_view as select text from ${S}.memory`,
  },
  {
    check: "no_index_holds_payload",
    how: "texts are indexed",
    sql: `create index host_index on ${S}.memory using hash (text)`,
  },
  {
    check: "no_index_holds_payload",
    how: "an index carries the keys of persons along",
    sql: `create index host_index on ${S}.memory (tenant_key) include (subject_key)`,
  },
  {
    check: "no_inheritance",
    how: "a table inherits from memory",
    unpartitioned: true,
    sql: `create table public.host_child () inherits (${S}.memory)`,
  },
  {
    check: "no_inheritance",
    how: "a table is made a partition of a host's table",
    sql: `create table public.host_parent (like ${S}.sink) partition by list (tenant_key);
          alter table public.host_parent attach partition ${S}.sink default`,
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
    check: "publications_carry_deletes",
    how: "a subscriber is told of inserts alone",
    sql: `create publication host_publication for table ${S}.memory with (publish = 'insert')`,
  },
  {
    check: "publications_carry_deletes",
    how: "a subscriber is told of deletes and not of truncates",
    sql: `create publication host_publication for table ${S}.memory with (publish = 'insert, update, delete')`,
  },
  {
    check: "publications_have_no_row_filter",
    how: "a subscriber is told of some rows alone",
    unpartitioned: true,
    sql: `create publication host_publication for table ${S}.memory where (tenant_key <> 'acme')`,
  },
  {
    check: "replica_identity_is_the_key",
    how: "a subscriber is sent the whole erased row",
    sql: `alter table ${S}.memory replica identity full`,
  },
];
