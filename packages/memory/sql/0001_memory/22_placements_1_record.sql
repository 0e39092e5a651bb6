-- Copies outside these tables. Recorded before they are made; followed until each is known to be gone.

-- A placement is the only handle to its copy: it is not deleted before the copy is gone, and what it says does not
-- change. gone_at is set only on evidence, or by a writer who never wrote.
create or replace function demystify_memory.guard_placement() returns trigger
language plpgsql security definer  -- reads evidence for whoever writes
set search_path = ''
set jit = off
set enable_seqscan = off
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
set enable_seqscan = off
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
set enable_seqscan = off
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
set enable_seqscan = off
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
set enable_seqscan = off
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
set enable_seqscan = off
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
