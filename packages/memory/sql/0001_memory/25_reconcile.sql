-- The sweep: the log compared with what lives. One bounded, set-based page a call; findings are codes and ids.

-- p_stage: rules, tombstones, memories, derived, placements, persons; p_after: the last id of the page before.
-- Answers {"findings", "persons", "looked", "next"}: next is the id to go on after, null when the stage is done.
create or replace function demystify_memory.reconcile_page(p_tenant text, p_stage text, p_after text, p_limit int) returns text
language plpgsql stable security definer  -- the sweep must see every row and all evidence
set search_path = ''
set jit = off
set enable_seqscan = off
as $$
declare
  v_findings json;
  v_persons  json := '[]';
  v_ids      uuid[];
  v_looked   int;
  v_untagged int := 0;
  v_next     text;
begin
  perform demystify_memory.assert_tenant(p_tenant, true);
  case p_stage
  when 'rules' then
    select coalesce(json_agg(json_build_object('code', 'rule_disabled', 'kind', 'rule', 'id', v.check_name) order by v.check_name), '[]')
      into v_findings
      from demystify_memory.verify_install() v where v.ok is not true;
    v_looked := 0;

  when 'tombstones' then
    v_ids := array(select t.tombstone_id from demystify_memory.tombstone t
                    where t.tenant_key = p_tenant and (p_after is null or t.tombstone_id > p_after::uuid)
                    order by t.tombstone_id limit p_limit);
    select coalesce(json_agg(f.finding), '[]') into v_findings
      from (
        -- Open for more than a day: either somebody works on it, or nobody does.
        select json_build_object('code', 'erasure_overdue', 'kind', 'tombstone', 'id', s.tombstone_id, 'tombstoneId', s.tombstone_id) as finding
          from demystify_memory.erasure_state s
          join demystify_memory.tombstone t on t.tenant_key = s.tenant_key and t.tombstone_id = s.tombstone_id
         where s.tenant_key = p_tenant and s.tombstone_id = any(v_ids) and s.state <> 'complete'
           and t.opened_at < statement_timestamp() - interval '24 hours'
        union all
        -- More destroyed than there are items for: rows went that the evidence does not name. One look at the items for the
        -- whole page: no index finds those of a tombstone.
        select json_build_object('code', 'count_mismatch', 'kind', 'tombstone', 'id', s.tombstone_id, 'tombstoneId', s.tombstone_id)
          from demystify_memory.erasure_state s
          left join (select i.tombstone_id, count(*) as n from demystify_memory.tombstone_item i
                      where i.tenant_key = p_tenant and i.tombstone_id = any(v_ids) and i.kind <> 'placement'
                      group by i.tombstone_id) i on i.tombstone_id = s.tombstone_id
         where s.tenant_key = p_tenant and s.tombstone_id = any(v_ids) and s.destroyed_at is not null
           and s.memories + s.derived > coalesce(i.n, 0)
      ) f;

  when 'memories' then
    v_ids := array(select m.memory_id from demystify_memory.memory m
                    where m.tenant_key = p_tenant and (p_after is null or m.memory_id > p_after::uuid)
                    order by m.memory_id limit p_limit);
    select count(*) into v_untagged from demystify_memory.memory m
      where m.tenant_key = p_tenant and m.memory_id between v_ids[1] and v_ids[cardinality(v_ids)] and m.content_tags = '{}';
    select coalesce(json_agg(f.finding), '[]') into v_findings
      from (
        select json_build_object('code', 'forgotten_but_live', 'kind', 'memory', 'id', m.memory_id, 'tombstoneId', i.tombstone_id) as finding
          from demystify_memory.memory m,
          lateral (select i.tombstone_id from demystify_memory.tombstone_item i
                    where i.tenant_key = p_tenant and i.item_id = m.memory_id
                      and exists (select from demystify_memory.erasure_event e
                                   where e.tenant_key = p_tenant and e.tombstone_id = i.tombstone_id and e.event = 'destroyed')
                    order by i.tombstone_id limit 1) i
         where m.tenant_key = p_tenant and m.memory_id between v_ids[1] and v_ids[cardinality(v_ids)]
           and m.memory_id not in (select demystify_memory.open_items(p_tenant))
        union all
        select json_build_object('code', 'content_reappeared', 'kind', 'memory', 'id', m.memory_id, 'tombstoneId', i.tombstone_id)
          from demystify_memory.memory m,
          lateral (select i.tombstone_id from demystify_memory.tombstone_item i
                    where i.content_tags <> '{}' and i.content_tags && m.content_tags and i.tenant_key || '' = p_tenant
                      and i.item_id <> m.memory_id
                    order by i.tombstone_id limit 1) i
         where m.tenant_key = p_tenant and m.memory_id between v_ids[1] and v_ids[cardinality(v_ids)] and m.content_tags <> '{}'
           and m.memory_id not in (select demystify_memory.open_items(p_tenant))
        union all
        select json_build_object('code', 'provenance_unknown', 'kind', 'memory', 'id', m.memory_id)
          from demystify_memory.memory m
         where m.tenant_key = p_tenant and m.memory_id between v_ids[1] and v_ids[cardinality(v_ids)] and not m.provenance_known
      ) f;

  when 'derived' then
    v_ids := array(select d.derived_id from demystify_memory.derived d
                    where d.tenant_key = p_tenant and (p_after is null or d.derived_id > p_after::uuid)
                    order by d.derived_id limit p_limit);
    select count(*) into v_untagged from demystify_memory.derived d
      where d.tenant_key = p_tenant and d.derived_id between v_ids[1] and v_ids[cardinality(v_ids)] and d.content_tags = '{}'
        and char_length(d.text) >= 40;  -- shorter texts have none, whoever wrote them
    select coalesce(json_agg(f.finding), '[]') into v_findings
      from (
        select json_build_object('code', 'forgotten_but_live', 'kind', 'derived', 'id', d.derived_id, 'tombstoneId', i.tombstone_id) as finding
          from demystify_memory.derived d,
          lateral (select i.tombstone_id from demystify_memory.tombstone_item i
                    where i.tenant_key = p_tenant and i.item_id = d.derived_id
                      and exists (select from demystify_memory.erasure_event e
                                   where e.tenant_key = p_tenant and e.tombstone_id = i.tombstone_id and e.event = 'destroyed')
                    order by i.tombstone_id limit 1) i
         where d.tenant_key = p_tenant and d.derived_id between v_ids[1] and v_ids[cardinality(v_ids)]
           and d.derived_id not in (select demystify_memory.open_items(p_tenant))
        union all
        select json_build_object('code', 'source_missing', 'kind', 'derived', 'id', d.derived_id)
          from demystify_memory.derived d
         where d.tenant_key = p_tenant and d.derived_id between v_ids[1] and v_ids[cardinality(v_ids)]
           and d.derived_id not in (select demystify_memory.open_items(p_tenant))
           and (exists (select from unnest(d.source_memories) u
                         where not exists (select from demystify_memory.memory m where m.tenant_key = p_tenant and m.memory_id = u offset 0))
                or exists (select from unnest(d.source_derived) u
                            where not exists (select from demystify_memory.derived s where s.tenant_key = p_tenant and s.derived_id = u offset 0)))
        union all
        select json_build_object('code', 'source_forgotten', 'kind', 'derived', 'id', d.derived_id, 'tombstoneId', i.tombstone_id)
          from demystify_memory.derived d,
          lateral (select i.tombstone_id from {{items_by_id p_tenant d.source_memories || d.source_derived}} i
                    order by i.tombstone_id limit 1) i
         where d.tenant_key = p_tenant and d.derived_id between v_ids[1] and v_ids[cardinality(v_ids)]
           and not exists (select from demystify_memory.tombstone_item o where o.tenant_key = p_tenant and o.item_id = d.derived_id)
        union all
        select json_build_object('code', 'content_reappeared', 'kind', 'derived', 'id', d.derived_id, 'tombstoneId', i.tombstone_id)
          from demystify_memory.derived d,
          lateral (select i.tombstone_id from demystify_memory.tombstone_item i
                    where i.content_tags <> '{}' and i.content_tags && d.content_tags and i.tenant_key || '' = p_tenant
                      and i.item_id <> d.derived_id
                    order by i.tombstone_id limit 1) i
         where d.tenant_key = p_tenant and d.derived_id between v_ids[1] and v_ids[cardinality(v_ids)] and d.content_tags <> '{}'
           and d.derived_id not in (select demystify_memory.open_items(p_tenant))
      ) f;

  when 'placements' then
    v_ids := array(select p.placement_id from demystify_memory.placement p
                    where p.tenant_key = p_tenant and (p_after is null or p.placement_id > p_after::uuid)
                    order by p.placement_id limit p_limit);
    select coalesce(json_agg(json_build_object('code', 'placement_source_missing', 'kind', 'placement', 'id', p.placement_id)), '[]')
      into v_findings
      from demystify_memory.placement p
     where p.tenant_key = p_tenant and p.placement_id between v_ids[1] and v_ids[cardinality(v_ids)] and p.gone_at is null
       and not exists (select from demystify_memory.tombstone_item i where i.tenant_key = p_tenant and i.item_id = p.placement_id)
       and (exists (select from unnest(p.source_memories) u
                     where not exists (select from demystify_memory.memory m where m.tenant_key = p_tenant and m.memory_id = u offset 0))
            or exists (select from unnest(p.source_derived) u
                        where not exists (select from demystify_memory.derived d where d.tenant_key = p_tenant and d.derived_id = u offset 0)));

  when 'persons' then
    -- Whether key and hash of a row agree, only a holder of the pepper can tell: one example of each pair.
    select coalesce(json_agg(json_build_object(
             'subjectKey', x.subject_key, 'subjectHash', x.subject_hash, 'keyId', x.key_id, 'id', x.id) order by x.subject_hash), '[]'),
           max(x.subject_hash), count(distinct x.subject_hash)
      into v_persons, v_next, v_looked
      from (
        select m.subject_hash, m.subject_key, m.key_id, min(m.memory_id::text) as id
          from demystify_memory.memory m
         where m.tenant_key = p_tenant and m.subject_key is not null
           and m.subject_hash in (
             select s.subject_hash from demystify_memory.subject s
              where s.tenant_key = p_tenant and (p_after is null or s.subject_hash > p_after)
              order by s.subject_hash limit p_limit)
         group by m.subject_hash, m.subject_key, m.key_id) x;
    select max(s.subject_hash), count(*) into v_next, v_looked
      from (select s.subject_hash from demystify_memory.subject s
             where s.tenant_key = p_tenant and (p_after is null or s.subject_hash > p_after)
             order by s.subject_hash limit p_limit) s;
    return json_build_object('findings', '[]'::json, 'persons', v_persons, 'looked', 0, 'untagged', 0,
                             'next', case when v_looked = p_limit then v_next end)::text;
  end case;

  if v_ids is not null then
    v_looked := cardinality(v_ids);
    v_next := case when v_looked = p_limit then v_ids[v_looked]::text end;
  end if;
  return json_build_object('findings', v_findings, 'persons', v_persons, 'looked', v_looked, 'untagged', v_untagged, 'next', v_next)::text;
