-- Ranking by terms. A term is a group of hashes that mean the same: one under each key of the library, or the inflected
-- forms of a word. p_hashes and p_terms run in parallel: a hash, and which term of the query it is, counted from 0.
--
-- The lexical score is the share of the query's terms that a row holds. The ranking is exact and every row is eligible,
-- but few need be looked at: rows with all terms come before rows with one fewer, whatever their age, so that each
-- such tier is asked for until the limit is reached. A tier is merged as a whole before it is cut: the newest first.

-- SQL for the number of a query's terms that the row r holds. These helpers are plpgsql, whose plans a session keeps.
create or replace function demystify_memory.found_expression(p_hashes bigint[], p_terms int[]) returns text
language plpgsql immutable
set search_path = ''
as $$
declare
  v_sum text;
begin
  if cardinality(p_terms) > 0 and p_terms[cardinality(p_terms)] >= 16 then
    return format('(select count(distinct q.term)::int from unnest(%L::bigint[], %L::int[]) q(hash, term) where q.hash = any(r.term_hashes))',
                  p_hashes::text, p_terms::text);
  end if;
  select string_agg(format('(r.term_hashes && %L::bigint[])::int', g.hashes::text), ' + ') into v_sum
    from (select array_agg(q.hash) as hashes from unnest(p_hashes, p_terms) q(hash, term) group by q.term order by q.term) g;
  return v_sum;
end
$$;
comment on function demystify_memory.found_expression is 'SQL that counts how many of a query''s terms a row holds.';

-- How an index finds the rows that hold at least p_size of the terms: such a row holds at least `chosen` of the (all -
-- p_size + chosen) rarest, so that it is in one of the combinations of these. The more are chosen the fewer rows a
-- combination leads to, and the more combinations there are. p_counts: how many of the p_window newest rows hold each
-- term, ascending. estimate: the rows it leads to, if terms occur independently, and a share of the entries passed over.
create or replace function demystify_memory.tier_plan(
  p_counts int[], p_window int, p_rows float8, p_size int, out chosen int, out estimate float8
)
language plpgsql immutable
set search_path = ''
as $$
declare
  v_spare constant int := cardinality(p_counts) - p_size;
  v_most  constant int := 45;
  v_arms  float8 := 1;
  v_sums  float8[];
begin
  chosen := 0;
  loop
    exit when chosen >= p_size or v_arms * (v_spare + chosen + 1) / (chosen + 1) > v_most and chosen > 0;
    chosen := chosen + 1;
    v_arms := v_arms * (v_spare + chosen) / chosen;
  end loop;
  -- Sums of the products of that many shares: each new term joins every product of one fewer.
  v_sums := array[1::float8] || array_fill(0::float8, array[chosen]);
  for i in 1 .. v_spare + chosen loop
    for j in reverse least(i, chosen) .. 1 loop
      v_sums[j + 1] := v_sums[j + 1] + v_sums[j] * greatest(p_counts[i], 0.3) / p_window;
    end loop;
  end loop;
  estimate := p_rows * v_sums[chosen + 1]
            + case when chosen > 1 then 0.02 * v_arms * p_rows * greatest(p_counts[1], 0.3) / p_window else 0 end;
end
$$;
comment on function demystify_memory.tier_plan is 'How many terms at a time the index is asked for to find one tier, and how many rows that leads to.';

-- SQL for that. p_rarest: the terms, the rarest first.
create or replace function demystify_memory.tier_condition(
  p_hashes bigint[], p_terms int[], p_rarest int[], p_size int, p_chosen int
) returns text
language plpgsql immutable
set search_path = ''
as $$
declare
  v_among  int := cardinality(p_rarest) - p_size + p_chosen;
  v_places int[];
  v_place  int;
  v_single bigint[];
  v_group  bigint[];
  v_arm    text[];
  v_arms   text[] := '{}';
