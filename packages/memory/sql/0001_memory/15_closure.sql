-- What an erasure must cover. One selector serves preview and erasure, so that what is shown is what goes.

-- Everything derived from these memories, and these derived rows themselves with what was derived from them, level by
-- level. Deepest first, so that it can be destroyed in that order. The index is asked for 64 sources at once: a row
-- with several of them is looked at once, and the cost of asking is shared.
create or replace function demystify_memory.closure_of(
  p_tenant text, p_memories uuid[], p_derived uuid[],
  out derived_ids uuid[], out depths smallint[], out cascade_depth int
)
language plpgsql stable security definer  -- no row-level security of the caller may hide a derived row
set search_path = ''
set jit = off
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set plan_cache_mode = force_generic_plan
as $$
declare
  v_next  uuid[];
  v_level uuid[];
begin
  derived_ids := '{}';
  depths := '{}';
  cascade_depth := 0;
  v_next := array(
    select d.derived_id
      from generate_series(1, cardinality(p_memories), 64) n
      join demystify_memory.derived d on d.source_memories && p_memories[n : n + 63] and d.tenant_key || '' = p_tenant
    union all
    select d.derived_id from {{derived_by_id p_tenant p_derived}} d);
  loop
    -- Duplicates (diamonds) go here, over arrays: a DISTINCT over the index join is planned for half the table. In the
    -- order of ids, which is that of time: what was derived from neighbours is then met once, and not once for each.
    v_level := array(select x from unnest(v_next) x except select s from unnest(derived_ids) s order by 1);
    exit when v_level = '{}';
    cascade_depth := cascade_depth + 1;
    derived_ids := v_level || derived_ids;
    depths := array_fill(cascade_depth::smallint, array[cardinality(v_level)]) || depths;
    v_next := array(
      select d.derived_id
        from generate_series(1, cardinality(v_level), 64) n
        join demystify_memory.derived d on d.source_derived && v_level[n : n + 63] and d.tenant_key || '' = p_tenant);
  end loop;
end
$$;
comment on function demystify_memory.closure_of is 'The derived rows reachable from these memories, deepest first, with depths.';

-- Whom and which memories a request is about. p_request: {"scope", "subject": {"written", "known"}, "memoryIds"}.
-- p_persons_only: of a whole person's erasure the persons suffice, and no row is read.
create or replace function demystify_memory.erasure_target(
  p_tenant text, p_request jsonb, p_persons_only boolean default false,
  out hashes text[], out subject_hash text, out key_id text, out memory_ids uuid[], out derived_ids uuid[],
  out already_erased int, out never_seen int
)
language plpgsql stable security definer  -- reads across the tenant for the caller
set search_path = ''
set jit = off
set enable_seqscan = off
as $$
declare
  v_ids     uuid[];
  v_persons uuid[];
