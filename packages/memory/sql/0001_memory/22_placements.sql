-- Copies outside these tables. Recorded before they are made; followed until each is known to be gone.

-- A placement is the only handle to its copy: it is not deleted before the copy is gone, and what it says does not
-- change. gone_at is set only on evidence, or by a writer who never wrote.
create or replace function demystify_memory.guard_placement() returns trigger
language plpgsql security definer  -- reads evidence for whoever writes
set search_path = ''
set jit = off
as $$
begin
  if tg_op = 'DELETE' then
    if old.gone_at is null then
      raise exception 'a placement whose copy is not known to be gone cannot be deleted: it is the only handle to it'
        using errcode = 'ME015', hint = 'Confirm it in its erasure, have a person attest it, or abandon it if it was never written.';
    end if;
    return old;
  end if;
  if (new.tenant_key, new.placement_id, new.sink, new.kind, new.source_memories, new.source_derived, new.subject_hashes, new.created_at)
     is distinct from
     (old.tenant_key, old.placement_id, old.sink, old.kind, old.source_memories, old.source_derived, old.subject_hashes, old.created_at) then
    raise exception 'update of a placement is refused: its sink, sources and identity never change' using errcode = 'ME015';
  end if;
  if old.gone_at is null and new.gone_at is not null
     and not (old.write_deadline is not null and old.written_at is null and not exists (
       select from demystify_memory.tombstone_item i
        where i.tenant_key = new.tenant_key and i.item_id = new.placement_id))
     and not exists (
       select from demystify_memory.tombstone_item i
        where i.tenant_key = new.tenant_key and i.item_id = new.placement_id
          and exists (select from demystify_memory.erasure_placements(i.tenant_key, i.tombstone_id) p
                       where p.placement_id = new.placement_id and (p.confirmed or p.attested))) then
    raise exception 'a copy is gone when it is confirmed or attested, or was never written' using errcode = 'ME015';
  end if;
  if new.ref is distinct from old.ref and new.gone_at is null and new.ref is null then
    raise exception 'the ref of a copy that may still exist cannot be removed' using errcode = 'ME015';
  end if;
  return new;
end
$$;
comment on function demystify_memory.guard_placement is 'Refuses (ME015) to lose the handle to a copy.';

drop trigger if exists placement_is_kept_until_gone on demystify_memory.placement;
create trigger placement_is_kept_until_gone before update or delete on demystify_memory.placement
  for each row execute function demystify_memory.guard_placement();
alter table demystify_memory.placement enable always trigger placement_is_kept_until_gone;