begin
  if p_chosen = 1 then
    return format('r.term_hashes && %L::bigint[]', (
      select array_agg(q.hash)::text from unnest(p_hashes, p_terms) q(hash, term) where q.term = any(p_rarest[1:v_among])));
  end if;
  for v_places in
    with recursive combination (places) as (
      select array[i] from generate_series(1, v_among - p_chosen + 1) i
      union all
      select c.places || i
        from combination c, generate_series(c.places[cardinality(c.places)] + 1, v_among - p_chosen + cardinality(c.places) + 1) i
       where cardinality(c.places) < p_chosen
    )
    select c.places from combination c where cardinality(c.places) = p_chosen
  loop
    v_arm := '{}';
    v_single := '{}';
    foreach v_place in array v_places loop
      v_group := array(select q.hash from unnest(p_hashes, p_terms) q(hash, term) where q.term = p_rarest[v_place]);
      if cardinality(v_group) = 1 then
        v_single := v_single || v_group;
      else
        v_arm := v_arm || format('r.term_hashes && %L::bigint[]', v_group::text);
      end if;
    end loop;
    if v_single <> '{}' then
      v_arm := v_arm || format('r.term_hashes @> %L::bigint[]', v_single::text);
    end if;
    v_arms := v_arms || ('(' || array_to_string(v_arm, ' and ') || ')');
  end loop;
  return '(' || array_to_string(v_arms, ' or ') || ')';
end
$$;
comment on function demystify_memory.tier_condition is 'SQL that finds, by index, the rows with at least so many of a query''s terms.';

-- Whether anything of a tenant is hidden at all. Where nothing is, a statement need not ask for each row: that alone
-- would be half the cost of a small recall.
create or replace function demystify_memory.hides_something(p_tenant text) returns boolean
language plpgsql stable security definer  -- the work lists are the engine's alone
set search_path = ''
set jit = off
set enable_seqscan = off
as $$
begin
  return exists (select from demystify_memory.open_erasure o where o.tenant_key = p_tenant)
      or exists (select from demystify_memory.restriction_in_force r where r.tenant_key = p_tenant);
end
$$;
comment on function demystify_memory.hides_something is 'Whether an open erasure or a restriction of this tenant hides rows.';

-- The statements over one table: in each, $1 is the tenant, $2 the persons, $3 the filter. The tenant is compared as an
-- expression wherever the terms are to be found by index: the hash of a term covers the tenant already, and an index
-- that leads with the tenant would be taken instead, and read all of it.
create or replace function demystify_memory.recall_statement(p_table text, p_form text) returns text
language plpgsql immutable
set search_path = ''
as $sql$
begin
  return case p_form
    when 'about' then case p_table when 'memory' then $${{filed_under r $2}} and $$ else $$r.subject_hashes && $2 and $$ end
    when 'filter' then case p_table
      when 'memory' then $${{matches_filter r $3}} and {{captured_within r $3}} and $$
      else $${{matches_filter r $3}} and {{not_by_capture r $3}} and $$ end
    when 'visible' then case p_table when 'memory' then $${{visible_memory r $1}}$$ else $${{visible_derived r $1}}$$ end
    when 'unexpired' then $${{unexpired r $1}}$$
    when 'by terms' then format('demystify_memory.%I r where r.tenant_key || %L = $1', p_table, '')
    when 'of tenant' then format('demystify_memory.%I r where r.tenant_key = $1', p_table)
    when 'of person' then case p_table
      when 'memory' then $${{memories_of $1 $2}} r where true$$ else $${{derived_of $1 $2}} r where true$$ end
    -- The newest rows, read by the index on time: the inner statement leaves the planner nothing else to go by.
    when 'newest' then format('(select * from demystify_memory.%1$I n where n.tenant_key = $1 order by n.created_at desc, n.%1$s_id desc limit %%s) r where true', p_table)
  end;
