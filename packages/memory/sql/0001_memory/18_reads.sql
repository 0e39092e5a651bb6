-- Reads by id and by list. Hidden from all of them: rows of open erasures, and rows past their expiry.

create or replace function demystify_memory.get_memory(p_tenant text, p_id uuid) returns text
language plpgsql stable security definer  -- the caller reads no base table
set search_path = ''
set jit = off
set enable_seqscan = off
as $$
begin
  perform demystify_memory.assert_tenant(p_tenant, false);
  return (
    select demystify_memory.memory_json(m)
      from demystify_memory.memory m
     where m.tenant_key = p_tenant and m.memory_id = p_id
       and {{visible_memory m p_tenant}})::text;
end
$$;
comment on function demystify_memory.get_memory is 'One memory, or null.';

create or replace function demystify_memory.get_derived(p_tenant text, p_id uuid) returns text
language plpgsql stable security definer  -- the caller reads no base table
set search_path = ''
set jit = off
set enable_seqscan = off
as $$
begin
  perform demystify_memory.assert_tenant(p_tenant, false);
  return (
    select demystify_memory.derived_json(d)
      from demystify_memory.derived d
     where d.tenant_key = p_tenant and d.derived_id = p_id
       and {{visible_derived d p_tenant}})::text;
end
$$;
comment on function demystify_memory.get_derived is 'One derived row, or null.';

-- Up to how many rows all of them are looked at. Read from the session, so that a host (or a test) may move the line.
create or replace function demystify_memory.few_rows() returns int
language plpgsql stable
set search_path = ''
as $$
begin
  return coalesce(nullif(current_setting('demystify_memory.few_rows', true), '')::int, 5000);
end
$$;
comment on function demystify_memory.few_rows is 'Up to how many rows a search looks at all of them.';

-- Whether so few rows of one table are about these persons that they are better found by person than by time or words.
create or replace function demystify_memory.are_few(p_tenant text, p_table text, p_hashes text[]) returns boolean
language plpgsql stable security definer  -- the caller reads no base table
set search_path = ''
set jit = off
set enable_seqscan = off
as $$
declare
  v_few constant int := demystify_memory.few_rows();
begin
  return case p_table
    when 'memory' then (select count(*) from (select from {{memories_of p_tenant p_hashes}} m limit v_few + 1) x)
    else (select count(*) from (select from {{derived_of p_tenant p_hashes}} d limit v_few + 1) x) end <= v_few;
end
$$;
comment on function demystify_memory.are_few is 'Whether few rows of one table are about these persons.';

-- p_missing: null all rows, 0 rows without a vector, n rows whose vector has another length or none.
create or replace function demystify_memory.list_memories(
  p_tenant text, p_hashes text[], p_keys jsonb, p_missing int, p_limit int, p_after_at timestamptz, p_after_id uuid, p_filter jsonb
) returns text
language plpgsql stable security definer  -- the caller reads no base table
set search_path = ''
set jit = off
set enable_seqscan = off
set plan_cache_mode = force_custom_plan
as $$
declare
  v_few boolean := p_hashes is not null and demystify_memory.are_few(p_tenant, 'memory', p_hashes);
begin
  perform demystify_memory.assert_tenant(p_tenant, false);
  perform demystify_memory.assert_keys(p_tenant, p_keys);
  return (
    select coalesce(json_agg(json_build_object('row', demystify_memory.memory_json(m), 'at', m.created_at, 'id', m.memory_id)
                             order by m.created_at desc, m.memory_id desc), '[]')
      from (
        select m.*
          from (select * from demystify_memory.memory w
                 where not v_few and w.tenant_key = p_tenant and (p_hashes is null or {{filed_under w p_hashes}})
                union all
                select * from {{memories_of p_tenant p_hashes}} f where v_few) m
         where (p_missing is null or m.dimensions is null or (p_missing > 0 and m.dimensions <> p_missing))
           and (p_after_at is null or (m.created_at, m.memory_id) < (p_after_at, p_after_id))
           and {{matches_filter m p_filter}} and {{captured_within m p_filter}}
           and {{visible_memory m p_tenant}}
         order by m.created_at desc, m.memory_id desc
         limit p_limit + 1) m)::text;
end
$$;
comment on function demystify_memory.list_memories is 'Memories, newest first; one more than asked for tells that there is a next page.';

