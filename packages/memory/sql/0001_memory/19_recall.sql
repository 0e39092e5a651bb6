-- Recall. The filters are the same in every ranking; what a ranking looked at is counted and returned as coverage.

-- Exact over every row of the tenant that shares a term: score is the fraction of the query's distinct terms found.
-- p_hashes and p_terms run in parallel: a term's hash under one key, and which term of the query it is.
create or replace function demystify_memory.recall_lexical(
  p_tenant text, p_hashes bigint[], p_terms int[], p_subjects text[], p_keys jsonb, p_kinds text[], p_include text, p_metadata jsonb,
  p_limit int, p_min_score float8
) returns text
language plpgsql stable security definer  -- the caller reads no base table
set search_path = ''
set jit = off
set plan_cache_mode = force_custom_plan
as $$
declare
  v_total float8 := (select count(distinct t) from unnest(p_terms) t);
  v_answer json;
begin
  perform demystify_memory.assert_tenant(p_tenant, false);
  perform demystify_memory.assert_keys(p_tenant, p_keys);
  with candidates as materialized (
    select 'memory' as kind, m.memory_id as id, m.created_at, (
        select count(distinct q.term) from unnest(p_hashes, p_terms) q(hash, term) where q.hash = any(m.term_hashes)) as found
      from demystify_memory.memory m
     where p_include <> 'derived' and m.tenant_key = p_tenant and m.term_hashes && p_hashes
       and (p_subjects is null or {{filed_under m p_subjects}})
       and (p_kinds is null or m.kind = any(p_kinds))
       and (p_metadata is null or m.metadata @> p_metadata)
       and {{visible_memory m p_tenant}}
    union all
    select 'derived', d.derived_id, d.created_at, (
        select count(distinct q.term) from unnest(p_hashes, p_terms) q(hash, term) where q.hash = any(d.term_hashes))
      from demystify_memory.derived d
     where p_include <> 'memories' and d.tenant_key = p_tenant and d.term_hashes && p_hashes
       and (p_subjects is null or d.subject_hashes && p_subjects)
       and (p_kinds is null or d.kind = any(p_kinds))
       and (p_metadata is null or d.metadata @> p_metadata)
       and {{visible_derived d p_tenant}}
  ), best as (
    select c.kind, c.id, c.created_at, c.found / v_total as score
      from candidates c
     where c.found / v_total >= p_min_score
     order by c.found desc, c.created_at desc, c.id desc
     limit p_limit
  )
  select json_build_object(
    'hits', (
      select coalesce(json_agg(json_build_object('kind', b.kind, 'score', b.score, 'row',
               case b.kind when 'memory' then demystify_memory.memory_json(m) else demystify_memory.derived_json(d) end)
               order by b.score desc, b.created_at desc, b.id desc), '[]')
        from best b
        left join demystify_memory.memory m on b.kind = 'memory' and m.tenant_key = p_tenant and m.memory_id = b.id
        left join demystify_memory.derived d on b.kind = 'derived' and d.tenant_key = p_tenant and d.derived_id = b.id),
    'coverage', json_build_object(
      'considered', (select count(*) from candidates),
      'skippedNoVector', 0, 'skippedDimension', 0,
      'skippedNoTerms', demystify_memory.count_without_terms(p_tenant, p_subjects, p_kinds, p_include, p_metadata),
      'truncated', false))
    into v_answer;
  return v_answer::text;
end
$$;
comment on function demystify_memory.recall_lexical is 'Rows by the fraction of query terms they hold, best first, with coverage.';

create or replace function demystify_memory.count_without_terms(
  p_tenant text, p_subjects text[], p_kinds text[], p_include text, p_metadata jsonb
) returns int
language sql stable security definer  -- the caller reads no base table
set search_path = ''
set jit = off
as $$
  select ((
    select count(*) from demystify_memory.memory m
     where p_include <> 'derived' and m.tenant_key = p_tenant and m.term_hashes is null
       and (p_subjects is null or {{filed_under m p_subjects}})
       and (p_kinds is null or m.kind = any(p_kinds))
       and (p_metadata is null or m.metadata @> p_metadata)
       and {{visible_memory m p_tenant}})
  + (
    select count(*) from demystify_memory.derived d
     where p_include <> 'memories' and d.tenant_key = p_tenant and d.term_hashes is null
       and (p_subjects is null or d.subject_hashes && p_subjects)
       and (p_kinds is null or d.kind = any(p_kinds))
       and (p_metadata is null or d.metadata @> p_metadata)
       and {{visible_derived d p_tenant}}))::int