create or replace function demystify_memory.placement_json(p demystify_memory.placement) returns json
language plpgsql stable
set search_path = ''
as $$
begin
  return json_build_object(
    'tenantKey', p.tenant_key, 'placementId', p.placement_id, 'sink', p.sink, 'kind', p.kind, 'ref', p.ref,
    'state', case when p.gone_at is not null then 'gone'
                  when p.write_deadline is not null and p.written_at is null then 'writing' else 'written' end,
    'createdAt', to_char(p.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'));
end
$$;
comment on function demystify_memory.placement_json is 'A placement in the shape of the library''s Placement.';

create or replace function demystify_memory.assert_usable_sources(p_tenant text, p_memories uuid[], p_derived uuid[]) returns void
language plpgsql stable security definer  -- must see every source and every tombstone, whatever the caller may see
set search_path = ''
set jit = off
as $$
declare
  v_ids uuid[];
begin
  v_ids := array(select u from unnest(p_memories || p_derived) u
                  where exists (select from demystify_memory.tombstone_item i
                                 where i.tenant_key = p_tenant and i.item_id = u offset 0));
  if v_ids <> '{}' then
    raise exception 'a source was forgotten' using errcode = 'ME003', detail = json_build_object('ids', v_ids)::text;
  end if;
  v_ids := array(
    select u from unnest(p_memories) u
     where not exists (select from demystify_memory.memory m
                        where m.tenant_key = p_tenant and m.memory_id = u
                          and (m.expires_at is null or m.expires_at > statement_timestamp()) offset 0)
    union all
    select u from unnest(p_derived) u
     where not exists (select from demystify_memory.derived d
                        where d.tenant_key = p_tenant and d.derived_id = u
                          and (d.expires_at is null or d.expires_at > statement_timestamp()) offset 0));
  if v_ids <> '{}' then
    raise exception 'a source does not exist' using errcode = 'ME002', detail = json_build_object('ids', v_ids)::text;
  end if;
  if exists (select from demystify_memory.restriction_in_force r where r.tenant_key = p_tenant) and (
       exists (select from demystify_memory.restriction_in_force r
                where r.tenant_key = p_tenant and r.item_ids && (p_memories || p_derived))
    or exists (select from unnest(p_memories) u
                 join demystify_memory.memory m on m.tenant_key = p_tenant and m.memory_id = u
                where (m.subject_hash || m.also_hashes) && array(select demystify_memory.restricted_subjects(p_tenant)))
    or exists (select from unnest(p_derived) u
                 join demystify_memory.derived d on d.tenant_key = p_tenant and d.derived_id = u
                where d.subject_hashes && array(select demystify_memory.restricted_subjects(p_tenant)))) then
    raise exception 'a source is restricted' using errcode = 'ME008', detail = '{"ids": []}';
  end if;
end
$$;
comment on function demystify_memory.assert_usable_sources is
  'What the gate asks of the sources of a new row, for a copy that is recorded already: forgotten (ME003), gone (ME002), restricted (ME008).';

create or replace function demystify_memory.record_placement(
  p_tenant text, p_id uuid, p_sink text, p_ref text, p_kind text, p_source_memories uuid[], p_source_derived uuid[],
  p_fingerprint text, p_write_within float8
) returns text
language plpgsql security definer  -- the caller holds no INSERT
set search_path = ''
set jit = off
as $$
declare
  v_id uuid;
begin
  perform demystify_memory.assert_tenant(p_tenant, true);
  insert into demystify_memory.sink (tenant_key, sink) values (p_tenant, p_sink) on conflict do nothing;
  insert into demystify_memory.placement (
    tenant_key, placement_id, sink, ref, kind, source_memories, source_derived, fingerprint, write_deadline)
  values (
    p_tenant, p_id, p_sink, p_ref, p_kind, p_source_memories, p_source_derived, p_fingerprint,
    clock_timestamp() + make_interval(secs => p_write_within))
  on conflict (tenant_key, fingerprint) where fingerprint is not null do nothing
  returning placement_id into v_id;
  if v_id is null then
    -- The gate stands at the insert, and there was none.
    perform demystify_memory.assert_usable_sources(p_tenant, p_source_memories, p_source_derived);
  end if;
  return (
    select demystify_memory.placement_json(p) from demystify_memory.placement p
     where p.tenant_key = p_tenant
       and (p.placement_id = v_id or (v_id is null and p.fingerprint = p_fingerprint)))::text;
end
$$;
comment on function demystify_memory.record_placement is 'Records a copy before it is made; the same copy twice is one placement.';

-- The writer has written. Under a tombstone that is too late: the copy is outstanding again, and the answer says so.
create or replace function demystify_memory.placement_written(p_tenant text, p_id uuid, p_ref text) returns text
language plpgsql security definer  -- the caller holds no UPDATE
set search_path = ''
set jit = off
as $$
declare
  v_placement demystify_memory.placement;
  v_covering  demystify_memory.tombstone;
  v_late      uuid;
begin
  perform demystify_memory.assert_tenant(p_tenant, true);
  select * into v_placement from demystify_memory.placement p
    where p.tenant_key = p_tenant and p.placement_id = p_id for update;
  if not found then
    raise exception 'no such placement' using errcode = 'ME012', detail = '{"what": "placement"}';
  end if;
  -- Against an erasure that opens at this moment: it locks the same persons.
  perform 1 from demystify_memory.subject s
    where s.tenant_key = p_tenant and s.subject_hash = any(v_placement.subject_hashes)
    order by s.subject_hash for share;

  select t.* into v_covering
    from demystify_memory.tombstone_item i
    join demystify_memory.tombstone t on t.tenant_key = i.tenant_key and t.tombstone_id = i.tombstone_id
   where i.tenant_key = p_tenant and i.item_id = p_id
   order by t.opened_at desc, t.tombstone_id desc limit 1;
  if coalesce(p_ref, v_placement.ref) is null then
    raise exception 'ref: is required, because it was removed when the copy was taken for gone' using errcode = 'ME001';
  end if;
  -- Whatever was known before: there is a copy now.
  update demystify_memory.placement p
     set written_at = clock_timestamp(), ref = coalesce(p_ref, p.ref), gone_at = null
   where p.tenant_key = p_tenant and p.placement_id = p_id;
  -- Whoever is at the copy has looked at what it was before.
  delete from demystify_memory.placement_lease l where l.tenant_key = p_tenant and l.placement_id = p_id;

  if v_covering.tombstone_id is not null then
    perform set_config('synchronous_commit', 'on', true);
    insert into demystify_memory.erasure_event (tenant_key, tombstone_id, event, placement_id)
      select i.tenant_key, i.tombstone_id, 'late_write', p_id
        from demystify_memory.tombstone_item i
       where i.tenant_key = p_tenant and i.item_id = p_id
         and not exists (select from demystify_memory.erasure_event e
                          where e.tenant_key = p_tenant and e.tombstone_id = i.tombstone_id and e.event = 'completed');
    if not found then
      v_late := demystify_memory.uuid_v7();
      insert into demystify_memory.tombstone (
        tenant_key, tombstone_id, scope, subject_hash, subject_key_id, reason, legal_basis, origin, planned_placements, matched)
      values (p_tenant, v_late, 'memories', v_covering.subject_hash, v_covering.subject_key_id, v_covering.reason,
              v_covering.legal_basis, 'late_write', 1, true);
      insert into demystify_memory.tombstone_item (tenant_key, item_id, tombstone_id, kind) values (p_tenant, p_id, v_late, 'placement');
      insert into demystify_memory.erasure_event (tenant_key, tombstone_id, event) values (p_tenant, v_late, 'destroyed');
    end if;
  end if;
  return json_build_object(
    'forgotten', v_covering.tombstone_id is not null,
    'placement', (select demystify_memory.placement_json(p) from demystify_memory.placement p
                   where p.tenant_key = p_tenant and p.placement_id = p_id))::text;
end
$$;
comment on function demystify_memory.placement_written is 'A writer reports its write; after a tombstone the copy is outstanding again.';

create or replace function demystify_memory.placement_abandoned(p_tenant text, p_id uuid) returns text
language plpgsql security definer  -- the caller holds no UPDATE
set search_path = ''
set jit = off
as $$
declare
  v_placement demystify_memory.placement;
begin
  perform demystify_memory.assert_tenant(p_tenant, true);
  select * into v_placement from demystify_memory.placement p
    where p.tenant_key = p_tenant and p.placement_id = p_id for update;
  if not found then
    raise exception 'no such placement' using errcode = 'ME012', detail = '{"what": "placement"}';
  end if;
  if v_placement.written_at is not null or v_placement.write_deadline is null then
    raise exception 'placementId: was written, so it cannot be abandoned' using errcode = 'ME001';
  end if;
  if v_placement.gone_at is null then
    if exists (select from demystify_memory.tombstone_item i where i.tenant_key = p_tenant and i.item_id = p_id) then
      -- Under a tombstone the writer's word only ends the wait: the read-back still decides.
      update demystify_memory.placement p set write_deadline = least(p.write_deadline, clock_timestamp())
        where p.tenant_key = p_tenant and p.placement_id = p_id;
    else
      update demystify_memory.placement p set gone_at = clock_timestamp(), ref = null, fingerprint = null
        where p.tenant_key = p_tenant and p.placement_id = p_id;
    end if;
  end if;
  return (select demystify_memory.placement_json(p) from demystify_memory.placement p
           where p.tenant_key = p_tenant and p.placement_id = p_id)::text;
end
$$;
comment on function demystify_memory.placement_abandoned is 'A writer reports that it never wrote and never will.';

-- For whoever compares a sink with what is on record: a word for each id, and nothing for one that nobody recorded.
create or replace function demystify_memory.placement_status(p_tenant text, p_ids uuid[]) returns text
language plpgsql stable security definer  -- the caller reads no base table
set search_path = ''
set jit = off
as $$
begin
  perform demystify_memory.assert_tenant(p_tenant, false);
  if cardinality(p_ids) > 1000 then
    raise exception 'placementIds: must hold at most 1000 elements' using errcode = 'ME001';
  end if;
  return (
    select coalesce(json_agg(json_build_object(
             'placementId', p.placement_id, 'sink', p.sink,
             'status', case when p.gone_at is null then case when c.covered then 'outstanding' else 'live' end
                            else case when c.covered then 'gone' else 'abandoned' end end) order by p.placement_id), '[]')
      from demystify_memory.placement p,
      lateral (
        select exists (select from demystify_memory.tombstone_item i
                        where i.tenant_key = p_tenant and i.item_id = p.placement_id) as covered) c
     where p.tenant_key = p_tenant and p.placement_id = any(p_ids))::text;
end
$$;
comment on function demystify_memory.placement_status is
  'Of each copy its sink, and whether it is live, outstanding in an erasure, gone by one, or was abandoned. No more than that.';

create or replace function demystify_memory.register_sink(p_tenant text, p_sink text, p_proof text) returns text
language plpgsql security definer  -- the caller holds no INSERT
set search_path = ''
set jit = off
as $$
declare
  v_sink   demystify_memory.sink;
  v_levels text[] := array['absent', 'unfindable', 'purged'];
begin
  perform demystify_memory.assert_tenant(p_tenant, true);
  insert into demystify_memory.sink as s (tenant_key, sink, required_proof, registered)
    values (p_tenant, p_sink, p_proof, 'explicit')
    on conflict (tenant_key, sink) do update set required_proof = excluded.required_proof, registered = 'explicit'
      where s.registered = 'automatic'
         or array_position(v_levels, excluded.required_proof) >= array_position(v_levels, s.required_proof)
    returning * into v_sink;
  if v_sink is null then
    raise exception 'requiredProof: a sink registered before cannot be lowered' using errcode = 'ME001';
  end if;
  return json_build_object('sink', v_sink.sink, 'requiredProof', v_sink.required_proof, 'registered', v_sink.registered)::text;
end
$$;
comment on function demystify_memory.register_sink is 'Sets the proof a sink must give; an explicit registration is never lowered.';

create or replace function demystify_memory.list_sinks(p_tenant text) returns text
language plpgsql stable security definer  -- the caller reads no base table
set search_path = ''
as $$
begin
  perform demystify_memory.assert_tenant(p_tenant, false);
  return (
    select coalesce(json_agg(json_build_object('sink', s.sink, 'requiredProof', s.required_proof, 'registered', s.registered)
                             order by s.sink), '[]')
      from demystify_memory.sink s where s.tenant_key = p_tenant)::text;
end
$$;
comment on function demystify_memory.list_sinks is 'The sinks of a tenant with the proof each must give.';

create or replace function demystify_memory.assert_erasure(p_tenant text, p_tombstone uuid) returns void
language plpgsql stable security definer  -- evidence is not the caller's to read
set search_path = ''
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
