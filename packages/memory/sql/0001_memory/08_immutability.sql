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

do $append_only$
declare
  v_table text;
begin
  foreach v_table in array array['tombstone', 'tombstone_item', 'erasure_event', 'restriction', 'legal_hold',
                                 'legal_hold_refusal', 'schema_migration']
  loop
    execute format('drop trigger if exists %I on demystify_memory.%I', v_table || '_is_append_only', v_table);
    execute format(
      $sql$create trigger %I before update or delete or truncate on demystify_memory.%I
             for each statement execute function demystify_memory.refuse_change(
               'evidence is inserted, never changed or removed', 'Insert a new row that says what is now true.')$sql$,
      v_table || '_is_append_only', v_table);
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
  if tg_table_name = 'memory' then
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