begin
  already_erased := 0;
  never_seen := 0;
  derived_ids := '{}';
  hashes := array(select h.value ->> 'hash'
    from jsonb_array_elements(coalesce(p_request #> '{subject,known}', p_request #> '{subject,replayed}')) h);
  hashes := array(
    select h from unnest(hashes) h
    union
    select p.subject_hash from {{hashes_of_persons p_tenant hashes}} p);
  subject_hash := p_request #>> '{subject,written,hash}';
  key_id := p_request #>> '{subject,written,keyId}';

  v_ids := array(select value::uuid from jsonb_array_elements_text(coalesce(nullif(p_request -> 'memoryIds', 'null'), '[]')));
  if p_request ->> 'origin' = 'replay' or p_request ->> 'scope' = 'derived' then
    -- By id, whoever they are of; of a whole person also what was stored not later than the original erasure.
    memory_ids := array(
      select m.memory_id from {{memories_by_id p_tenant v_ids}} m
      union
      select m.memory_id from {{memories_of p_tenant hashes}} m
       where p_request ->> 'scope' = 'subject' and m.created_at <= (p_request ->> 'replaysOpenedAt')::timestamptz
      order by 1);
    derived_ids := array(select value::uuid from jsonb_array_elements_text(coalesce(p_request -> 'derivedIds', '[]')));
    derived_ids := array(select distinct d.derived_id from {{derived_by_id p_tenant derived_ids}} d order by 1);
    return;
  end if;

  if p_request ->> 'scope' = 'subject' then
    if p_persons_only then
      return;
    end if;
    memory_ids := array(select m.memory_id from {{memories_of p_tenant hashes}} m order by 1);
    return;
  end if;

  memory_ids := array(
    select distinct m.memory_id from {{memories_by_id p_tenant v_ids}} m order by 1);
  select count(*) filter (where i.erased), count(*) filter (where not i.erased) into already_erased, never_seen
    from (
      select exists (select from demystify_memory.tombstone_item t
                      where t.tenant_key = p_tenant and t.item_id = u.id offset 0) as erased
        from unnest(v_ids) u(id)
       where u.id not in (select unnest(memory_ids))) i;
  if memory_ids = '{}' then
    return;
  end if;

  if p_request ->> 'origin' = 'expiry' then
    -- Nobody asked for it: the evidence names the person the rows are filed under first.
    select m.subject_hash, m.key_id into subject_hash, key_id
      from {{memories_by_id p_tenant memory_ids[1:1]}} m;
    hashes := array(select p.subject_hash from {{hashes_of_persons p_tenant array[erasure_target.subject_hash]}} p);
    return;
  end if;

  -- The persons that all the rows have in common, whatever key their hashes were made under.
  v_persons := array(
    select s.person_id
      from {{memories_by_id p_tenant memory_ids}} m, unnest(m.subject_hash || m.also_hashes) h,
      lateral (select x.person_id from demystify_memory.subject x where x.tenant_key = p_tenant and x.subject_hash = h offset 0) s
     group by s.person_id
    having count(distinct m.memory_id) = cardinality(memory_ids));
  if hashes <> '{}' then
    if not exists (select from demystify_memory.subject s
                    where s.tenant_key = p_tenant and s.subject_hash = any(hashes) and s.person_id = any(v_persons)) then
      raise exception 'memoryIds: are not all filed under the person named' using errcode = 'ME001';
    end if;
    return;
  end if;
  if cardinality(v_persons) = 0 then
    raise exception 'memoryIds: belong to several persons; erase the rows of one person at a time' using errcode = 'ME001';
  end if;
  if cardinality(v_persons) > 1 then
    raise exception 'subjectKey: is required, because these rows are filed under several persons in common'
      using errcode = 'ME001';
  end if;
  select array_agg(s.subject_hash), (array_agg(s.subject_hash order by s.person_id, s.subject_hash))[1]
    into hashes, subject_hash
    from demystify_memory.subject s
   where s.tenant_key = p_tenant and s.person_id = v_persons[1];
  select m.subject_hash, m.key_id into subject_hash, key_id
    from {{memories_by_id p_tenant memory_ids}} m
   where m.subject_hash = any(hashes)
   order by m.memory_id limit 1;
  if subject_hash is null then
    subject_hash := hashes[1];
    select s.key_id into key_id from demystify_memory.subject s
     where s.tenant_key = p_tenant and s.subject_hash = erasure_target.subject_hash;
  end if;
end
$$;
comment on function demystify_memory.erasure_target is 'The persons and memories a request to erase is about (ME001 if ambiguous).';

-- The copies of a closure that are not known to be gone; for a whole person also those an earlier erasure still waits
-- for, so that a second request cannot succeed past the first.
create or replace function demystify_memory.placements_of(
  p_tenant text, p_scope text, p_hashes text[], p_memories uuid[], p_derived uuid[]
) returns uuid[]
language plpgsql stable security definer  -- placements are not the caller's to read
set search_path = ''
set jit = off
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set plan_cache_mode = force_generic_plan
as $$
begin
  return (
    select coalesce(array_agg(x.placement_id order by x.placement_id), '{}')
      from (
        select p.placement_id
          from generate_series(1, cardinality(p_memories), 64) n
          join demystify_memory.placement p on p.source_memories && p_memories[n : n + 63] and p.tenant_key || '' = p_tenant
         where p.gone_at is null
        union
        select p.placement_id
          from generate_series(1, cardinality(p_derived), 64) n
          join demystify_memory.placement p on p.source_derived && p_derived[n : n + 63] and p.tenant_key || '' = p_tenant
         where p.gone_at is null
        union
        select p.placement_id
          from demystify_memory.placement p
         where p_scope = 'subject' and p.subject_hashes && p_hashes and p.tenant_key || '' = p_tenant and p.gone_at is null
      ) x);
end
$$;
comment on function demystify_memory.placements_of is 'The placements an erasure of this closure has to see confirmed.';

-- Says whether a closure is still the one that was previewed.
create or replace function demystify_memory.preview_token(p_tenant text, p_memories uuid[], p_derived uuid[], p_placements uuid[]) returns text
language plpgsql stable
set search_path = ''
as $$
begin
  return (
    select encode(sha256(convert_to(coalesce(string_agg(u.id::text, ',' order by u.id), ''), 'UTF8')), 'hex')
      from unnest(p_memories || p_derived || p_placements) u(id)
     where u.id not in (select demystify_memory.open_items(p_tenant)));
end
$$;
comment on function demystify_memory.preview_token is 'A digest of the ids of a closure, those already being erased left out.';

-- What is said of a closure besides its ids, in one look at each row: its edges, everybody it is about, how many other
-- persons lose a shared row, and whether all that was derived from it is on record.
create or replace function demystify_memory.closure_facts(
  p_tenant text, p_hashes text[], p_memories uuid[], p_derived uuid[],
  out edges bigint, out subject_hashes text[], out other_subjects int, out closure_known boolean
)
language plpgsql stable security definer  -- counts persons the caller may not read
set search_path = ''
set jit = off
set enable_seqscan = off
as $$
declare
  v_others text[];
begin
  with memories as materialized (
    select m.provenance_known, m.others
      from unnest(p_memories) u(id),
      lateral (select x.provenance_known,
                      case when x.subject_hash <> all(p_hashes) or not x.also_hashes <@ p_hashes
                           then x.subject_hash || x.also_hashes end as others
                 from demystify_memory.memory x
                where x.tenant_key = p_tenant and x.memory_id = u.id offset 0) m
  ), deriveds as materialized (
    select d.edges, d.others
      from unnest(p_derived) u(id),
      lateral (select cardinality(x.source_memories) + cardinality(x.source_derived) as edges,
                      case when not x.subject_hashes <@ p_hashes then x.subject_hashes end as others
                 from demystify_memory.derived x
                where x.tenant_key = p_tenant and x.derived_id = u.id offset 0) d
  )
  select (select coalesce(sum(d.edges), 0) from deriveds d),
         (select coalesce(bool_and(m.provenance_known), true) from memories m),
         array(select unnest(m.others) from memories m where m.others is not null
               union
               select unnest(d.others) from deriveds d where d.others is not null)
    into edges, closure_known, v_others;
  subject_hashes := array(select unnest(p_hashes) union select unnest(v_others) order by 1);
  other_subjects := 0;
  if v_others <> '{}' then
    select count(distinct s.person_id) into other_subjects
      from unnest(v_others) u(h),
      lateral (select y.person_id from demystify_memory.subject y
                where y.tenant_key = p_tenant and y.subject_hash = u.h offset 0) s
     where s.person_id not in (
       select o.person_id from demystify_memory.subject o where o.tenant_key = p_tenant and o.subject_hash = any(p_hashes));
  end if;
end
$$;
comment on function demystify_memory.closure_facts is
  'Edges of a closure, everybody filed on or summarised in it, and whether everything derived from it is on record.';

-- Of each derived row that goes although some of its direct sources stay: which stay.
create or replace function demystify_memory.rebuildable_of(p_tenant text, p_memories uuid[], p_derived uuid[])
returns table (derived_id uuid, kind text, surviving_memories uuid[], surviving_derived uuid[])
language plpgsql stable security definer  -- reads across the tenant for the caller
set search_path = ''
set jit = off
set enable_seqscan = off
as $$
#variable_conflict use_column
begin
  return query
  select d.derived_id, min(d.kind),
         coalesce(array_agg(s.id order by s.id) filter (where s.kind = 'memory'), '{}'),
         coalesce(array_agg(s.id order by s.id) filter (where s.kind = 'derived'), '{}')
    from {{derived_by_id p_tenant p_derived}} d,
    lateral (select 'memory' as kind, unnest(d.source_memories) as id
             union all
             select 'derived', unnest(d.source_derived)) s
   where s.id not in (select unnest(p_memories || p_derived))
     and s.id not in (select demystify_memory.open_items(p_tenant))
   group by d.derived_id;
end
$$;
comment on function demystify_memory.rebuildable_of is 'Over-erased derived rows with the direct sources that survive.';

create or replace function demystify_memory.preview_erasure(p_tenant text, p_request text) returns text
language plpgsql stable security definer  -- reads across the tenant for the caller
set search_path = ''
set jit = off
set enable_seqscan = off
as $$
declare
  v_target  record;
  v_closure record;
  v_memories uuid[];
  v_derived  uuid[];
  v_placements uuid[];
  v_facts      record;
begin
  perform demystify_memory.assert_tenant(p_tenant, true);
  perform demystify_memory.assert_keys(p_tenant, p_request::jsonb #> '{subject,known}');
  v_target := demystify_memory.erasure_target(p_tenant, p_request::jsonb);
  v_closure := demystify_memory.closure_of(p_tenant, v_target.memory_ids, v_target.derived_ids);
  v_memories := array(select u from unnest(v_target.memory_ids) u
                       where u not in (select demystify_memory.open_items(p_tenant)) order by u);
  v_derived := array(select u from unnest(v_closure.derived_ids) u
                      where u not in (select demystify_memory.open_items(p_tenant)) order by u);
  v_placements := demystify_memory.placements_of(
    p_tenant, p_request::jsonb ->> 'scope', v_target.hashes, v_target.memory_ids, v_closure.derived_ids);
  v_facts := demystify_memory.closure_facts(p_tenant, v_target.hashes, v_memories, v_derived);
  return json_build_object(
    'ids', json_build_object('memories', v_memories, 'derived', v_derived, 'placements', v_placements),
    'counts', json_build_object(
      'memories', cardinality(v_memories), 'derived', cardinality(v_derived),
      'provenanceEdges', v_facts.edges,
      'placements', cardinality(v_placements)),
    'cascadeDepth', (
      select coalesce(max(u.depth), 0) from unnest(v_closure.derived_ids, v_closure.depths) u(id, depth)
       where u.id = any(v_derived)),
    'otherSubjects', v_facts.other_subjects,
    'sinks', (
      select coalesce(json_agg(json_build_object('sink', x.sink, 'placements', x.n) order by x.sink), '[]')
        from (select p.sink, count(*) as n from demystify_memory.placement p
               where p.tenant_key = p_tenant and p.placement_id = any(v_placements) group by p.sink) x),
    'rebuildable', (
      select coalesce(json_agg(json_build_object('derivedKind', r.kind, 'survivingSources',
               demystify_memory.sources_json(r.surviving_memories, r.surviving_derived)) order by r.derived_id), '[]')
        from demystify_memory.rebuildable_of(p_tenant, v_memories, v_derived) r),
    'token', demystify_memory.preview_token(p_tenant, v_target.memory_ids, v_closure.derived_ids, v_placements))::text;
end
$$;
comment on function demystify_memory.preview_erasure is 'What an erasure would cover, without opening it.';
