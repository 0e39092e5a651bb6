-- The third trigger of a delete, and the three put in place.

-- Closes the record of a direct delete once the cascade has ended. Nothing of it was visible before.
create or replace function demystify_memory.settle_direct_delete() returns trigger
language plpgsql security definer  -- writes evidence for whoever deletes
set search_path = ''
set jit = off
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  v_left       boolean;
  v_tombstones uuid[];
  v_tenants    text[];
begin
  if not exists (select from demystify_memory.tombstone t
                  where t.opened_xid = pg_current_xact_id() and t.origin = 'direct_delete' offset 0) then
    return null;
  end if;

  -- Counted again before it is certified: a row trigger or a rule of the host may have swallowed the cascade, or put a
  -- row back before its item was there.
  if tg_table_name = 'memory' then
    v_left := exists (select from old_rows o
                       where exists (select from demystify_memory.memory m
                                      where m.tenant_key = o.tenant_key and m.memory_id = o.memory_id offset 0))
      or exists (select from old_rows o
                  join demystify_memory.derived d on d.source_memories @> array[o.memory_id] and d.tenant_key || '' = o.tenant_key);
  else
    v_left := exists (select from old_rows o
                       where exists (select from demystify_memory.derived d
                                      where d.tenant_key = o.tenant_key and d.derived_id = o.derived_id offset 0))
      or exists (select from old_rows o
                  join demystify_memory.derived d on d.source_derived @> array[o.derived_id] and d.tenant_key || '' = o.tenant_key);
  end if;
  if v_left then
    raise exception 'rows that were deleted are still there'
      using errcode = 'ME018', hint = 'A rule, trigger or policy of the host swallows deletes: run verify_install().';
  end if;

  if tg_table_name = 'memory' then
    select array_agg(x.tombstone_id), array_agg(x.tenant_key) into v_tombstones, v_tenants
      from (select distinct o.tenant_key, i.tombstone_id
              from old_rows o
              join demystify_memory.tombstone_item i on i.tenant_key = o.tenant_key and i.item_id = o.memory_id) x
      join demystify_memory.tombstone t on t.tenant_key = x.tenant_key and t.tombstone_id = x.tombstone_id
     where t.opened_xid = pg_current_xact_id() and t.origin = 'direct_delete' and t.scope = 'memories';
  else
    select array_agg(x.tombstone_id), array_agg(x.tenant_key) into v_tombstones, v_tenants
      from (select distinct o.tenant_key, i.tombstone_id
              from old_rows o
              join demystify_memory.tombstone_item i on i.tenant_key = o.tenant_key and i.item_id = o.derived_id
             where i.depth = 0) x
      join demystify_memory.tombstone t on t.tenant_key = x.tenant_key and t.tombstone_id = x.tombstone_id
     where t.opened_xid = pg_current_xact_id() and t.origin = 'direct_delete' and t.scope = 'derived';
  end if;
  if v_tombstones is not null then
    perform demystify_memory.settle(u.tenant_key, u.tombstone_id) from unnest(v_tenants, v_tombstones) u(tenant_key, tombstone_id);
  end if;
  return null;
end
$$;
comment on function demystify_memory.settle_direct_delete is
  'Records a direct delete as destroyed, and as complete unless something about it is still open.';

do $cascade$
declare
  v_table text;
  v_event text[];
begin
  foreach v_table in array array['memory', 'derived'] loop
    foreach v_event slice 1 in array array[
      ['_delete_1_is_recorded', format('record_%s_delete', v_table)],
      ['_delete_2_reaches_derived', 'reach_derived'],
      ['_delete_3_is_settled', 'settle_direct_delete']]
    loop
      execute format('drop trigger if exists %I on demystify_memory.%I', v_table || v_event[1], v_table);
      execute format(
        'create trigger %I after delete on demystify_memory.%I referencing old table as old_rows
           for each statement execute function demystify_memory.%I()', v_table || v_event[1], v_table, v_event[2]);
      execute format('alter table demystify_memory.%I enable always trigger %I', v_table, v_table || v_event[1]);
    end loop;
  end loop;
end
$cascade$;