end
$sql$;
comment on function demystify_memory.recall_statement is 'The parts that the statements of a ranking are made of.';

-- Holds only what is asked for: planning conditions that narrow nothing takes as long as a small recall does.
-- p_hidden_too: expiry apart, everything passes, and the caller looks whether a hit is hidden.
create or replace function demystify_memory.passes_expression(
  p_tenant text, p_table text, p_subjects text[], p_filter jsonb, p_hidden_too boolean default false
) returns text
language plpgsql stable
set search_path = ''
as $$
begin
  return case when p_subjects is not null then demystify_memory.recall_statement(p_table, 'about') else '' end
      || case when p_filter - 'include' <> '{}' then demystify_memory.recall_statement(p_table, 'filter') else '' end
      || demystify_memory.recall_statement(p_table, case when not p_hidden_too and demystify_memory.hides_something(p_tenant)
                                                        then 'visible' else 'unexpired' end);
end
$$;
comment on function demystify_memory.passes_expression is 'SQL for whether the row r of a table passes the filters of a recall and may be shown.';

create or replace function demystify_memory.rows_of(p_table text) returns float8
language sql stable
set search_path = ''
as $$
  select greatest(1000, sum(greatest(c.reltuples, 0)))::float8
    from pg_catalog.pg_class c
   where c.oid = format('demystify_memory.%I', p_table)::regclass
      or c.oid in (select i.inhrelid from pg_catalog.pg_inherits i
                    where i.inhparent = format('demystify_memory.%I', p_table)::regclass)
$$;
comment on function demystify_memory.rows_of is 'About how many rows a table has, all tenants together.';

-- How the rows of one table are to be looked at. person: few rows are about the persons asked for, and all are read.
-- terms: the tenant is small, and all rows with any term are. tiers: neither.
create or replace function demystify_memory.recall_way(p_tenant text, p_table text, p_subjects text[]) returns text
language plpgsql stable security definer  -- the caller reads no base table
set search_path = ''
set jit = off
set enable_seqscan = off
as $$
declare
  v_few constant int := demystify_memory.few_rows();
  v_rows int;
begin
  if p_subjects is not null and demystify_memory.are_few(p_tenant, p_table, p_subjects) then
    return 'person';
  end if;
  if p_table = 'memory' then
    select count(*) into v_rows from (select from demystify_memory.memory m where m.tenant_key = p_tenant limit v_few + 1) x;
  else
    select count(*) into v_rows from (select from demystify_memory.derived d where d.tenant_key = p_tenant limit v_few + 1) x;
  end if;
  return case when v_rows = 0 then 'empty' when v_rows <= v_few then 'terms' else 'tiers' end;
end
$$;
comment on function demystify_memory.recall_way is 'How a ranking by terms goes about one table: person, terms, tiers or empty.';

-- One table of a large tenant: the best p_need of the rows with p_least to p_most of the terms. Where rows of one tier are
-- frequent among the newest they are met soon by walking back in time; where they are rare the index finds them all.
-- p_seen: how many of the p_window newest rows belong to the tier.
create or replace function demystify_memory.recall_tier(
  p_tenant text, p_table text, p_hashes bigint[], p_terms int[], p_subjects text[], p_filter jsonb,
  p_counts int[], p_window int, p_seen int, p_least int, p_most int, p_need int, p_hidden_too boolean,
  out ids uuid[], out at timestamptz[], out held int[], out looked bigint
)
language plpgsql stable security definer  -- the caller reads no base table
set search_path = ''
set jit = off
set enable_seqscan = off
as $$
declare
  v_passes text := demystify_memory.passes_expression(p_tenant, p_table, p_subjects, p_filter, p_hidden_too);
  v_found  text := demystify_memory.found_expression(p_hashes, p_terms);
  v_rarest int[] := array(select u.n - 1 from unnest(p_counts) with ordinality u(c, n) order by u.c, u.n);
  v_plan   record := demystify_memory.tier_plan(
    array(select c from unnest(p_counts) c order by c), p_window, demystify_memory.rows_of(p_table), p_least);
  -- Rows to walk over before enough are met; a range of tiers is not in the order of time.
  v_walk   float8 := case when p_least = p_most then p_need * p_window / greatest(p_seen, 0.3) else 'Infinity' end;