$$;
comment on function demystify_memory.count_without_terms is 'Rows a lexical recall could not look at, because plain SQL stored them without terms.';

-- The eligible rows of a vector recall with what decides whether they can be compared. Never ordered by the distance
-- operator itself: a shared HNSW index with a tenant filter silently loses nearly everything, so that no index on it
-- must be usable here.
create or replace function demystify_memory.vector_candidates(
  p_tenant text, p_subjects text[], p_kinds text[], p_include text, p_metadata jsonb
) returns table (kind text, id uuid, created_at timestamptz, dimensions int)
language sql stable security definer  -- the caller reads no base table
set search_path = ''
set jit = off
as $$
  select 'memory', m.memory_id, m.created_at, m.dimensions
    from demystify_memory.memory m
   where p_include <> 'derived' and m.tenant_key = p_tenant
     and (p_subjects is null or {{filed_under m p_subjects}})
     and (p_kinds is null or m.kind = any(p_kinds))
     and (p_metadata is null or m.metadata @> p_metadata)
     and {{visible_memory m p_tenant}}
  union all
  select 'derived', d.derived_id, d.created_at, d.dimensions
    from demystify_memory.derived d
   where p_include <> 'memories' and d.tenant_key = p_tenant
     and (p_subjects is null or d.subject_hashes && p_subjects)
     and (p_kinds is null or d.kind = any(p_kinds))
     and (p_metadata is null or d.metadata @> p_metadata)
     and {{visible_derived d p_tenant}}
$$;
comment on function demystify_memory.vector_candidates is 'Rows that pass the filters of a recall, with the length of their vectors.';

create or replace function demystify_memory.vector_schema() returns text
language sql stable
set search_path = ''
as $$
  select n.nspname::text from pg_catalog.pg_extension e join pg_catalog.pg_namespace n on n.oid = e.extnamespace
   where e.extname = 'vector'
$$;
comment on function demystify_memory.vector_schema is 'The schema pgvector is installed in, or null.';

-- Exact cosine similarity in Postgres with pgvector, within the tenant.
create or replace function demystify_memory.recall_vector(
  p_tenant text, p_embedding text, p_dimensions int, p_subjects text[], p_keys jsonb, p_kinds text[], p_include text, p_metadata jsonb,
  p_limit int, p_min_score float8
) returns text
language plpgsql stable security definer  -- the caller reads no base table
set search_path = ''
set jit = off
as $$
declare
  v_schema text := demystify_memory.vector_schema();
  v_answer json;
begin
  perform demystify_memory.assert_tenant(p_tenant, false);
  perform demystify_memory.assert_keys(p_tenant, p_keys);
  execute format($sql$
    with candidates as materialized (
      select c.kind, c.id, c.created_at, c.dimensions
        from demystify_memory.vector_candidates($1, $4, $5, $6, $7) c
    ), scored as (
      select c.kind, c.id, c.created_at,
             1 - (coalesce(m.embedding, d.embedding)::%1$I.vector(%2$s) operator(%1$I.<=>) $2::%1$I.vector(%2$s)) as score
        from candidates c
        left join demystify_memory.memory m on c.kind = 'memory' and m.tenant_key = $1 and m.memory_id = c.id
        left join demystify_memory.derived d on c.kind = 'derived' and d.tenant_key = $1 and d.derived_id = c.id
       where c.dimensions = $3
    ), best as (
      select * from scored s where s.score > 0 and s.score < 'Infinity' and s.score >= $9
       order by s.score desc, s.created_at desc, s.id desc limit $8
    )
    select json_build_object(
      'hits', (
        select coalesce(json_agg(json_build_object('kind', b.kind, 'score', b.score, 'row',
                 case b.kind when 'memory' then demystify_memory.memory_json(m) else demystify_memory.derived_json(d) end)
                 order by b.score desc, b.created_at desc, b.id desc), '[]')
          from best b
          left join demystify_memory.memory m on b.kind = 'memory' and m.tenant_key = $1 and m.memory_id = b.id
          left join demystify_memory.derived d on b.kind = 'derived' and d.tenant_key = $1 and d.derived_id = b.id),
      'coverage', (
        select json_build_object(
          'considered', count(*) filter (where c.dimensions = $3),
          'eligible', count(*),
          'skippedNoVector', count(*) filter (where c.dimensions is null),
          'skippedDimension', count(*) filter (where c.dimensions <> $3),
          'skippedNoTerms', 0,
          'truncated', false)
          from candidates c))
    $sql$, v_schema, p_dimensions)
    into v_answer
    using p_tenant, p_embedding, p_dimensions, p_subjects, p_kinds, p_include, p_metadata, p_limit, p_min_score;
  return v_answer::text;