create or replace function demystify_memory.list_derived(
  p_tenant text, p_hashes text[], p_keys jsonb, p_missing int, p_limit int, p_after_at timestamptz, p_after_id uuid, p_filter jsonb
) returns text
language plpgsql stable security definer  -- the caller reads no base table
set search_path = ''
set jit = off
set enable_seqscan = off
set plan_cache_mode = force_custom_plan
as $$
declare
  v_few boolean := p_hashes is not null and demystify_memory.are_few(p_tenant, 'derived', p_hashes);
begin
  perform demystify_memory.assert_tenant(p_tenant, false);
  perform demystify_memory.assert_keys(p_tenant, p_keys);
  return (
    select coalesce(json_agg(json_build_object('row', demystify_memory.derived_json(d), 'at', d.created_at, 'id', d.derived_id)
                             order by d.created_at desc, d.derived_id desc), '[]')
      from (
        select d.*
          from (select * from demystify_memory.derived w
                 where not v_few and w.tenant_key = p_tenant and (p_hashes is null or w.subject_hashes && p_hashes)
                union all
                select * from {{derived_of p_tenant p_hashes}} f where v_few) d
         where (p_missing is null or d.dimensions is null or (p_missing > 0 and d.dimensions <> p_missing))
           and (p_after_at is null or (d.created_at, d.derived_id) < (p_after_at, p_after_id))
           and {{matches_filter d p_filter}} and {{not_by_capture d p_filter}}
           and {{visible_derived d p_tenant}}
         order by d.created_at desc, d.derived_id desc
         limit p_limit + 1) d)::text;
end
$$;
comment on function demystify_memory.list_derived is 'Derived rows, newest first; one more than asked for tells that there is a next page.';

-- Everything derived from a set, with shortest distances; sources the same way up. Hidden rows are left out, and so is
-- what can only be reached through them.
create or replace function demystify_memory.lineage(p_tenant text, p_kind text, p_id uuid) returns text
language plpgsql stable security definer  -- the caller reads no base table
set search_path = ''
set jit = off
set enable_seqscan = off
as $$
declare
  v_seen        uuid[];
  v_level       uuid[];
  v_memories    uuid[];
  v_depth       int := 0;
  v_ancestors   jsonb := '[]';
  v_descendants jsonb := '[]';
begin
  perform demystify_memory.assert_tenant(p_tenant, false);
  if p_kind = 'memory' and demystify_memory.get_memory(p_tenant, p_id) is null
     or p_kind = 'derived' and demystify_memory.get_derived(p_tenant, p_id) is null then
    return null;
  end if;
  v_level := case when p_kind = 'derived' then array[p_id] else '{}' end;
  v_seen := v_level;
  while v_level <> '{}' loop
    v_depth := v_depth + 1;
    v_memories := array(
      select f.memory_id
        from (select distinct s.id
                from {{derived_by_id p_tenant v_level}} d, unnest(d.source_memories) s(id)) s,
        lateral (select m.memory_id from demystify_memory.memory m
                  where m.tenant_key = p_tenant and m.memory_id = s.id
                    and {{visible_memory m p_tenant}} offset 0) f
       where f.memory_id <> all(v_seen));
    v_level := array(
      select f.derived_id
        from (select distinct s.id
                from {{derived_by_id p_tenant v_level}} d, unnest(d.source_derived) s(id)) s,
        lateral (select a.derived_id from demystify_memory.derived a
                  where a.tenant_key = p_tenant and a.derived_id = s.id
                    and {{visible_derived a p_tenant}} offset 0) f
       where f.derived_id <> all(v_seen));
    v_seen := v_seen || v_level || v_memories;
    v_ancestors := v_ancestors
      || coalesce((select jsonb_agg(jsonb_build_object('kind', 'memory', 'id', u, 'depth', v_depth) order by u) from unnest(v_memories) u), '[]')
      || coalesce((select jsonb_agg(jsonb_build_object('kind', 'derived', 'id', u, 'depth', v_depth) order by u) from unnest(v_level) u), '[]');
  end loop;

  v_depth := 0;
  v_seen := array[p_id];
  v_level := array[p_id];
  while v_level <> '{}' loop
    v_depth := v_depth + 1;
    if p_kind = 'memory' and v_depth = 1 then
      v_level := array(
        select distinct d.derived_id
          from demystify_memory.derived d
         where d.source_memories @> v_level and d.tenant_key || '' = p_tenant
           and {{visible_derived d p_tenant}});
    else
      v_level := array(
        select distinct d.derived_id
          from unnest(v_level) f(id)
          join demystify_memory.derived d on d.source_derived @> array[f.id]
         where d.tenant_key || '' = p_tenant and d.derived_id <> all(v_seen)
           and {{visible_derived d p_tenant}});
    end if;
    v_seen := v_seen || v_level;
    v_descendants := v_descendants
      || coalesce((select jsonb_agg(jsonb_build_object('kind', 'derived', 'id', u, 'depth', v_depth) order by u) from unnest(v_level) u), '[]');
  end loop;
  return jsonb_build_object(
    'ancestors', v_ancestors,
    'descendants', v_descendants,
    'placements', (
      select coalesce(jsonb_agg(jsonb_build_object('placementId', p.placement_id, 'sink', p.sink) order by p.placement_id), '[]')
        from demystify_memory.placement p
       where p.tenant_key || '' = p_tenant and p.gone_at is null
         and (p.source_memories @> array[p_id] or p.source_derived && v_seen)))::text;
