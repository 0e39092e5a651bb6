-- The three steps. opened: a durable tombstone, and the closure is invisible. destroyed: the rows are gone and counted
-- again. complete: nothing is outstanding. Each is its own commit; whoever comes next goes on from what is inserted.

-- Step 1. p_request: {"tombstoneId", "scope", "subject", "memoryIds", "reason", "legalBasis", "origin",
-- "requestedBy": {"role", "idHash"}, "requestHash", "previewToken"}. Answers the receipt.
create or replace function demystify_memory.open_erasure_step(p_tenant text, p_request jsonb) returns uuid
language plpgsql security definer  -- writes evidence for the caller
set search_path = ''
set jit = off
set enable_seqscan = off
as $$
declare
  v_id      uuid := (p_request ->> 'tombstoneId')::uuid;
  v_target  record;
  v_closure record;
  v_facts   record;
  v_joined  uuid;
  v_known   jsonb := p_request #> '{subject,known}';
  v_held    text[];
  v_placements uuid[];
begin
  perform demystify_memory.assert_tenant(p_tenant, true);
  perform demystify_memory.assert_read_committed();
  perform demystify_memory.assert_keys(p_tenant, v_known);
  -- Whatever the host's default: the tombstone is on disk before anybody can act on it.
  perform set_config('synchronous_commit', 'on', true);

  if exists (select from demystify_memory.tombstone t where t.tenant_key = p_tenant and t.tombstone_id = v_id) then
    return v_id;
  end if;
  if not exists (select from demystify_memory.legal_basis b where b.code = p_request ->> 'legalBasis') then
    raise exception 'legalBasis: is not a code of the table legal_basis' using errcode = 'ME001';
  end if;

  -- The lock comes first: from here on no writer can slip in, and those that were faster are seen below.
  if v_known is not null then
    perform demystify_memory.register_key(p_tenant, v_known);
    if jsonb_array_length(v_known) > 1 then
      perform demystify_memory.link_subjects(p_tenant, jsonb_build_array(v_known));
    end if;
    insert into demystify_memory.subject (tenant_key, subject_hash, key_id)
      select p_tenant, h.value ->> 'hash', h.value ->> 'keyId' from jsonb_array_elements(v_known) h
      order by 2
      on conflict do nothing;
  end if;
  -- A request for chosen memories that was answered before is known by its id alone: half destroyed, what is left of them
  -- need not say whose they were.
  if p_request ->> 'scope' = 'memories' then
    v_joined := demystify_memory.erasure_to_join(p_tenant, p_request, '{}', '{}');
    if v_joined is not null then
      return v_joined;
    end if;
  end if;
  v_target := demystify_memory.erasure_target(p_tenant, p_request, true);
  perform 1 from demystify_memory.subject s
    where s.tenant_key = p_tenant and s.subject_hash = any(v_target.hashes)
    order by s.subject_hash for no key update;
  update demystify_memory.subject s set last_erased_at = clock_timestamp()
    where s.tenant_key = p_tenant and s.subject_hash = any(v_target.hashes);
  v_target := demystify_memory.erasure_target(p_tenant, p_request);

  v_joined := demystify_memory.erasure_to_join(p_tenant, p_request, v_target.hashes, v_target.memory_ids);
  if v_joined is not null then
    -- Asked again with this request id, also once it is complete, it is still this erasure.
    if p_request ->> 'requestHash' is not null and not exists (
         select from demystify_memory.tombstone t
          where t.tenant_key = p_tenant and t.request_hash = p_request ->> 'requestHash') then
      insert into demystify_memory.erasure_event (tenant_key, tombstone_id, event, request_hash)
        values (p_tenant, v_joined, 'joined', p_request ->> 'requestHash')
        on conflict (tenant_key, request_hash) where request_hash is not null do nothing;
    end if;
    return v_joined;
  end if;

  v_held := demystify_memory.held_subjects(p_tenant);
  if v_target.hashes && v_held then
    -- No tombstone. The refusal is recorded, and the caller told, without aborting the transaction that records it.
    insert into demystify_memory.legal_hold_refusal (tenant_key, hold_id)
      select h.tenant_key, h.hold_id from demystify_memory.legal_hold h
       where h.tenant_key = p_tenant and h.releases is null and h.subject_hash = any(v_target.hashes)
         and (h.until is null or h.until > statement_timestamp())
         and not exists (select from demystify_memory.legal_hold r where r.tenant_key = h.tenant_key and r.releases = h.hold_id);
    return null;
  end if;

  v_closure := demystify_memory.closure_of(p_tenant, v_target.memory_ids, v_target.derived_ids);
  v_placements := demystify_memory.placements_of(
    p_tenant, case when p_request ->> 'origin' <> 'replay' then p_request ->> 'scope' end, v_target.hashes,
    v_target.memory_ids, v_closure.derived_ids);
  v_placements := v_placements || array(
    select p.placement_id
      from jsonb_array_elements_text(coalesce(p_request -> 'placementIds', '[]')) u
      cross join lateral (select x.* from demystify_memory.placement x
                           where x.tenant_key = p_tenant and x.placement_id = u.value::uuid offset 0) p
     where p.gone_at is null and p.placement_id <> all(v_placements));
  if p_request ->> 'previewToken' is not null
     and p_request ->> 'previewToken' <> demystify_memory.preview_token(
       p_tenant, v_target.memory_ids, v_closure.derived_ids, v_placements) then
    raise exception 'the closure has changed since the preview' using errcode = 'ME009';
  end if;

  v_facts := demystify_memory.closure_facts(p_tenant, v_target.hashes, v_target.memory_ids, v_closure.derived_ids);
  insert into demystify_memory.tombstone (
    tenant_key, tombstone_id, scope, subject_hash, subject_key_id, reason, legal_basis, origin, requested_by_role,
    requested_by_hash, request_hash, planned_memories, planned_derived, planned_edges, planned_placements, cascade_depth, other_subjects,
    already_erased, never_seen, matched, closure_known, replays, replays_opened_at)
  values (
    p_tenant, v_id, p_request ->> 'scope', v_target.subject_hash, v_target.key_id, p_request ->> 'reason',
    p_request ->> 'legalBasis', p_request ->> 'origin', p_request #>> '{requestedBy,role}',
    p_request #>> '{requestedBy,idHash}', p_request ->> 'requestHash', cardinality(v_target.memory_ids),
    cardinality(v_closure.derived_ids), v_facts.edges, cardinality(v_placements), v_closure.cascade_depth,
    v_facts.other_subjects, v_target.already_erased, v_target.never_seen,
    v_target.memory_ids <> '{}' or v_closure.derived_ids <> '{}' or v_placements <> '{}', v_facts.closure_known,
    (p_request ->> 'replays')::uuid, (p_request ->> 'replaysOpenedAt')::timestamptz);

  insert into demystify_memory.tombstone_item (tenant_key, item_id, tombstone_id, kind)
    select p_tenant, u, v_id, 'placement' from unnest(v_placements) u;

  if v_target.memory_ids <> '{}' or v_closure.derived_ids <> '{}' then
    insert into demystify_memory.tombstone_item (
      tenant_key, item_id, tombstone_id, kind, depth, content_tags, derived_kind, surviving_memories, surviving_derived)
    with going as materialized (
      select unnest(v_target.memory_ids || v_closure.derived_ids) as id
      union all
      select o from demystify_memory.open_items(p_tenant) o
    ), closing as materialized (
      select u.id, u.depth, d.*
        from unnest(v_closure.derived_ids, v_closure.depths) u(id, depth),
        lateral (select x.kind, x.content_tags, x.source_memories, x.source_derived
                   from demystify_memory.derived x
                  where x.tenant_key = p_tenant and x.derived_id = u.id offset 0) d
    ), staying as materialized (
      select c.id,
             coalesce(array_agg(s order by s) filter (where s = any(c.source_memories)), '{}') as memories,
             coalesce(array_agg(s order by s) filter (where s = any(c.source_derived)), '{}') as deriveds
        from closing c, unnest(c.source_memories || c.source_derived) s
       where s not in (select g.id from going g)
       group by c.id
    )
    select p_tenant, u.id, v_id, 'memory', 0, m.content_tags, null, null::uuid[], null::uuid[]
      from unnest(v_target.memory_ids) u(id),
      lateral (select x.content_tags from demystify_memory.memory x
                where x.tenant_key = p_tenant and x.memory_id = u.id offset 0) m
    union all
    select p_tenant, c.id, v_id, 'derived', c.depth, c.content_tags, case when s.id is not null then c.kind end,
           s.memories, s.deriveds
      from closing c left join staying s on s.id = c.id;

    insert into demystify_memory.open_erasure (tenant_key, tombstone_id, memory_ids, derived_ids, subject_hashes)
      values (p_tenant, v_id, v_target.memory_ids, v_closure.derived_ids, v_facts.subject_hashes);

    if exists (select from demystify_memory.idempotency_key k where k.tenant_key = p_tenant) then
      delete from demystify_memory.idempotency_key k
        using unnest(v_target.memory_ids) u(id),
        lateral (select x.idempotency_hash from demystify_memory.memory x
                  where x.tenant_key = p_tenant and x.memory_id = u.id and x.idempotency_hash is not null offset 0) m
        where k.tenant_key = p_tenant and k.idempotency_hash = m.idempotency_hash and k.memory_id = u.id;
    end if;
  end if;
  return v_id;
