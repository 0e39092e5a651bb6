-- What an erasure waits for, and who works on it.

create or replace function demystify_memory.assert_erasure(p_tenant text, p_tombstone uuid) returns void
language plpgsql stable security definer  -- evidence is not the caller's to read
set search_path = ''
set jit = off
set enable_seqscan = off
as $$
begin
  if not exists (select from demystify_memory.tombstone t where t.tenant_key = p_tenant and t.tombstone_id = p_tombstone) then
    raise exception 'no such erasure' using errcode = 'ME012', detail = '{"what": "erasure"}';
  end if;
end
$$;
comment on function demystify_memory.assert_erasure is 'Raises ME012 if the tenant has no such erasure.';

-- p_owner null: all that is outstanding, unchanged. Else: what nobody else has leased, leased to this owner. An idle
-- lease only keeps a copy until it is due again; p_take_idle takes it all the same.
create or replace function demystify_memory.outstanding(
  p_tenant text, p_tombstone uuid, p_owner text, p_seconds float8, p_idle boolean, p_take_idle boolean
) returns text
language plpgsql security definer  -- leases are the engine's to write
set search_path = ''
set jit = off
set enable_seqscan = off
as $$
declare
  v_ids uuid[];
begin
  perform demystify_memory.assert_tenant(p_tenant, p_owner is not null);
  perform demystify_memory.assert_erasure(p_tenant, p_tombstone);
  v_ids := array(select x.placement_id from demystify_memory.erasure_placements(p_tenant, p_tombstone) x
                  where not x.confirmed and not x.attested order by x.placement_id);
  if p_owner is not null then
    with taken as (
      insert into demystify_memory.placement_lease as l (tenant_key, tombstone_id, placement_id, owner, leased_until, idle)
        select p_tenant, p_tombstone, u, p_owner, clock_timestamp() + make_interval(secs => p_seconds), p_idle from unnest(v_ids) u
        order by u
        on conflict (tenant_key, tombstone_id, placement_id) do update
          set owner = excluded.owner, leased_until = excluded.leased_until, idle = excluded.idle
          where l.owner = excluded.owner or l.leased_until <= clock_timestamp() or (p_take_idle and l.idle)
        returning placement_id)
    select array_agg(t.placement_id) into v_ids from taken t;
  end if;
  return (
    select coalesce(json_agg(json_build_object(
             'placementId', p.placement_id, 'sink', p.sink, 'ref', p.ref, 'kind', p.kind, 'requiredProof', s.required_proof,
             'attempts', a.attempts, 'lastAttemptAt', demystify_memory.iso(a.last_at), 'lastErrorCode', a.last_code,
             'writtenAt', demystify_memory.iso(p.written_at),
             'writeDeadline', case when p.written_at is null then demystify_memory.iso(p.write_deadline) end,
             'leasedUntil', l.until, 'retryAt', case when l.idle then l.until end) order by p.placement_id), '[]')
      from demystify_memory.placement p
      join demystify_memory.sink s on s.tenant_key = p.tenant_key and s.sink = p.sink
      left join lateral (
        select demystify_memory.iso(l.leased_until) as until, l.idle
          from demystify_memory.placement_lease l
         where l.tenant_key = p_tenant and l.tombstone_id = p_tombstone and l.placement_id = p.placement_id
           and l.leased_until > clock_timestamp()) l on true,
      lateral (
        select count(*) as attempts, max(e.at) as last_at,
               (array_agg(e.code order by e.at desc) filter (where e.code is not null))[1] as last_code
          from demystify_memory.erasure_event e
         where e.tenant_key = p_tenant and e.tombstone_id = p_tombstone and e.placement_id = p.placement_id
           and e.event = 'attempt') a
     where p.tenant_key = p_tenant and p.placement_id = any(v_ids))::text;
end
$$;
comment on function demystify_memory.outstanding is 'The copies an erasure waits for, with attempts and leases.';

create or replace function demystify_memory.assert_outstanding(p_tenant text, p_tombstone uuid, p_placement uuid) returns boolean
language plpgsql stable security definer  -- evidence is not the caller's to read
set search_path = ''
set jit = off
as $$
declare
  v_known record;
begin
  perform demystify_memory.assert_erasure(p_tenant, p_tombstone);
  select x.* into v_known from demystify_memory.erasure_placements(p_tenant, p_tombstone) x where x.placement_id = p_placement;
  if not found then
    raise exception 'no such placement' using errcode = 'ME012', detail = '{"what": "placement"}';
  end if;
  return not v_known.confirmed and not v_known.attested;
end
$$;
comment on function demystify_memory.assert_outstanding is 'Whether an erasure still waits for a copy; ME012 if it does not know it.';

create or replace function demystify_memory.record_attempt(
  p_tenant text, p_tombstone uuid, p_placement uuid, p_outcome text, p_code text
) returns void
language plpgsql security definer  -- evidence is not the caller's to write
set search_path = ''
set jit = off
set enable_seqscan = off
as $$
begin
  perform demystify_memory.assert_tenant(p_tenant, true);
  perform demystify_memory.assert_outstanding(p_tenant, p_tombstone, p_placement);
  insert into demystify_memory.erasure_event (tenant_key, tombstone_id, event, placement_id, proof, code)
    values (p_tenant, p_tombstone, 'attempt', p_placement, case when p_outcome <> 'failed' then p_outcome end,
            case when p_outcome = 'failed' then coalesce(p_code, 'other') else p_code end);
end
$$;
comment on function demystify_memory.record_attempt is 'Records how a try to destroy a copy ended, as a code.';
