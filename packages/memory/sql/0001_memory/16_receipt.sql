-- The receipt and the state are computed from what was inserted; nothing stores them.

create or replace view demystify_memory.erasure_state as
  select t.tenant_key, t.tombstone_id,
         case when e.completed_at is not null then 'complete'
              when e.escalated_at is not null then 'escalated'
              else 'in_progress' end as state,
         e.destroyed_at, e.completed_at, e.escalated_at, e.escalation_code,
         e.memories, e.derived, e.edges, greatest(t.cascade_depth, e.depth) as cascade_depth, e.attested
    from demystify_memory.tombstone t,
    lateral (
      select min(e.at) filter (where e.event = 'destroyed') as destroyed_at,
             min(e.at) filter (where e.event = 'completed') as completed_at,
             max(e.at) filter (where e.event = 'escalated') as escalated_at,
             (array_agg(e.code order by e.at desc) filter (where e.event = 'escalated'))[1] as escalation_code,
             coalesce(sum(e.memories), 0) as memories,
             coalesce(sum(e.derived), 0) as derived,
             coalesce(sum(e.edges), 0) as edges,
             coalesce(max(e.depth), 0) as depth,
             coalesce(bool_or(e.event in ('attested', 'closure_attested')), false) as attested
        from demystify_memory.erasure_event e
       where e.tenant_key = t.tenant_key and e.tombstone_id = t.tombstone_id) e;
comment on view demystify_memory.erasure_state is 'Where each erasure stands, computed from its events. Not granted to anybody.';

-- The placements of an erasure with what is known of each. A write reported after the fact makes a copy outstanding
-- again, so what counts is what came after the last of those.
create or replace function demystify_memory.erasure_placements(p_tenant text, p_tombstone uuid)
returns table (placement_id uuid, sink text, confirmed boolean, attested boolean)
language plpgsql stable security definer  -- evidence is not the caller's to read
set search_path = ''
set jit = off
set enable_seqscan = off
as $$
#variable_conflict use_column
begin
  return query
  select i.item_id, p.sink,
         coalesce(bool_or(e.event = 'confirmed' and e.at > coalesce(l.at, '-infinity')), false),
         coalesce(bool_or(e.event = 'attested' and e.at > coalesce(l.at, '-infinity')), false)
    from demystify_memory.tombstone_item i
    left join demystify_memory.placement p on p.tenant_key = i.tenant_key and p.placement_id = i.item_id
    left join lateral (
      select max(w.at) as at from demystify_memory.erasure_event w
       where w.tenant_key = p_tenant and w.tombstone_id = p_tombstone and w.placement_id = i.item_id and w.event = 'late_write') l on true
    left join demystify_memory.erasure_event e
      on e.tenant_key = p_tenant and e.tombstone_id = p_tombstone and e.placement_id = i.item_id
     and e.event in ('confirmed', 'attested')
   where i.tenant_key = p_tenant and i.tombstone_id = p_tombstone and i.kind = 'placement'
   group by i.item_id, p.sink;
end
$$;
comment on function demystify_memory.erasure_placements is 'The copies an erasure covers, and whether each is known to be gone.';

-- What was planned until the rows are destroyed, and what was destroyed from then on.
create or replace function demystify_memory.counts_json(p_tenant text, p_tombstone uuid) returns json
language plpgsql stable security definer  -- evidence is not the caller's to read
set search_path = ''
set jit = off
set enable_seqscan = off
as $$
begin
  return (
    select json_build_object(
      'memories', case when s.destroyed_at is null then t.planned_memories else s.memories end,
      'derived', case when s.destroyed_at is null then t.planned_derived else s.derived end,
      'provenanceEdges', case when s.destroyed_at is null then t.planned_edges else s.edges end,
      'placements', (
        select json_build_object(
                 'total', count(*),
                 'confirmed', count(*) filter (where x.confirmed),
                 'attested', count(*) filter (where x.attested and not x.confirmed),
                 'outstanding', count(*) filter (where not x.attested and not x.confirmed))
          from demystify_memory.erasure_placements(p_tenant, p_tombstone) x))
      from demystify_memory.tombstone t
      join demystify_memory.erasure_state s on s.tenant_key = t.tenant_key and s.tombstone_id = t.tombstone_id
     where t.tenant_key = p_tenant and t.tombstone_id = p_tombstone);
end
$$;
comment on function demystify_memory.counts_json is 'The counts of an erasure, as its receipt and its tombstone show them.';

