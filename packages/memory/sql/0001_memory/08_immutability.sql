-- What never changes, and what is never removed.

create or replace function demystify_memory.refuse_change() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  raise exception '% on demystify_memory.% is refused: %', lower(tg_op), tg_table_name, tg_argv[0]
    using errcode = 'ME015', hint = tg_argv[1];
end
$$;
comment on function demystify_memory.refuse_change is 'Refuses the statement that fired it (ME015).';

-- A trigger that names a column makes Postgres refuse to give that column another type: ALTER COLUMN … TYPE … USING
-- would replace every value and fire nothing. So the columns are named, all of them.
do $append_only$
declare
  v_table   text;
  v_columns text;
begin
  foreach v_table in array array['tombstone', 'tombstone_item', 'erasure_event', 'restriction', 'legal_hold',
                                 'legal_hold_refusal', 'schema_migration']
  loop
    select string_agg(quote_ident(a.attname), ', ' order by a.attnum) into v_columns
      from pg_catalog.pg_attribute a
     where a.attrelid = ('demystify_memory.' || quote_ident(v_table))::regclass and a.attnum > 0 and not a.attisdropped;
    execute format('drop trigger if exists %I on demystify_memory.%I', v_table || '_is_append_only', v_table);
    execute format(
      $sql$create trigger %I before update of %s or delete or truncate on demystify_memory.%I
             for each statement execute function demystify_memory.refuse_change(
               'evidence is inserted, never changed or removed', 'Insert a new row that says what is now true.')$sql$,
      v_table || '_is_append_only', v_columns, v_table);
    execute format('alter table demystify_memory.%I enable always trigger %I', v_table, v_table || '_is_append_only');
  end loop;

  foreach v_table in array array['memory', 'derived', 'placement', 'subject', 'idempotency_key', 'open_erasure', 'sink',
                                 'placement_lease', 'restriction_in_force', 'subject_key', 'settings', 'legal_basis']
  loop
    execute format('drop trigger if exists %I on demystify_memory.%I', v_table || '_is_never_truncated', v_table);
    execute format(
      $sql$create trigger %I before truncate on demystify_memory.%I
             for each statement execute function demystify_memory.refuse_change(
               'TRUNCATE leaves no evidence and reaches nothing derived', 'Use forget, or DELETE, which cascades and is recorded.')$sql$,
      v_table || '_is_never_truncated', v_table);
    execute format('alter table demystify_memory.%I enable always trigger %I', v_table, v_table || '_is_never_truncated');
  end loop;
end
$append_only$;

-- Vectors and term hashes may be made anew after a model or key change; text, sources and identity never.
create or replace function demystify_memory.refuse_payload_change() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  -- On a partition the name is that of the partition.
  if tg_table_name = 'memory' or tg_table_name like 'memory\_%' then
    if (new.tenant_key, new.memory_id, new.subject_key, new.subject_hash, new.also_keys, new.also_hashes, new.key_id,
        new.kind, new.text, new.metadata, new.content_tags, new.provenance_known, new.idempotency_hash,
        new.captured_at, new.expires_at, new.created_at)
       is distinct from
       (old.tenant_key, old.memory_id, old.subject_key, old.subject_hash, old.also_keys, old.also_hashes, old.key_id,
        old.kind, old.text, old.metadata, old.content_tags, old.provenance_known, old.idempotency_hash,
        old.captured_at, old.expires_at, old.created_at) then
      raise exception 'update of a memory is refused: its text, metadata and identity never change'
        using errcode = 'ME015', hint = 'Erase it and store a new one: a correction leaves evidence and reaches what was derived.';
    end if;
  elsif (new.tenant_key, new.derived_id, new.kind, new.text, new.metadata, new.content_tags, new.source_memories,
         new.source_derived, new.subject_hashes, new.expires_at, new.created_at)
        is distinct from
        (old.tenant_key, old.derived_id, old.kind, old.text, old.metadata, old.content_tags, old.source_memories,
         old.source_derived, old.subject_hashes, old.expires_at, old.created_at) then
    raise exception 'update of a derived row is refused: its text, sources and identity never change'
      using errcode = 'ME015', hint = 'Derive a new row; this one goes when its sources go.';
  end if;
  return new;
end
$$;
comment on function demystify_memory.refuse_payload_change is
  'Refuses (ME015) an UPDATE that changes anything but a vector or term hashes.';

drop trigger if exists memory_payload_is_immutable on demystify_memory.memory;
create trigger memory_payload_is_immutable before update on demystify_memory.memory
  for each row execute function demystify_memory.refuse_payload_change();
alter table demystify_memory.memory enable always trigger memory_payload_is_immutable;

drop trigger if exists derived_payload_is_immutable on demystify_memory.derived;
create trigger derived_payload_is_immutable before update on demystify_memory.derived
  for each row execute function demystify_memory.refuse_payload_change();
alter table demystify_memory.derived enable always trigger derived_payload_is_immutable;

-- Two more rules for the tables that hold payload. A statement that names a fixed column is refused before it
-- looks at a row, and naming the columns keeps their types. And neither table joins a hierarchy: a DELETE on a parent
-- fires the parent's statement triggers and not these; a row trigger with a transition table, which never runs, makes
-- Postgres refuse ATTACH PARTITION and INHERIT. A partitioned table cannot have one.
do $fixed$
declare
  v_table   text;
  v_columns text;
begin
  foreach v_table in array array['memory', 'derived'] loop
    select string_agg(quote_ident(a.attname), ', ' order by a.attnum) into v_columns
      from pg_catalog.pg_attribute a
     where a.attrelid = ('demystify_memory.' || v_table)::regclass and a.attnum > 0 and not a.attisdropped
       and a.attname not in ('embedding', 'dimensions', 'term_hashes');
    execute format('drop trigger if exists %I on demystify_memory.%I', v_table || '_is_never_rewritten', v_table);
    execute format(
      $sql$create trigger %I before update of %s on demystify_memory.%I
             for each statement execute function demystify_memory.refuse_change(
               'text, sources, metadata and identity never change',
               'Erase it and store a new one: a correction leaves evidence and reaches what was derived.')$sql$,
      v_table || '_is_never_rewritten', v_columns, v_table);
    execute format('alter table demystify_memory.%I enable always trigger %I', v_table, v_table || '_is_never_rewritten');

    if (select c.relkind from pg_catalog.pg_class c where c.oid = ('demystify_memory.' || v_table)::regclass) = 'r' then
      execute format('drop trigger if exists %I on demystify_memory.%I', v_table || '_joins_no_hierarchy', v_table);
      execute format(
        $sql$create trigger %I after delete on demystify_memory.%I referencing old table as old_rows
               for each row when (false) execute function demystify_memory.refuse_change(
                 'this trigger never runs', 'It keeps the table from being attached to another.')$sql$,
        v_table || '_joins_no_hierarchy', v_table);
      execute format('alter table demystify_memory.%I enable always trigger %I', v_table, v_table || '_joins_no_hierarchy');
    end if;
  end loop;
end
$fixed$;