end
$$;
comment on function demystify_memory.recall_vector is 'Rows by exact cosine similarity, best first, with coverage. Needs pgvector.';

-- For ranking in the library's process: the newest rows with a comparable vector, up to p_pool of them.
create or replace function demystify_memory.vector_window(
  p_tenant text, p_dimensions int, p_subjects text[], p_keys jsonb, p_kinds text[], p_include text, p_metadata jsonb, p_pool int
) returns text
language plpgsql stable security definer  -- the caller reads no base table
set search_path = ''
set jit = off
as $$
declare
  v_answer json;
begin
  perform demystify_memory.assert_tenant(p_tenant, false);
  perform demystify_memory.assert_keys(p_tenant, p_keys);
  with candidates as materialized (
    select c.kind, c.id, c.created_at, c.dimensions
      from demystify_memory.vector_candidates(p_tenant, p_subjects, p_kinds, p_include, p_metadata) c
  ), pool as (
    select c.kind, c.id, c.created_at from candidates c
     where c.dimensions = p_dimensions
     order by c.created_at desc, c.id desc limit p_pool
  )
  select json_build_object(
    'pool', (
      select coalesce(json_agg(json_build_array(p.kind, p.id, p.created_at, to_json(coalesce(m.embedding, d.embedding)))
                               order by p.created_at desc, p.id desc), '[]')
        from pool p
        left join demystify_memory.memory m on p.kind = 'memory' and m.tenant_key = p_tenant and m.memory_id = p.id
        left join demystify_memory.derived d on p.kind = 'derived' and d.tenant_key = p_tenant and d.derived_id = p.id),
    'coverage', (
      select json_build_object(
        'considered', least(count(*) filter (where c.dimensions = p_dimensions), p_pool),
        'eligible', count(*),
        'skippedNoVector', count(*) filter (where c.dimensions is null),
        'skippedDimension', count(*) filter (where c.dimensions <> p_dimensions),
        'skippedNoTerms', 0,
        'truncated', count(*) filter (where c.dimensions = p_dimensions) > p_pool)
        from candidates c))
    into v_answer;
  return v_answer::text;
end
$$;
comment on function demystify_memory.vector_window is 'The newest comparable vectors, for ranking outside Postgres, with coverage.';

create or replace function demystify_memory.rows_by_id(p_tenant text, p_ids uuid[]) returns text
language plpgsql stable security definer  -- the caller reads no base table
set search_path = ''
set jit = off
as $$
begin
  perform demystify_memory.assert_tenant(p_tenant, false);
  return (
    select coalesce(json_object_agg(x.id, x.row), '{}')
      from (
        select m.memory_id as id, demystify_memory.memory_json(m) as row
          from demystify_memory.memory m
         where m.tenant_key = p_tenant and m.memory_id = any(p_ids)
           and {{visible_memory m p_tenant}}
        union all
        select d.derived_id, demystify_memory.derived_json(d)
          from demystify_memory.derived d
         where d.tenant_key = p_tenant and d.derived_id = any(p_ids)
           and {{visible_derived d p_tenant}}) x)::text;
end
$$;
comment on function demystify_memory.rows_by_id is 'Visible rows of either kind by id, as an object keyed by id.';
