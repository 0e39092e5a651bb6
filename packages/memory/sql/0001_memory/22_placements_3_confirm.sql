-- What ends the waiting: evidence, a person who vouches, or a person who takes over.

-- Answers {"receipt", "rejected"}: a confirmation that is too weak, too early or too late is kept as an attempt. With
-- p_owner it is too late once that owner's lease is over or another's, or the copy was written anew: what was seen under
-- it may not be so any more.
create or replace function demystify_memory.confirm_placement(
  p_tenant text, p_tombstone uuid, p_placement uuid, p_proof text, p_by text,
  p_owner text, p_leased_until text, p_written_at text
) returns text
language plpgsql security definer  -- evidence is not the caller's to write
set search_path = ''
set jit = off
set enable_seqscan = off
as $$
declare
  v_levels    text[] := array['requested', 'acknowledged', 'absent', 'unfindable', 'purged'];
  v_placement demystify_memory.placement;
  v_required  text;
  v_rejected  text;
begin
  perform demystify_memory.assert_tenant(p_tenant, true);
  perform set_config('synchronous_commit', 'on', true);
  perform pg_advisory_xact_lock(hashtextextended(p_tombstone::text, 0));
  if not demystify_memory.assert_outstanding(p_tenant, p_tombstone, p_placement) then
    -- It is gone by somebody else's evidence, which a holder of a lease has to be told.
    return json_build_object('receipt', demystify_memory.receipt_json(p_tenant, p_tombstone),
                             'rejected', case when p_owner is not null then 'lease' end)::text;
  end if;
  select p.* into v_placement from demystify_memory.placement p
    where p.tenant_key = p_tenant and p.placement_id = p_placement for update;
  select s.required_proof into v_required from demystify_memory.sink s
    where s.tenant_key = p_tenant and s.sink = v_placement.sink;

  if array_position(v_levels, p_proof) < array_position(v_levels, v_required) then
    v_rejected := 'proof';
  elsif v_placement.write_deadline > clock_timestamp() and v_placement.written_at is null then
    v_rejected := 'writer';
  elsif p_owner is not null and (
      demystify_memory.iso(v_placement.written_at) is distinct from p_written_at
      or not exists (select from demystify_memory.placement_lease l
                      where l.tenant_key = p_tenant and l.tombstone_id = p_tombstone and l.placement_id = p_placement
                        and l.owner = p_owner and demystify_memory.iso(l.leased_until) = p_leased_until
                        and l.leased_until > clock_timestamp() and not l.idle)) then
    v_rejected := 'lease';
  end if;
  if v_rejected is not null then
    insert into demystify_memory.erasure_event (tenant_key, tombstone_id, event, placement_id, proof, actor)
      values (p_tenant, p_tombstone, 'attempt', p_placement, p_proof, p_by);
  else
    -- The copy is gone for every erasure that waits for it.
    insert into demystify_memory.erasure_event (tenant_key, tombstone_id, event, placement_id, proof, actor)
      select p_tenant, i.tombstone_id, 'confirmed', p_placement, p_proof, p_by
        from demystify_memory.tombstone_item i
       where i.tenant_key = p_tenant and i.item_id = p_placement
         and not exists (select from demystify_memory.erasure_event e
                          where e.tenant_key = p_tenant and e.tombstone_id = i.tombstone_id and e.event = 'completed');
    perform demystify_memory.release_ref(p_tenant, p_placement);
    perform demystify_memory.settle_if_destroyed(p_tenant, i.tombstone_id)
      from demystify_memory.tombstone_item i
     where i.tenant_key = p_tenant and i.item_id = p_placement order by i.tombstone_id;
  end if;
  return json_build_object('receipt', demystify_memory.receipt_json(p_tenant, p_tombstone), 'rejected', v_rejected)::text;
end
$$;
comment on function demystify_memory.confirm_placement is 'Evidence that a copy is gone; the last one completes the erasure.';