begin
  if v_walk < v_plan.estimate then
    execute format(
      $sql$select array_agg(w.id order by w.created_at desc, w.id desc), array_agg(w.created_at order by w.created_at desc, w.id desc),
               array_agg(w.found order by w.created_at desc, w.id desc), count(*)
          from (select r.%1$s_id as id, r.created_at, %2$s as found from %3$s and %2$s = %4$s and %5$s
                 order by r.created_at desc, r.%1$s_id desc limit %6$s) w$sql$,
      p_table, v_found, format(demystify_memory.recall_statement(p_table, 'newest'), (3 * v_walk + 1000)::bigint),
      p_least, v_passes, p_need)
      into ids, at, held, looked using p_tenant, p_subjects, p_filter;
    if looked = p_need then
      return;
    end if;
  end if;
  execute format(
    $sql$select array_agg(w.id order by w.found desc, w.created_at desc, w.id desc),
             array_agg(w.created_at order by w.found desc, w.created_at desc, w.id desc),
             array_agg(w.found order by w.found desc, w.created_at desc, w.id desc), coalesce(max(w.looked), 0)
        from (select x.*, count(*) over () as looked
                from (select r.%1$s_id as id, r.created_at, %2$s as found from %3$s and %4$s and %5$s) x
               where x.found between %6$s and %7$s
               order by x.found desc, x.created_at desc, x.id desc limit %8$s) w$sql$,
    p_table, v_found, demystify_memory.recall_statement(p_table, 'by terms'),
    demystify_memory.tier_condition(p_hashes, p_terms, v_rarest, p_least, v_plan.chosen), v_passes, p_least, p_most, p_need)
    into ids, at, held, looked using p_tenant, p_subjects, p_filter;
end
$$;
comment on function demystify_memory.recall_tier is 'The newest rows of one table that hold so many of a query''s terms.';

-- What is known of one table to begin with. person, terms: every row with a term is looked at, and the best p_limit are
-- kept. tiers: the newest thousand rows of the table, with how many of these hold each term.
create or replace function demystify_memory.recall_known(
  p_tenant text, p_table text, p_way text, p_hashes bigint[], p_terms int[], p_subjects text[], p_filter jsonb,
  p_limit int, p_hidden_too boolean,
  out ids uuid[], out at timestamptz[], out held int[], out counts int[], out looked bigint
)
language plpgsql stable security definer  -- the caller reads no base table
set search_path = ''
set jit = off
set enable_seqscan = off
as $$
declare
  v_window constant int := greatest(1, demystify_memory.few_rows() / 5);
  v_passes text := demystify_memory.passes_expression(p_tenant, p_table, p_subjects, p_filter, p_hidden_too);
  v_found  text := demystify_memory.found_expression(p_hashes, p_terms);
