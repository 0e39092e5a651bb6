-- Ranking by vectors. Exact within the tenant, and written so that no index on vectors can be used: a shared HNSW index
-- with a tenant filter silently loses nearly everything, and the planner takes it unasked. A tenant with a great many
-- vectors may be given a partial index of its own (ensureVectorIndex); it is named in the statement, or not used.

create or replace function demystify_memory.vector_schema() returns text
language sql stable
set search_path = ''
as $$
  select n.nspname::text from pg_catalog.pg_extension e join pg_catalog.pg_namespace n on n.oid = e.extnamespace
   where e.extname = 'vector'
$$;
comment on function demystify_memory.vector_schema is 'The schema pgvector is installed in, or null.';

create or replace function demystify_memory.vector_index_name(p_tenant text, p_table text, p_dimensions int, p_kind text) returns text
language plpgsql immutable
set search_path = ''
as $$
begin
  return format('%s_vector_%s_%s_%s', p_table, left(encode(sha256(convert_to(p_tenant, 'UTF8')), 'hex'), 20), p_dimensions,
                case p_kind when 'hnsw-halfvec' then 'half' else 'full' end);
end
$$;
comment on function demystify_memory.vector_index_name is 'What the index of one tenant''s vectors of one length is called.';

-- state: valid; invalid (a build that did not end); sampled (planner statistics were collected on it, and hold vectors).
create or replace function demystify_memory.vector_indexes(p_tenant text)
returns table (name text, relation text, kind text, dimensions int, state text, vectors bigint)
language sql stable security definer  -- statistics are shown to the owner alone
set search_path = ''
as $$
  select i.relname::text, split_part(i.relname, '_', 1),
         case when i.relname like '%\_half' then 'hnsw-halfvec' else 'hnsw' end,
         substring(i.relname from '_(\d+)_(?:half|full)$')::int,
         case when not x.indisvalid or not x.indisready then 'invalid'
              when exists (select from pg_catalog.pg_stats s where s.schemaname = 'demystify_memory' and s.tablename = i.relname)
                or exists (select from pg_catalog.pg_attribute a where a.attrelid = i.oid and coalesce(a.attstattarget, -1) <> 0) then 'sampled'
              else 'valid' end,
         greatest(i.reltuples, 0)::bigint
    from pg_catalog.pg_index x
    join pg_catalog.pg_class i on i.oid = x.indexrelid
    join pg_catalog.pg_class c on c.oid = x.indrelid
    join pg_catalog.pg_am m on m.oid = i.relam
   where i.relnamespace = 'demystify_memory'::regnamespace and c.relname ~ '^(memory|derived)(_\d+)?$' and m.amname = 'hnsw'
     and i.relname ~ '^(memory|derived)_vector_[0-9a-f]{20}_\d+_(half|full)$'
     and (p_tenant is null or split_part(i.relname, '_', 3) = left(encode(sha256(convert_to(p_tenant, 'UTF8')), 'hex'), 20))
$$;
comment on function demystify_memory.vector_indexes is 'The indexes on one tenant''s vectors, or on everybody''s, and whether they can be used.';

-- Names of indexes do not say whose they are.
create or replace function demystify_memory.list_vector_indexes() returns text
language sql stable
set search_path = ''
as $$
  select coalesce(json_agg(json_build_object('name', x.name, 'table', x.relation, 'kind', x.kind,
                                             'dimensions', x.dimensions, 'state', x.state) order by x.name), '[]')::text
    from demystify_memory.vector_indexes(null) x
$$;
comment on function demystify_memory.list_vector_indexes is 'Every index on vectors, as the library reads it.';

-- The table in which the rows of a tenant lie: the partition, where the tables have some.
create or replace function demystify_memory.table_of_tenant(p_tenant text, p_table text) returns text
language sql stable
set search_path = ''
as $$
  select coalesce(max(c.relname::text), p_table)
    from pg_catalog.pg_inherits i
    join pg_catalog.pg_class c on c.oid = i.inhrelid,
    lateral pg_catalog.pg_get_expr(c.relpartbound, c.oid) b(bound)
   where i.inhparent = format('demystify_memory.%I', p_table)::regclass
     and pg_catalog.satisfies_hash_partition(
           i.inhparent, substring(b.bound from 'modulus (\d+)')::int, substring(b.bound from 'remainder (\d+)')::int, p_tenant)
