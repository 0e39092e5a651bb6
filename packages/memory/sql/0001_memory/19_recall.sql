-- Recall: what all rankings share. The filters are the same in every one of them; what a ranking looked at is counted
-- and returned as coverage.
--
-- p_filter holds what the caller narrows the search to, each part only where it was asked for: kinds, include
-- (memories or derived), metadata (contained values), where (conditions on values), createdFrom, createdTo,
-- capturedFrom, capturedTo. A "from" is inclusive, a "to" is not.

create or replace function demystify_memory.json_order(p_left jsonb, p_right jsonb) returns int
language sql immutable parallel safe
set search_path = ''
as $$
  select case
    when jsonb_typeof(p_left) <> jsonb_typeof(p_right) then null
    when jsonb_typeof(p_left) = 'number' then sign((p_left #>> '{}')::numeric - (p_right #>> '{}')::numeric)::int
    when jsonb_typeof(p_left) = 'string' then
      case when (p_left #>> '{}') collate "C" < (p_right #>> '{}') collate "C" then -1
           when p_left = p_right then 0
           else 1 end
  end
$$;
comment on function demystify_memory.json_order is
  'Two numbers or two strings (by code point) compared: -1, 0 or 1; null for anything that has no order.';

create or replace function demystify_memory.metadata_matches(p_metadata jsonb, p_where jsonb) returns boolean
language sql immutable parallel safe
set search_path = ''
as $$
  select coalesce(bool_and(
           (c.value->'exists' is null or (p_metadata ? c.key) = (c.value->'exists')::boolean)
           and (c.value->'in' is null or coalesce(c.value->'in' @> jsonb_build_array(p_metadata->c.key)
                                                  and jsonb_typeof(p_metadata->c.key) not in ('array', 'object'), false))
           and (c.value->'gt' is null or coalesce(demystify_memory.json_order(p_metadata->c.key, c.value->'gt') > 0, false))
           and (c.value->'gte' is null or coalesce(demystify_memory.json_order(p_metadata->c.key, c.value->'gte') >= 0, false))
           and (c.value->'lt' is null or coalesce(demystify_memory.json_order(p_metadata->c.key, c.value->'lt') < 0, false))
           and (c.value->'lte' is null or coalesce(demystify_memory.json_order(p_metadata->c.key, c.value->'lte') <= 0, false))),
         true)
    from jsonb_each(p_where) c
$$;
comment on function demystify_memory.metadata_matches is
  'Whether top-level values meet conditions: exists, in, gt, gte, lt, lte. A range holds for values of its own type alone.';

-- Planned for each call: one plan for all of them would read the whole tenant where a person is asked for.
create or replace function demystify_memory.count_without_terms(p_tenant text, p_subjects text[], p_filter jsonb) returns int
language plpgsql stable security definer  -- the caller reads no base table
set search_path = ''
set jit = off
set enable_seqscan = off
set plan_cache_mode = force_custom_plan
as $$
declare
  v_few_memories boolean;
  v_few_derived  boolean;
begin
  v_few_memories := p_subjects is not null and demystify_memory.are_few(p_tenant, 'memory', p_subjects);
  v_few_derived := p_subjects is not null and demystify_memory.are_few(p_tenant, 'derived', p_subjects);
  return ((
    select count(*)
      from (select * from demystify_memory.memory w
             where not v_few_memories and w.tenant_key = p_tenant and w.term_hashes is null
               and (p_subjects is null or {{filed_under w p_subjects}})
            union all
            select * from {{memories_of p_tenant p_subjects}} f where v_few_memories and f.term_hashes is null) m
     where p_filter->>'include' is distinct from 'derived'
       and {{matches_filter m p_filter}} and {{captured_within m p_filter}}
       and {{visible_memory m p_tenant}})
  + (
    select count(*)
      from (select * from demystify_memory.derived w
             where not v_few_derived and w.tenant_key = p_tenant and w.term_hashes is null
               and (p_subjects is null or w.subject_hashes && p_subjects)
            union all
            select * from {{derived_of p_tenant p_subjects}} f where v_few_derived and f.term_hashes is null) d
     where p_filter->>'include' is distinct from 'memories'
       and {{matches_filter d p_filter}} and {{not_by_capture d p_filter}}
       and {{visible_derived d p_tenant}}))::int;
end
$$;
comment on function demystify_memory.count_without_terms is 'Rows a lexical recall could not look at, because plain SQL stored them without terms.';

-- In most tenants every row has terms. The indexes on rows without any tell that at once.
create or replace function demystify_memory.skipped_no_terms(p_tenant text, p_subjects text[], p_filter jsonb) returns int
language plpgsql stable security definer  -- the caller reads no base table
set search_path = ''
set jit = off
set enable_seqscan = off
as $$
begin
  if exists (select from demystify_memory.memory m where m.tenant_key = p_tenant and m.term_hashes is null)
     or exists (select from demystify_memory.derived d where d.tenant_key = p_tenant and d.term_hashes is null) then
    return demystify_memory.count_without_terms(p_tenant, p_subjects, p_filter);
  end if;
  return 0;
end
$$;
comment on function demystify_memory.skipped_no_terms is 'count_without_terms, but for the tenants all of whose rows have terms: there it counts nothing.';

-- Only the rows that are returned are read as JSON. The arrays run in parallel, best first.
create or replace function demystify_memory.hits_json(p_tenant text, p_kinds text[], p_ids uuid[], p_scores float8[]) returns json
language plpgsql stable security definer  -- the caller reads no base table
set search_path = ''
set jit = off
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
begin
  return (
    select coalesce(json_agg(json_build_object('kind', b.kind, 'score', b.score, 'row',
             case b.kind when 'memory' then demystify_memory.memory_json(m.found) else demystify_memory.derived_json(d.found) end)
             order by b.place), '[]')
      from unnest(p_kinds, p_ids, p_scores) with ordinality b(kind, id, score, place)
      left join lateral (select x from demystify_memory.memory x
                          where x.tenant_key = p_tenant and x.memory_id = b.id offset 0) m(found) on b.kind = 'memory'
      left join lateral (select x from demystify_memory.derived x
                          where x.tenant_key = p_tenant and x.derived_id = b.id offset 0) d(found) on b.kind = 'derived');
end
$$;
comment on function demystify_memory.hits_json is 'Ranked rows in the shape of the library''s hits.';

create or replace function demystify_memory.rows_by_id(p_tenant text, p_ids uuid[]) returns text
language plpgsql stable security definer  -- the caller reads no base table
set search_path = ''
set jit = off
set enable_seqscan = off
as $$
begin
  perform demystify_memory.assert_tenant(p_tenant, false);
  return (
    select coalesce(json_object_agg(x.id, x.row), '{}')
      from (
        select u.id, demystify_memory.memory_json(f.m) as row
          from (select distinct u.id from unnest(p_ids) u(id)) u,
          lateral (select m from demystify_memory.memory m
                    where m.tenant_key = p_tenant and m.memory_id = u.id
                      and {{visible_memory m p_tenant}} offset 0) f
        union all
        select u.id, demystify_memory.derived_json(f.d)
          from (select distinct u.id from unnest(p_ids) u(id)) u,
          lateral (select d from demystify_memory.derived d
                    where d.tenant_key = p_tenant and d.derived_id = u.id
                      and {{visible_derived d p_tenant}} offset 0) f) x)::text;
end
$$;
comment on function demystify_memory.rows_by_id is 'Visible rows of either kind by id, as an object keyed by id.';