begin
  if p_way = 'tiers' then
    execute format(
      $sql$select coalesce(array_agg(w.id order by w.created_at desc, w.id desc) filter (where w.passes and w.found > 0), '{}'),
                  array_agg(w.created_at order by w.created_at desc, w.id desc) filter (where w.passes and w.found > 0),
                  array_agg(w.found order by w.created_at desc, w.id desc) filter (where w.passes and w.found > 0),
                  array[%5$s], count(*)
             from (select r.%1$s_id as id, r.created_at, r.term_hashes, %2$s as found, %3$s as passes from %4$s) w$sql$,
      p_table, v_found, v_passes, format(demystify_memory.recall_statement(p_table, 'newest'), v_window),
      (select string_agg(format('count(*) filter (where w.term_hashes && %L::bigint[])', g.hashes::text), ', ' order by g.term)
         from (select q.term, array_agg(q.hash) as hashes from unnest(p_hashes, p_terms) q(hash, term) group by q.term) g))
      into ids, at, held, counts, looked using p_tenant, p_subjects, p_filter;
    return;
  end if;
  execute format(
    $sql$select coalesce(array_agg(w.id order by w.found desc, w.created_at desc, w.id desc), '{}'),
                array_agg(w.created_at order by w.found desc, w.created_at desc, w.id desc),
                array_agg(w.found order by w.found desc, w.created_at desc, w.id desc), coalesce(max(w.looked), 0)
           from (select x.*, count(*) over () as looked
                   from (select r.%1$s_id as id, r.created_at, %2$s as found
                           from %3$s and r.term_hashes && %4$L::bigint[] and %5$s) x
                  order by x.found desc, x.created_at desc, x.id desc limit %6$s) w$sql$,
    p_table, v_found,
    demystify_memory.recall_statement(p_table, case p_way when 'person' then 'of person' else 'by terms' end),
    p_hashes::text, v_passes, p_limit)
    into ids, at, held, looked using p_tenant, p_subjects, p_filter;
end
$$;
comment on function demystify_memory.recall_known is 'The rows of one table that a ranking by terms begins with.';

create or replace function demystify_memory.recall_lexical(
  p_tenant text, p_hashes bigint[], p_terms int[], p_subjects text[], p_keys jsonb, p_filter jsonb, p_limit int, p_min_score float8
) returns text
language plpgsql stable security definer  -- the caller reads no base table
set search_path = ''
set jit = off
set enable_seqscan = off
as $$
declare
  v_total    int := (select count(distinct t) from unnest(p_terms) t);
  v_floor    int := (select min(k) from generate_series(1, v_total) k where k::float8 / v_total >= p_min_score);
  v_level    int := v_total;
  v_least    int;
  v_need     int;
  v_way      text;
  v_ways     jsonb := '{}';
  v_table    text;
  v_first    int := 1;
  v_memory   record;
  v_derived  record;
  v_known    record;
  v_tier     record;
  v_kinds    text[] := '{}';
  v_ids      uuid[] := '{}';
  v_found    int[] := '{}';
  v_of_kinds text[];
  v_of_ids   uuid[];
  v_of_at    timestamptz[];
  v_of_found int[];
  v_looked   bigint := 0;
  v_partial  boolean := false;
  v_lazy     boolean;