create or replace function demystify_memory.receipt_json(p_tenant text, p_tombstone uuid) returns json
language plpgsql stable security definer  -- evidence is not the caller's to read
set search_path = ''
set jit = off
set enable_seqscan = off
as $$
begin
  return (
    select json_build_object(
      'tombstoneId', t.tombstone_id,
      'tenantKey', t.tenant_key,
      'scope', t.scope,
      'subjectHash', t.subject_hash,
      'subjectHashKeyed', t.subject_key_id is not null,
      'reason', t.reason,
      'legalBasis', t.legal_basis,
      'origin', t.origin,
      'requestedBy', json_build_object('role', t.requested_by_role, 'idHash', t.requested_by_hash),
      'state', s.state,
      'closure', case when s.state = 'complete' then case when s.attested then 'attested' else 'confirmed' end end,
      'owner', case when s.state = 'escalated' or s.state = 'complete' and s.attested then 'person'
                    when s.destroyed_at is not null and p.total > 0 then 'worker'
                    else 'library' end,
      'escalation', case when s.escalated_at is not null then
        json_build_object('code', s.escalation_code, 'at', demystify_memory.iso(s.escalated_at)) end,
      'openedAt', demystify_memory.iso(t.opened_at),
      'destroyedAt', demystify_memory.iso(s.destroyed_at),
      'completedAt', demystify_memory.iso(s.completed_at),
      'counts', demystify_memory.counts_json(p_tenant, p_tombstone),
      'cascadeDepth', s.cascade_depth,
      'matched', t.matched,
      'unknownIds', json_build_object('alreadyErased', t.already_erased, 'neverSeen', t.never_seen),
      'rebuildable', (
        select coalesce(json_agg(json_build_object('derivedKind', r.derived_kind, 'survivingSources',
                 demystify_memory.sources_json(r.memories, r.deriveds)) order by r.item_id), '[]')
          from (
            select i.item_id, i.derived_kind,
                   array(select u from unnest(i.surviving_memories) u where not exists (
                     select from demystify_memory.tombstone_item x
                       join demystify_memory.tombstone y on y.tenant_key = x.tenant_key and y.tombstone_id = x.tombstone_id
                      where x.tenant_key = p_tenant and x.item_id = u and y.opened_xid = t.opened_xid offset 0)) as memories,
                   array(select u from unnest(i.surviving_derived) u where not exists (
                     select from demystify_memory.tombstone_item x
                       join demystify_memory.tombstone y on y.tenant_key = x.tenant_key and y.tombstone_id = x.tombstone_id
                      where x.tenant_key = p_tenant and x.item_id = u and y.opened_xid = t.opened_xid offset 0)) as deriveds
              from demystify_memory.tombstone_item i
             where i.tenant_key = p_tenant and i.tombstone_id = p_tombstone and i.derived_kind is not null) r
         where r.memories <> '{}' or r.deriveds <> '{}'),
      'otherSubjects', t.other_subjects,
      'outstanding', p.outstanding,
      'notCovered', json_build_array(
        'backups', 'wal_archive', 'replicas', 'logical_sinks', 'server_logs', 'dead_tuples', 'unrecorded_copies'))
      from demystify_memory.tombstone t
      join demystify_memory.erasure_state s on s.tenant_key = t.tenant_key and s.tombstone_id = t.tombstone_id,
      lateral (
        select count(*) as total,
               coalesce(json_agg(json_build_object('placementId', x.placement_id, 'sink', x.sink) order by x.placement_id)
                          filter (where not x.confirmed and not x.attested), '[]') as outstanding
          from demystify_memory.erasure_placements(p_tenant, p_tombstone) x) p
     where t.tenant_key = p_tenant and t.tombstone_id = p_tombstone);
end
$$;
comment on function demystify_memory.receipt_json is 'The receipt of an erasure: ids, counts and codes.';

create or replace function demystify_memory.erasure_receipt(p_tenant text, p_tombstone uuid) returns text
language plpgsql stable security definer  -- evidence is not the caller's to read
set search_path = ''
as $$
begin
  perform demystify_memory.assert_tenant(p_tenant, false);
  return demystify_memory.receipt_json(p_tenant, p_tombstone)::text;
end
$$;
comment on function demystify_memory.erasure_receipt is 'The receipt of one erasure of this tenant, or null.';

create or replace function demystify_memory.list_erasures(
  p_tenant text, p_state text, p_older_than timestamptz, p_limit int, p_after_at timestamptz, p_after_id uuid
) returns text
language plpgsql stable security definer  -- evidence is not the caller's to read
set search_path = ''
set jit = off
set enable_seqscan = off
as $$
declare
  v_rows json;