end
$$;
comment on function demystify_memory.reconcile_page is 'One bounded page of the sweep: findings as codes and ids.';

create or replace function demystify_memory.export_tombstones(p_tenant text, p_limit int, p_after uuid) returns text
language plpgsql stable security definer  -- evidence is not the caller's to read
set search_path = ''
set jit = off
set enable_seqscan = off
as $$
declare
  v_ids uuid[];
begin
  perform demystify_memory.assert_tenant(p_tenant, true);
  v_ids := array(select t.tombstone_id from demystify_memory.tombstone t
                  where t.tenant_key = p_tenant and (p_after is null or t.tombstone_id > p_after)
                  order by t.tombstone_id limit p_limit);
  return (
    select coalesce(json_agg(json_build_object(
             'v', 1, 'tombstoneId', t.tombstone_id, 'tenantKey', t.tenant_key, 'scope', t.scope,
             'subjectHash', t.subject_hash, 'subjectKeyId', t.subject_key_id, 'origin', t.origin, 'reason', t.reason,
             'legalBasis', t.legal_basis, 'openedAt', to_json(coalesce(t.replays_opened_at, t.opened_at)),
             'memoryIds', coalesce(i.memories, '[]'), 'derivedIds', coalesce(i.deriveds, '[]'),
             'placementIds', coalesce(i.placements, '[]')) order by t.tombstone_id), '[]')
      from demystify_memory.tombstone t
      left join (
        select i.tombstone_id,
               json_agg(i.item_id order by i.item_id) filter (where i.kind = 'memory') as memories,
               json_agg(i.item_id order by i.item_id) filter (where i.kind = 'derived') as deriveds,
               json_agg(i.item_id order by i.item_id) filter (where i.kind = 'placement') as placements
          from demystify_memory.tombstone_item i
         where i.tenant_key = p_tenant and i.tombstone_id = any(v_ids)
         group by i.tombstone_id) i on i.tombstone_id = t.tombstone_id
     where t.tenant_key = p_tenant and t.tombstone_id = any(v_ids))::text;