end
$$;
comment on function demystify_memory.lineage is 'Ancestors and descendants of a row with shortest distances, or null if it cannot be seen.';

create or replace function demystify_memory.set_embeddings(p_tenant text, p_kinds text[], p_ids uuid[], p_embeddings text[]) returns int
language plpgsql security definer  -- the caller holds no UPDATE
set search_path = ''
set jit = off
set enable_seqscan = off
as $$
declare
  v_memories int;
  v_derived  int;
begin
  perform demystify_memory.assert_tenant(p_tenant, true);
  update demystify_memory.memory m set embedding = u.embedding::real[]
    from (select p_tenant as tenant_key, x.* from unnest(p_kinds, p_ids, p_embeddings) x(kind, id, embedding) offset 0) u
    where u.kind = 'memory' and m.tenant_key = u.tenant_key and m.memory_id = u.id
      and {{visible_memory m p_tenant}};
  get diagnostics v_memories = row_count;
  update demystify_memory.derived d set embedding = u.embedding::real[]
    from (select p_tenant as tenant_key, x.* from unnest(p_kinds, p_ids, p_embeddings) x(kind, id, embedding) offset 0) u
    where u.kind = 'derived' and d.tenant_key = u.tenant_key and d.derived_id = u.id
      and {{visible_derived d p_tenant}};
  get diagnostics v_derived = row_count;
  return v_memories + v_derived;
end
$$;
comment on function demystify_memory.set_embeddings is 'Stores new vectors; answers how many rows took one.';

create or replace function demystify_memory.rows_without_terms(p_tenant text, p_limit int) returns text
language plpgsql stable security definer  -- the caller reads no base table
set search_path = ''
set jit = off
set enable_seqscan = off
as $$
begin
  perform demystify_memory.assert_tenant(p_tenant, false);
  return (
    select coalesce(json_agg(json_build_object('kind', x.kind, 'id', x.id, 'text', x.text) order by x.created_at, x.id), '[]')
      from (
        select 'memory' as kind, m.memory_id as id, m.text, m.created_at
          from demystify_memory.memory m
         where m.tenant_key = p_tenant and m.term_hashes is null
           and m.memory_id not in (select demystify_memory.open_items(p_tenant))
        union all
        select 'derived', d.derived_id, d.text, d.created_at
          from demystify_memory.derived d
         where d.tenant_key = p_tenant and d.term_hashes is null
           and d.derived_id not in (select demystify_memory.open_items(p_tenant))
         order by created_at, id
         limit p_limit) x)::text;
end
$$;
comment on function demystify_memory.rows_without_terms is 'Rows that plain SQL inserted without terms, oldest first.';

create or replace function demystify_memory.set_terms(p_tenant text, p_kinds text[], p_ids uuid[], p_terms text[]) returns int
language plpgsql security definer  -- the caller holds no UPDATE
set search_path = ''
set jit = off
set enable_seqscan = off
as $$
declare
  v_memories int;
  v_derived  int;
begin
  perform demystify_memory.assert_tenant(p_tenant, true);
  update demystify_memory.memory m set term_hashes = u.terms::bigint[]
    from (select p_tenant as tenant_key, x.* from unnest(p_kinds, p_ids, p_terms) x(kind, id, terms) offset 0) u
    where u.kind = 'memory' and m.tenant_key = u.tenant_key and m.memory_id = u.id;
  get diagnostics v_memories = row_count;
  update demystify_memory.derived d set term_hashes = u.terms::bigint[]
    from (select p_tenant as tenant_key, x.* from unnest(p_kinds, p_ids, p_terms) x(kind, id, terms) offset 0) u
    where u.kind = 'derived' and d.tenant_key = u.tenant_key and d.derived_id = u.id;
  get diagnostics v_derived = row_count;
  return v_memories + v_derived;
end
$$;
comment on function demystify_memory.set_terms is 'Stores term hashes; answers how many rows took them.';
