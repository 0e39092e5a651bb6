-- The second trigger of a delete: what was derived from the deleted rows goes too.

create or replace function demystify_memory.is_open_item(p_tenant text, p_tombstone uuid, p_id uuid) returns boolean
language plpgsql stable security definer  -- evidence is not the caller's to read
set search_path = ''
set jit = off
set enable_seqscan = off
as $$
begin
  return (
    select exists (select from demystify_memory.open_erasure o where o.tenant_key = p_tenant and o.tombstone_id = p_tombstone)
       and exists (select from demystify_memory.tombstone_item i
                    where i.tenant_key = p_tenant and i.item_id = p_id and i.tombstone_id = p_tombstone));
end
$$;
comment on function demystify_memory.is_open_item is 'Whether an erasure that is not yet destroyed covers this row.';

-- One DELETE a level, 64 sources a look at the index. No DISTINCT, no recursive query: an empty level ends it. The tenant
-- is a filter that no index can serve, so that the planner cannot prefer the primary key to the GIN index (65 times
-- slower with many tenants).
-- seqscan, hash and merge joins are off because the first transition table met would decide the plan for all later ones.
create or replace function demystify_memory.reach_derived() returns trigger
language plpgsql security definer  -- the deleter's own row-level security must not hide a derived row
set search_path = ''
set jit = off
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set plan_cache_mode = force_generic_plan
as $$
declare
  v_any        boolean;
  v_holds      boolean;
  v_held       text[] := '{}';
  v_destroying uuid := nullif(current_setting('demystify_memory.destroying', true), '')::uuid;
begin
  select exists (select from old_rows), v_destroying is not null and exists (select from demystify_memory.legal_hold)
    into v_any, v_holds;
  if not v_any then
    return null;
  end if;
  -- An erasure passes over held rows that it covers: they stay hidden in its work list until the hold is released. Any
  -- other delete that meets a held row fails, in the trigger of the row itself.
  if v_holds then
    select coalesce(array_agg(h), '{}') into v_held
      from (select distinct o.tenant_key from old_rows o) t, unnest(demystify_memory.held_subjects(t.tenant_key)) h;
  end if;
  if tg_table_name = 'memory' then
    delete from demystify_memory.derived d
      using (select n.tenant_key, array_agg(n.memory_id) as ids
               from (select o.tenant_key, o.memory_id, row_number() over () as at from old_rows o) n
              group by n.tenant_key, n.at / 64) o
      where d.source_memories && o.ids and d.tenant_key || '' = o.tenant_key
        and not (d.subject_hashes && v_held and demystify_memory.is_open_item(d.tenant_key, v_destroying, d.derived_id));
  else
    delete from demystify_memory.derived d
      using (select n.tenant_key, array_agg(n.derived_id) as ids
               from (select o.tenant_key, o.derived_id, row_number() over () as at from old_rows o) n
              group by n.tenant_key, n.at / 64) o
      where d.source_derived && o.ids and d.tenant_key || '' = o.tenant_key
        and not (d.subject_hashes && v_held and demystify_memory.is_open_item(d.tenant_key, v_destroying, d.derived_id));
  end if;
  return null;
end
$$;
comment on function demystify_memory.reach_derived is 'Deletes what was derived from the deleted rows.';