-- What may be personal about a copy goes with it.
create or replace function demystify_memory.release_ref(p_tenant text, p_placement uuid) returns void
language plpgsql security definer  -- the caller holds no UPDATE
set search_path = ''
set jit = off
set enable_seqscan = off
as $$
begin
  update demystify_memory.placement p
     set gone_at = coalesce(p.gone_at, clock_timestamp()), ref = null, fingerprint = null
   where p.tenant_key = p_tenant and p.placement_id = p_placement;
  delete from demystify_memory.placement_lease l where l.tenant_key = p_tenant and l.placement_id = p_placement;
end
$$;
comment on function demystify_memory.release_ref is 'Removes the ref of a copy that is known to be gone.';

create or replace function demystify_memory.settle_if_destroyed(p_tenant text, p_tombstone uuid) returns void
language plpgsql security definer  -- evidence is not the caller's to write
set search_path = ''
set jit = off
set enable_seqscan = off
as $$
begin
  if exists (select from demystify_memory.erasure_event e
              where e.tenant_key = p_tenant and e.tombstone_id = p_tombstone and e.event = 'destroyed') then
    perform demystify_memory.settle(p_tenant, p_tombstone);
  end if;
end
$$;
comment on function demystify_memory.settle_if_destroyed is 'Completes an erasure whose rows are gone, if nothing is outstanding.';

create or replace function demystify_memory.attest(
  p_tenant text, p_tombstone uuid, p_placement uuid, p_by text, p_reference text
) returns text
language plpgsql security definer  -- evidence is not the caller's to write
set search_path = ''
set jit = off
set enable_seqscan = off
as $$
begin
  perform demystify_memory.assert_tenant(p_tenant, true);
  perform set_config('synchronous_commit', 'on', true);
  perform pg_advisory_xact_lock(hashtextextended(p_tombstone::text, 0));
  perform demystify_memory.assert_erasure(p_tenant, p_tombstone);
  if p_placement is null then
    if not exists (select from demystify_memory.erasure_event e
                    where e.tenant_key = p_tenant and e.tombstone_id = p_tombstone and e.event in ('closure_attested', 'completed')) then
      insert into demystify_memory.erasure_event (tenant_key, tombstone_id, event, actor, reference)
        values (p_tenant, p_tombstone, 'closure_attested', p_by, p_reference);
    end if;
  elsif demystify_memory.assert_outstanding(p_tenant, p_tombstone, p_placement) then
    insert into demystify_memory.erasure_event (tenant_key, tombstone_id, event, placement_id, actor, reference)
      values (p_tenant, p_tombstone, 'attested', p_placement, p_by, p_reference);
    if not exists (select from demystify_memory.tombstone_item i,
                   lateral demystify_memory.erasure_placements(p_tenant, i.tombstone_id) x
                    where i.tenant_key = p_tenant and i.item_id = p_placement and x.placement_id = p_placement
                      and not x.confirmed and not x.attested) then
      perform demystify_memory.release_ref(p_tenant, p_placement);
    end if;
  end if;
  perform demystify_memory.settle_if_destroyed(p_tenant, p_tombstone);
  return demystify_memory.receipt_json(p_tenant, p_tombstone)::text;
end
$$;
comment on function demystify_memory.attest is 'A person vouches for a copy, or for a closure; shown as attested, never as confirmed.';

create or replace function demystify_memory.escalate(p_tenant text, p_tombstone uuid, p_code text) returns text
language plpgsql security definer  -- evidence is not the caller's to write
set search_path = ''
set jit = off
set enable_seqscan = off
as $$
begin
  perform demystify_memory.assert_tenant(p_tenant, true);
  perform demystify_memory.assert_erasure(p_tenant, p_tombstone);
  if not exists (select from demystify_memory.erasure_event e
                  where e.tenant_key = p_tenant and e.tombstone_id = p_tombstone and e.event = 'completed') then
    insert into demystify_memory.erasure_event (tenant_key, tombstone_id, event, code)
      values (p_tenant, p_tombstone, 'escalated', p_code);
  end if;
  return demystify_memory.receipt_json(p_tenant, p_tombstone)::text;
end
$$;
comment on function demystify_memory.escalate is 'A person takes over an erasure that is stuck.';