end
$$;
comment on function demystify_memory.export_tombstones is 'Tombstones with the ids they cover, content-free, in the order they were made.';

create or replace function demystify_memory.missing_tombstones(p_tenant text, p_ids uuid[]) returns text
language plpgsql stable security definer  -- evidence is not the caller's to read
set search_path = ''
set jit = off
set enable_seqscan = off
as $$
begin
  perform demystify_memory.assert_tenant(p_tenant, true);
  return (
    select coalesce(json_agg(u order by u), '[]') from unnest(p_ids) u
     where not exists (select from demystify_memory.tombstone t
                        where t.tenant_key = p_tenant and (t.tombstone_id = u or t.replays = u)))::text;
end
$$;
comment on function demystify_memory.missing_tombstones is 'Which of these tombstones this database does not have.';

-- Answers the receipt of a new erasure of origin replay, or null where there is nothing left to do.
create or replace function demystify_memory.open_replay(p_tenant text, p_request text) returns text
language plpgsql security definer  -- writes evidence for the caller
set search_path = ''
set jit = off
set enable_seqscan = off
as $$
declare
  v_request   jsonb := p_request::jsonb;
  v_target    record;
  v_tombstone uuid;
begin
  perform demystify_memory.assert_tenant(p_tenant, true);
  if exists (select from demystify_memory.tombstone t
              where t.tenant_key = p_tenant
                and (t.tombstone_id = (v_request ->> 'replays')::uuid or t.replays = (v_request ->> 'replays')::uuid)) then
    v_target := demystify_memory.erasure_target(p_tenant, v_request);
    if v_target.memory_ids = '{}' and v_target.derived_ids = '{}' then
      return null;
    end if;
  end if;
  v_tombstone := demystify_memory.open_erasure_step(p_tenant, v_request);
  if v_tombstone is null then
    return '{"held": true}';
  end if;
  return demystify_memory.receipt_json(p_tenant, v_tombstone)::text;
end
$$;
comment on function demystify_memory.open_replay is 'Opens again, after a restore, what an exported tombstone covered.';
