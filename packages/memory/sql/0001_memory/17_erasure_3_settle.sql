-- Step 3 for whoever got here: complete if nothing is outstanding, escalated if nobody can know what is.
create or replace function demystify_memory.settle(p_tenant text, p_tombstone uuid) returns boolean
language plpgsql security definer  -- writes evidence for the caller
set search_path = ''
set jit = off
set enable_seqscan = off
as $$
declare
  v_tombstone demystify_memory.tombstone;
  v_state     demystify_memory.erasure_state;
begin
  select * into v_tombstone from demystify_memory.tombstone t where t.tenant_key = p_tenant and t.tombstone_id = p_tombstone;
  select * into v_state from demystify_memory.erasure_state s where s.tenant_key = p_tenant and s.tombstone_id = p_tombstone;
  if v_state.completed_at is not null then
    return false;
  end if;
  if v_state.destroyed_at is null then
    insert into demystify_memory.erasure_event (tenant_key, tombstone_id, event) values (p_tenant, p_tombstone, 'destroyed');
  end if;
  if not v_tombstone.closure_known and not exists (
       select from demystify_memory.erasure_event e
        where e.tenant_key = p_tenant and e.tombstone_id = p_tombstone and e.event = 'closure_attested') then
    if v_state.escalated_at is not null then
      return false;
    end if;
    insert into demystify_memory.erasure_event (tenant_key, tombstone_id, event, code)
      values (p_tenant, p_tombstone, 'escalated', 'closure_unknown');
    return true;
  end if;
  if exists (select from demystify_memory.erasure_placements(p_tenant, p_tombstone) p where not p.confirmed and not p.attested) then
    return false;
  end if;
  insert into demystify_memory.erasure_event (tenant_key, tombstone_id, event) values (p_tenant, p_tombstone, 'completed');
  return true;
end
$$;
comment on function demystify_memory.settle is 'Records destroyed, and then completed or escalated; false if nothing could be recorded.';
