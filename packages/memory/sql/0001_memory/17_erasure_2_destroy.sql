-- Step 2, one chunk of it; false if nothing could be done. Up to p_chunk rows at once: memories go and the cascade takes
-- what was derived. Above it the derived rows go first, deepest first, a chunk a transaction. Rows under a legal hold of
-- somebody else stay, hidden by the work list, and the erasure escalates until the hold is released.
create or replace function demystify_memory.destroy_step(p_tenant text, p_tombstone uuid, p_chunk int) returns boolean
language plpgsql security definer  -- the caller holds no DELETE
set search_path = ''
set jit = off
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  v_open     demystify_memory.open_erasure;
  v_held     text[];
  v_batch    uuid[];
  v_more     uuid[];
  v_deleted  int := 0;
  v_count    int;
  v_last     boolean;
begin
  select * into v_open from demystify_memory.open_erasure o
    where o.tenant_key = p_tenant and o.tombstone_id = p_tombstone for update;
  if not found then
    -- Nothing to destroy, or another process has just finished; a second 'destroyed' would be a second claim.
    if not exists (select from demystify_memory.erasure_event e
                    where e.tenant_key = p_tenant and e.tombstone_id = p_tombstone and e.event = 'destroyed') then
      insert into demystify_memory.erasure_event (tenant_key, tombstone_id, event) values (p_tenant, p_tombstone, 'destroyed');
    end if;
    return true;
  end if;
  perform pg_advisory_xact_lock_shared(demystify_memory.hold_lock(p_tenant));
  v_held := demystify_memory.held_subjects(p_tenant);
  perform set_config('demystify_memory.destroying', p_tombstone::text, true);

  v_last := cardinality(v_open.derived_ids) - v_open.destroyed_derived
          + cardinality(v_open.memory_ids) - v_open.destroyed_memories <= p_chunk;
  if v_last then
    v_more := v_open.memory_ids[v_open.destroyed_memories + 1 :];
    v_batch := v_open.derived_ids[v_open.destroyed_derived + 1 :];
  elsif v_open.destroyed_derived < cardinality(v_open.derived_ids) then
    v_batch := v_open.derived_ids[v_open.destroyed_derived + 1 : v_open.destroyed_derived + p_chunk];
    v_more := '{}';
  else
    v_batch := '{}';
    v_more := v_open.memory_ids[v_open.destroyed_memories + 1 : v_open.destroyed_memories + p_chunk];
  end if;

  -- The persons before their rows, as writers do; so no writer, and no other erasure of shared rows, holds one of these
  -- rows while it waits for another. Memories before derived rows, as a direct delete takes them.
  perform 1 from demystify_memory.subject s
    where s.tenant_key = p_tenant and s.subject_hash = any(v_open.subject_hashes)
    order by s.subject_hash for no key update;
  -- The tenant comes from the list, not from the call: then a plan by the tenant's own index is no plan at all, where
  -- without statistics it would look cheap and compare each row that goes with each that there is.
  if v_more <> '{}' then
    delete from demystify_memory.memory m
      using (select p_tenant as tenant_key, u.id from unnest(v_more) u(id) offset 0) u
      where m.tenant_key = u.tenant_key and m.memory_id = u.id
        and m.subject_hash <> all(v_held) and not m.also_hashes && v_held;
    get diagnostics v_deleted = row_count;
  end if;
  if v_batch <> '{}' then
    delete from demystify_memory.derived d
      using (select p_tenant as tenant_key, u.id from unnest(v_batch) u(id) offset 0) u
      where d.tenant_key = u.tenant_key and d.derived_id = u.id and not d.subject_hashes && v_held;
    get diagnostics v_count = row_count;
    v_deleted := v_deleted + v_count;
  end if;
  perform set_config('demystify_memory.destroying', '', true);

  if not v_last then
    update demystify_memory.open_erasure o
       set destroyed_derived = o.destroyed_derived + cardinality(v_batch),
           destroyed_memories = o.destroyed_memories + cardinality(v_more)
     where o.tenant_key = p_tenant and o.tombstone_id = p_tombstone;
    return true;
  end if;

  if v_held <> '{}' and (
       exists (select from {{memories_by_id p_tenant v_open.memory_ids}} m
                where (m.subject_hash = any(v_held) or m.also_hashes && v_held))
       or exists (select from {{derived_by_id p_tenant v_open.derived_ids}} d
                   where d.subject_hashes && v_held)) then
    -- From the beginning next time: the held rows are somewhere in it.
    update demystify_memory.open_erasure o set destroyed_derived = 0, destroyed_memories = 0
      where o.tenant_key = p_tenant and o.tombstone_id = p_tombstone;
    if not exists (select from demystify_memory.erasure_event e
                    where e.tenant_key = p_tenant and e.tombstone_id = p_tombstone
                      and e.event = 'escalated' and e.code = 'hold_conflict') then
      insert into demystify_memory.erasure_event (tenant_key, tombstone_id, event, code)
        values (p_tenant, p_tombstone, 'escalated', 'hold_conflict');
      return true;
    end if;
    return v_deleted > 0;
  end if;

  perform demystify_memory.recount(p_tenant, v_open.memory_ids, v_open.derived_ids);
  insert into demystify_memory.erasure_event (tenant_key, tombstone_id, event) values (p_tenant, p_tombstone, 'destroyed');
  delete from demystify_memory.open_erasure o where o.tenant_key = p_tenant and o.tombstone_id = p_tombstone;
  return true;
end
$$;
comment on function demystify_memory.destroy_step is 'Step 2: destroys one chunk; the last one recounts and records it.';

-- Counts again what should be gone, by other queries than those that destroyed it: a rule, a trigger or a policy that
-- swallowed the delete turns into an error here, never into a receipt.
create or replace function demystify_memory.recount(p_tenant text, p_memories uuid[], p_derived uuid[]) returns void
language plpgsql security definer  -- no row-level security of the caller may hide a survivor
set search_path = ''
set jit = off
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set plan_cache_mode = force_generic_plan
as $$
begin
  if exists (select from unnest(p_memories) u(id)
              where exists (select from demystify_memory.memory m
                             where m.tenant_key = p_tenant and m.memory_id = u.id offset 0))
     or exists (select from unnest(p_derived) u(id)
                 where exists (select from demystify_memory.derived d
                                where d.tenant_key = p_tenant and d.derived_id = u.id offset 0))
     or exists (select from generate_series(1, cardinality(p_memories), 64) n
                 join demystify_memory.derived d on d.source_memories && p_memories[n : n + 63] and d.tenant_key || '' = p_tenant)
     or exists (select from generate_series(1, cardinality(p_derived), 64) n
                 join demystify_memory.derived d on d.source_derived && p_derived[n : n + 63] and d.tenant_key || '' = p_tenant) then
    raise exception 'rows that were destroyed are still there'
      using errcode = 'ME018', hint = 'A rule, trigger or policy of the host swallows deletes: run verify_install().';
  end if;
end
$$;
comment on function demystify_memory.recount is 'Raises ME018 if anything of a destroyed closure is left.';