begin
  perform demystify_memory.assert_tenant(p_tenant, false);
  perform demystify_memory.assert_keys(p_tenant, p_keys);
  foreach v_table in array array['memory', 'derived'] loop
    v_way := case when p_filter->>'include' is null or p_filter->>'include' = case v_table when 'memory' then 'memories' else 'derived' end
                  then demystify_memory.recall_way(p_tenant, v_table, p_subjects) else 'empty' end;
    -- A query that long is not taken apart into tiers.
    v_way := case when v_way = 'tiers' and v_total > 64 then 'terms' else v_way end;
    v_ways := v_ways || jsonb_build_object(v_table, v_way);
    v_partial := v_partial or v_way = 'tiers';
  end loop;
  -- In a large tenant nobody asks of each row whether it is hidden, only of the hits: if none is, the ranking is what it
  -- would be without the hidden rows. Restrictions hide by person, so that with one in force each row is asked.
  v_lazy := v_partial and not exists (select from demystify_memory.restriction_in_force r where r.tenant_key = p_tenant);

  <<ranking>>
  loop
    v_level := v_total;
    v_first := 1;
    v_looked := 0;
    v_kinds := '{}';
    v_ids := '{}';
    v_found := '{}';
    foreach v_table in array array['memory', 'derived'] loop
      v_way := v_ways->>v_table;
      if v_way = 'empty' then
        select '{}'::uuid[] as ids, '{}'::timestamptz[] as at, '{}'::int[] as held, null::int[] as counts, 0::bigint as looked into v_known;
      else
        v_known := demystify_memory.recall_known(p_tenant, v_table, v_way, p_hashes, p_terms, p_subjects, p_filter, p_limit, v_lazy);
      end if;
      v_looked := v_looked + v_known.looked;
      if v_way = 'tiers' then
        -- Tiers with few rows between them are asked for in one go, down to where there are a thousand.
        v_first := greatest(v_first, (
          select coalesce(min(k), v_total) from generate_series(v_floor, v_total) k
           where (demystify_memory.tier_plan(array(select c from unnest(v_known.counts) c order by c), v_known.looked::int,
                                             demystify_memory.rows_of(v_table), k)).estimate <= 1000));
      end if;
      if v_table = 'memory' then v_memory := v_known; else v_derived := v_known; end if;
    end loop;

    while v_level >= v_floor and cardinality(v_ids) < p_limit loop
      v_need := p_limit - cardinality(v_ids);
      v_least := case
        when not v_partial then v_floor
        when v_level = v_total then v_first
        else v_level end;
      v_of_kinds := '{}';
      v_of_ids := '{}';
      v_of_at := '{}';
      v_of_found := '{}';
      foreach v_table in array array['memory', 'derived'] loop
        if v_table = 'memory' then v_known := v_memory; else v_known := v_derived; end if;
        if v_ways->>v_table <> 'tiers'
           or v_least = v_level and (select count(*) from unnest(v_known.held) f where f = v_level) >= v_need then
          v_tier := v_known;
        else
          v_tier := demystify_memory.recall_tier(
            p_tenant, v_table, p_hashes, p_terms, p_subjects, p_filter, v_known.counts, v_known.looked::int,
            (select count(*) from unnest(v_known.held) f where f = v_level)::int, v_least, v_level, v_need, v_lazy);
          v_looked := v_looked + v_tier.looked;
        end if;
        v_of_kinds := v_of_kinds || array_fill(v_table, array[coalesce(cardinality(v_tier.ids), 0)]);
        v_of_ids := v_of_ids || v_tier.ids;
        v_of_at := v_of_at || v_tier.at;
        v_of_found := v_of_found || v_tier.held;
      end loop;
      select v_kinds || coalesce(array_agg(t.kind order by t.found desc, t.at desc, t.id desc), '{}'),
             v_ids || coalesce(array_agg(t.id order by t.found desc, t.at desc, t.id desc), '{}'),
             v_found || coalesce(array_agg(t.found order by t.found desc, t.at desc, t.id desc), '{}')
        into v_kinds, v_ids, v_found
        from (select * from unnest(v_of_kinds, v_of_ids, v_of_at, v_of_found) u(kind, id, at, found)
               where u.found between v_least and v_level
               order by u.found desc, u.at desc, u.id desc limit v_need) t;
      v_level := v_least - 1;
    end loop;
    exit ranking when not v_lazy or not exists (
      select from unnest(v_ids) u(id) where u.id in (select h.id from demystify_memory.hidden_items(p_tenant) h(id)));
    v_lazy := false;
  end loop ranking;

  return json_build_object(
    'hits', demystify_memory.hits_json(p_tenant, v_kinds, v_ids, array(
      select f.found::float8 / v_total from unnest(v_found) with ordinality f(found, place) order by f.place)),
    'coverage', jsonb_build_object(
      'considered', v_looked,
      'skippedNoVector', 0, 'skippedDimension', 0,
      'skippedNoTerms', demystify_memory.skipped_no_terms(p_tenant, p_subjects, p_filter),
      'truncated', false) || case when v_partial then '{"partial": true}' else '{}' end::jsonb)::text;
end
$$;
comment on function demystify_memory.recall_lexical is 'Rows by the fraction of query terms they hold, best first, with coverage.';