$$;
comment on function demystify_memory.table_of_tenant is 'The table, or the partition of it, that holds the rows of a tenant.';

-- The vectors of one table that are compared: with the tenant's own index those nearest, else all that pass the filters,
-- found by the persons where some are asked for.
-- $1 the tenant, $2 the persons, $3 the filter, $4 the query, $5 how many are wanted.
create or replace function demystify_memory.vector_statement(
  p_tenant text, p_table text, p_schema text, p_dimensions int, p_index_kind text, p_subjects text[], p_filter jsonb
) returns text
language plpgsql stable
set search_path = ''
as $$
begin
  return case when p_index_kind is null then format(
    $sql$select %1$L::text as kind, r.%1$s_id as id, r.created_at, r.dimensions,
                case when r.dimensions = %3$s then r.embedding::%2$I.vector(%3$s) operator(%2$I.<=>) $4::%2$I.vector(%3$s) end as distance
           from %5$s and %4$s$sql$,
    p_table, p_schema, p_dimensions, demystify_memory.passes_expression(p_tenant, p_table, p_subjects, p_filter),
    demystify_memory.recall_statement(p_table, case when p_subjects is not null then 'of person' else 'of tenant' end))
  else format(
    $sql$(select %1$L::text as kind, n.id, n.created_at, %3$s as dimensions, n.embedding::%2$I.vector(%3$s) operator(%2$I.<=>) $4::%2$I.vector(%3$s) as distance
            from (select r.%1$s_id as id, r.created_at, r.embedding
                    from demystify_memory.%1$I r
                   where r.tenant_key = %4$L and r.dimensions = %3$s and %5$s
                   order by (r.embedding::%2$I.%6$s(%3$s)) operator(%2$I.<=>) $4::%2$I.%6$s(%3$s)
                   limit %7$s) n)$sql$,
    p_table, p_schema, p_dimensions, p_tenant, demystify_memory.passes_expression(p_tenant, p_table, p_subjects, p_filter),
    case p_index_kind when 'hnsw-halfvec' then 'halfvec' else 'vector' end,
    -- Half the precision: twice as many are fetched, and put in order by the whole vectors.
    case p_index_kind when 'hnsw-halfvec' then '2 * $5 + 20' else '$5' end) end;
end
$$;
comment on function demystify_memory.vector_statement is 'SQL for the vectors of one table that a recall compares with the query.';

-- How an index on vectors is searched: goes on while the filters refuse what it finds, and far enough to miss little.
-- Answers false, and sets nothing, where pgvector is too old to go on.
create or replace function demystify_memory.search_far(p_limit int) returns boolean
language plpgsql stable
set search_path = ''
as $$
declare
  v_schema text := demystify_memory.vector_schema();
begin
  -- A session knows the settings of pgvector once its library is loaded, by the first value of its type.
  execute format('select ''[1]''::%I.vector', v_schema);
  if not exists (select from pg_catalog.pg_settings s where s.name = 'hnsw.iterative_scan') then
    return false;
  end if;
  perform set_config('hnsw.iterative_scan', 'strict_order', true),
          set_config('hnsw.ef_search', least(1000, greatest(200, 4 * p_limit))::text, true);
  return true;
end
$$;
comment on function demystify_memory.search_far is 'Sets how an index on vectors is searched, for this transaction.';

-- With the index of the tenant the planner must take it, and not sort what another one finds.
create or replace function demystify_memory.compare_vectors(
  p_tenant text, p_embedding text, p_dimensions int, p_subjects text[], p_filter jsonb, p_limit int, p_min_score float8,
  p_memory_index text, p_derived_index text,
  out kinds text[], out ids uuid[], out scores float8[], out coverage json, out memories bigint, out derived bigint
)
language plpgsql stable security definer  -- the caller reads no base table
set search_path = ''
set jit = off
set enable_seqscan = off
set enable_sort = off
as $$
declare
  v_schema text := demystify_memory.vector_schema();
  v_parts  text[] := '{}';