end
$$;
comment on function demystify_memory.open_erasure_step is
  'Step 1: locks the person, computes the closure, writes the tombstone and its items. Answers the tombstone''s id.';

-- The open erasure that this request is already part of, if there is one.
create or replace function demystify_memory.erasure_to_join(p_tenant text, p_request jsonb, p_hashes text[], p_memories uuid[])
returns uuid
language plpgsql stable security definer  -- evidence is not the caller's to read
set search_path = ''
set jit = off
set enable_seqscan = off
as $$
declare
  v_earlier demystify_memory.tombstone;
  v_asked   int := coalesce(jsonb_array_length(nullif(p_request -> 'memoryIds', 'null')), 0);
begin
  if p_request ->> 'requestHash' is not null then
    select * into v_earlier from demystify_memory.tombstone t
      where t.tenant_key = p_tenant and t.request_hash = p_request ->> 'requestHash';
    if found then
      if v_earlier.scope is distinct from p_request ->> 'scope'
         or (v_earlier.scope = 'subject' and v_earlier.subject_hash <> all(p_hashes))
         or (v_earlier.scope = 'memories' and (
              v_asked <> v_earlier.planned_memories + v_earlier.already_erased + v_earlier.never_seen
              or v_earlier.planned_memories <> (
                select count(*) from jsonb_array_elements_text(p_request -> 'memoryIds') u
                 where exists (select from demystify_memory.tombstone_item i
                                where i.tenant_key = p_tenant and i.item_id = u.value::uuid
                                  and i.tombstone_id = v_earlier.tombstone_id offset 0)))) then
        raise exception 'requestId: was used before for another scope' using errcode = 'ME001';
      end if;
      return v_earlier.tombstone_id;
    end if;
    select t.* into v_earlier
      from demystify_memory.erasure_event e
      join demystify_memory.tombstone t on t.tenant_key = e.tenant_key and t.tombstone_id = e.tombstone_id
     where e.tenant_key = p_tenant and e.request_hash = p_request ->> 'requestHash';
    if found then
      -- Only a request for a whole person joins.
      if p_request ->> 'scope' <> 'subject' or v_earlier.subject_hash <> all(p_hashes) then
        raise exception 'requestId: was used before for another scope' using errcode = 'ME001';
      end if;
      return v_earlier.tombstone_id;
    end if;
  end if;

  if p_request ->> 'scope' <> 'subject' or p_request ->> 'origin' = 'replay' then
    return null;
  end if;
  return (
    select t.tombstone_id
      from demystify_memory.tombstone t
     where t.tenant_key = p_tenant and t.scope = 'subject' and t.subject_hash = any(p_hashes)
       and not exists (select from demystify_memory.erasure_event e
                        where e.tenant_key = p_tenant and e.tombstone_id = t.tombstone_id and e.event = 'completed')
       and not exists (select from unnest(p_memories) u(id)
                        where not exists (select from demystify_memory.tombstone_item i
                                           where i.tenant_key = p_tenant and i.item_id = u.id
                                             and i.tombstone_id = t.tombstone_id offset 0))
     order by t.opened_at desc limit 1);
end
$$;
comment on function demystify_memory.erasure_to_join is
  'The erasure with the same request id, or an open one of the same person that covers all there is; else null.';