begin
  perform demystify_memory.assert_tenant(p_tenant, false);
  select json_agg(json_build_object(
           'receipt', demystify_memory.receipt_json(x.tenant_key, x.tombstone_id),
           'at', x.opened_at, 'id', x.tombstone_id) order by x.opened_at desc, x.tombstone_id desc)
    into v_rows
    from (
      select t.tenant_key, t.tombstone_id, t.opened_at
        from demystify_memory.tombstone t
        join demystify_memory.erasure_state s on s.tenant_key = t.tenant_key and s.tombstone_id = t.tombstone_id
       where t.tenant_key = p_tenant
         and (p_state is null or s.state = p_state)
         and (p_older_than is null or t.opened_at < p_older_than)
         and (p_after_at is null or (t.opened_at, t.tombstone_id) < (p_after_at, p_after_id))
       order by t.opened_at desc, t.tombstone_id desc
       limit p_limit + 1) x;
  return coalesce(v_rows, '[]')::text;
end
$$;
comment on function demystify_memory.list_erasures is 'Receipts, newest first; one more than asked for tells that there is a next page.';

create or replace function demystify_memory.erasure_history(p_tenant text, p_hashes text[], p_keys jsonb, p_limit int, p_before uuid) returns text
language plpgsql stable security definer  -- evidence is not the caller's to read
set search_path = ''
set jit = off
set enable_seqscan = off
as $$
declare
  v_rows   json;
  v_hashes text[];
begin
  perform demystify_memory.assert_tenant(p_tenant, false);
  perform demystify_memory.assert_keys(p_tenant, p_keys);
  v_hashes := array(
    select h from unnest(p_hashes) h
    union
    select p.subject_hash from {{hashes_of_persons p_tenant p_hashes}} p);
  select json_agg(json_build_object(
           'tombstoneId', x.tombstone_id,
           'tenantKey', x.tenant_key,
           'scope', x.scope,
           'subjectHash', x.subject_hash,
           'subjectHashKeyed', x.subject_key_id is not null,
           'reason', x.reason,
           'legalBasis', x.legal_basis,
           'origin', x.origin,
           'requestedBy', json_build_object('role', x.requested_by_role, 'idHash', x.requested_by_hash),
           'openedAt', demystify_memory.iso(x.opened_at),
           'counts', demystify_memory.counts_json(p_tenant, x.tombstone_id),
           'cascadeDepth', x.reached_depth,
           'matched', x.matched,
           'unknownIds', json_build_object('alreadyErased', x.already_erased, 'neverSeen', x.never_seen),
           'otherSubjects', x.other_subjects,
           'state', x.state) order by x.opened_at desc, x.tombstone_id desc)
    into v_rows
    from (
      select t.*, s.state, s.cascade_depth as reached_depth
        from demystify_memory.tombstone t
        join demystify_memory.erasure_state s on s.tenant_key = t.tenant_key and s.tombstone_id = t.tombstone_id
       where t.tenant_key = p_tenant
         and (p_hashes is null or t.subject_hash = any(v_hashes))
         and (p_before is null or (t.opened_at, t.tombstone_id) < (
           select b.opened_at, b.tombstone_id from demystify_memory.tombstone b
            where b.tenant_key = p_tenant and b.tombstone_id = p_before))
       order by t.opened_at desc, t.tombstone_id desc
       limit p_limit) x;
  return coalesce(v_rows, '[]')::text;
end
$$;
comment on function demystify_memory.erasure_history is 'The tombstones of a tenant, or of one person in it, newest first.';

create or replace function demystify_memory.tombstone_covering(p_tenant text, p_kind text, p_id uuid) returns uuid
language plpgsql stable security definer  -- evidence is not the caller's to read
set search_path = ''
set jit = off
set enable_seqscan = off
as $$
begin
  perform demystify_memory.assert_tenant(p_tenant, false);
  return (
    select t.tombstone_id
      from demystify_memory.tombstone_item i
      join demystify_memory.tombstone t on t.tenant_key = i.tenant_key and t.tombstone_id = i.tombstone_id
     where i.tenant_key = p_tenant and i.item_id = p_id and i.kind = p_kind
     order by t.opened_at desc, t.tombstone_id desc
     limit 1);
end
$$;
comment on function demystify_memory.tombstone_covering is 'The newest tombstone that has an item for this row, or null.';