begin
  if p_filter->>'include' is distinct from 'derived' then
    v_parts := v_parts || demystify_memory.vector_statement(p_tenant, 'memory', v_schema, p_dimensions, p_memory_index, p_subjects, p_filter);
  end if;
  if p_filter->>'include' is distinct from 'memories' then
    v_parts := v_parts || demystify_memory.vector_statement(p_tenant, 'derived', v_schema, p_dimensions, p_derived_index, p_subjects, p_filter);
  end if;
  execute format(
    $sql$with scored as materialized (%s), best as (
           select s.kind, s.id, s.created_at, 1 - s.distance as score
             from scored s
            where 1 - s.distance > 0 and 1 - s.distance < 'Infinity' and 1 - s.distance >= $6
            order by 1 - s.distance desc, s.created_at desc, s.id desc limit $5
         ), looked as (
           select count(*) filter (where s.dimensions = %2$s) as considered, count(*) as eligible,
                  count(*) filter (where s.dimensions is null) as no_vector,
                  count(*) filter (where s.dimensions <> %2$s) as other_length,
                  count(*) filter (where s.kind = 'memory') as memories, count(*) filter (where s.kind = 'derived') as derived
             from scored s
         )
         select b.kinds, b.ids, b.scores,
                json_build_object('considered', l.considered, 'eligible', l.eligible, 'skippedNoVector', l.no_vector,
                                  'skippedDimension', l.other_length, 'skippedNoTerms', 0, 'truncated', false), l.memories, l.derived
           from looked l
          cross join (select array_agg(b.kind order by b.score desc, b.created_at desc, b.id desc) as kinds,
                             array_agg(b.id order by b.score desc, b.created_at desc, b.id desc) as ids,
                             array_agg(b.score order by b.score desc, b.created_at desc, b.id desc) as scores from best b) b$sql$,
    array_to_string(v_parts, ' union all '), p_dimensions)
    into kinds, ids, scores, coverage, memories, derived
    using p_tenant, p_subjects, p_filter, p_embedding, p_limit, p_min_score;
end
$$;
comment on function demystify_memory.compare_vectors is 'The rows nearest to a vector, best first, and what was compared.';

create or replace function demystify_memory.recall_vector(
  p_tenant text, p_embedding text, p_dimensions int, p_subjects text[], p_keys jsonb, p_filter jsonb, p_limit int, p_min_score float8
) returns text
language plpgsql stable security definer  -- the caller reads no base table
set search_path = ''
set jit = off
as $$
declare
  -- Below this many vectors the exact search is fast, and misses nothing.
  v_exact   int := coalesce(nullif(current_setting('demystify_memory.exact_vectors', true), '')::int, 20000);
  v_memory  text;
  v_derived text;
  v_before  text[];
  v_found   record;
begin
  perform demystify_memory.assert_tenant(p_tenant, false);
  perform demystify_memory.assert_keys(p_tenant, p_keys);
  -- Looked up by name first: most tenants have none, and reading the catalogs takes as long as a small recall.
  if p_subjects is null and exists (
    select from unnest(array['memory', 'derived']) t, unnest(array['hnsw', 'hnsw-halfvec']) k
     where to_regclass('demystify_memory.' || demystify_memory.vector_index_name(p_tenant, t, p_dimensions, k)) is not null) then
    select max(x.kind) filter (where x.relation = 'memory'), max(x.kind) filter (where x.relation = 'derived')
      into v_memory, v_derived
      from demystify_memory.vector_indexes(p_tenant) x
     where x.dimensions = p_dimensions and x.state = 'valid' and x.vectors >= v_exact;
  end if;
  if v_memory is not null or v_derived is not null then
    v_before := array[current_setting('hnsw.iterative_scan', true), current_setting('hnsw.ef_search', true)];
    if demystify_memory.search_far(p_limit) then
      v_found := demystify_memory.compare_vectors(
        p_tenant, p_embedding, p_dimensions, p_subjects, p_filter, p_limit, p_min_score, v_memory, v_derived);
      perform set_config('hnsw.iterative_scan', v_before[1], true), set_config('hnsw.ef_search', v_before[2], true);
      -- An index that ends before the limit has given up among what the filters refuse, or has no more.
      if (v_memory is null or v_found.memories >= p_limit or p_filter->>'include' = 'derived')
         and (v_derived is null or v_found.derived >= p_limit or p_filter->>'include' = 'memories') then
        return json_build_object(
          'hits', demystify_memory.hits_json(p_tenant, v_found.kinds, v_found.ids, v_found.scores),
          'coverage', v_found.coverage::jsonb - 'eligible' || '{"partial": true, "index": "hnsw"}')::text;
      end if;
    end if;
  end if;
  v_found := demystify_memory.compare_vectors(
    p_tenant, p_embedding, p_dimensions, p_subjects, p_filter, p_limit, p_min_score, null, null);
  return json_build_object(
    'hits', demystify_memory.hits_json(p_tenant, v_found.kinds, v_found.ids, v_found.scores),
    'coverage', v_found.coverage)::text;
end
$$;
comment on function demystify_memory.recall_vector is 'Rows by cosine similarity, best first, with coverage. Needs pgvector.';

-- For ranking in the library's process: the newest rows with a comparable vector, up to p_pool of them. What is older
-- than these is not counted, however much there is.
create or replace function demystify_memory.vector_window(
  p_tenant text, p_dimensions int, p_subjects text[], p_keys jsonb, p_filter jsonb, p_pool int
) returns text
language plpgsql stable security definer  -- the caller reads no base table
set search_path = ''
set jit = off
set enable_seqscan = off
as $$
declare
  v_whose constant text := case when p_subjects is null then 'of tenant' else 'of person' end;
  v_rows text := format(
    $sql$((select 'memory' as kind, r.memory_id as id, r.created_at, r.dimensions
             from %s and $3->>'include' is distinct from 'derived' and %s
            order by r.created_at desc, r.memory_id desc)
          union all
          (select 'derived', r.derived_id, r.created_at, r.dimensions
             from %s and $3->>'include' is distinct from 'memories' and %s
            order by r.created_at desc, r.derived_id desc))$sql$,
    demystify_memory.recall_statement('memory', v_whose), demystify_memory.passes_expression(p_tenant, 'memory', p_subjects, p_filter),
    demystify_memory.recall_statement('derived', v_whose), demystify_memory.passes_expression(p_tenant, 'derived', p_subjects, p_filter));
  v_end_at timestamptz;
  v_end_id uuid;
  v_answer json;
begin
  perform demystify_memory.assert_tenant(p_tenant, false);
  perform demystify_memory.assert_keys(p_tenant, p_keys);
  execute format('select x.created_at, x.id from %s x where x.dimensions = $4 order by x.created_at desc, x.id desc offset $5 limit 1', v_rows)
    into v_end_at, v_end_id using p_tenant, p_subjects, p_filter, p_dimensions, p_pool;
  execute format(
    $sql$with walked as materialized (
           select * from %s x where $5::timestamptz is null or (x.created_at, x.id) > ($5, $6)
         )
         select json_build_object(
           'pool', (
             select coalesce(json_agg(json_build_array(p.kind, p.id, p.created_at, to_json(coalesce(m.embedding, d.embedding)))
                                      order by p.created_at desc, p.id desc), '[]')
               from walked p
               left join lateral (select x.embedding from demystify_memory.memory x
                                   where x.tenant_key = $1 and x.memory_id = p.id offset 0) m on p.kind = 'memory'
               left join lateral (select x.embedding from demystify_memory.derived x
                                   where x.tenant_key = $1 and x.derived_id = p.id offset 0) d on p.kind = 'derived'
              where p.dimensions = $4),
           'coverage', (
             select jsonb_build_object(
                      'considered', count(*) filter (where w.dimensions = $4),
                      'skippedNoVector', count(*) filter (where w.dimensions is null),
                      'skippedDimension', count(*) filter (where w.dimensions <> $4),
                      'skippedNoTerms', 0,
                      'truncated', $5 is not null)
                    || case when $5 is null then jsonb_build_object('eligible', count(*)) else '{"partial": true}' end
               from walked w))$sql$, v_rows)
    into v_answer using p_tenant, p_subjects, p_filter, p_dimensions, v_end_at, v_end_id;
  return v_answer::text;
end
$$;
comment on function demystify_memory.vector_window is 'The newest comparable vectors, for ranking outside Postgres, with coverage.';
