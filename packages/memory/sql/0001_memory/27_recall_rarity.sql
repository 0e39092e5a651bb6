-- Ranking by terms that are weighted by how rare they are: BM25 with what the index knows. It holds each term of a row
-- once, so that how often a row repeats a term does not count, and rows are not weighed by their length.
--
-- A term's weight is ln(1 + (n - df + 0.5) / (df + 0.5)), where n is the number of rows that hold any of the terms and df
-- of those that hold this one, both among the rows that pass the filters: nothing that is hidden has a say. The score is
-- the share of the query's weight that a row holds. Weights are whole millionths, so that every store adds them up alike.
create or replace function demystify_memory.recall_bm25(
  p_tenant text, p_hashes bigint[], p_terms int[], p_subjects text[], p_keys jsonb, p_filter jsonb, p_limit int, p_min_score float8
) returns text
language plpgsql stable security definer  -- the caller reads no base table
set search_path = ''
set jit = off
set enable_seqscan = off
as $$
declare
  v_table   text;
  v_way     text;
  v_parts   text[] := '{}';
  v_looked  bigint := 0;
  v_kinds   text[] := '{}';
  v_ids     uuid[] := '{}';
  v_scores  float8[] := '{}';
begin
  perform demystify_memory.assert_tenant(p_tenant, false);
  perform demystify_memory.assert_keys(p_tenant, p_keys);
  foreach v_table in array array['memory', 'derived'] loop
    continue when p_filter->>'include' <> case v_table when 'memory' then 'memories' else 'derived' end;
    v_way := demystify_memory.recall_way(p_tenant, v_table, p_subjects);
    v_parts := v_parts || format(
      $sql$select %1$L::text as kind, r.%1$s_id as id, r.created_at,
                  array(select distinct q.term from unnest($4::bigint[], $5::int[]) q(hash, term) where q.hash = any(r.term_hashes)) as terms
             from %2$s and r.term_hashes && $4 and %3$s$sql$,
      v_table,
      demystify_memory.recall_statement(v_table, case v_way when 'person' then 'of person' else 'by terms' end),
      demystify_memory.passes_expression(p_tenant, v_table, p_subjects, p_filter));
  end loop;
  execute format(
    $sql$with candidates as materialized (%s), held as (
           select t.term, count(*) as df from candidates c, unnest(c.terms) t(term) group by t.term
         ), weights as materialized (
           select t.term,
                  greatest(1, floor(0.5 + 1000000 * ln(1 + (n.rows - coalesce(h.df, 0) + 0.5::float8) / (coalesce(h.df, 0) + 0.5::float8))))::bigint as weight
             from (select distinct term from unnest($5) u(term)) t
             cross join (select count(*)::float8 as rows from candidates) n
             left join held h on h.term = t.term
         ), scored as (
           select c.kind, c.id, c.created_at,
                  (select sum(w.weight) from weights w where w.term = any(c.terms))::float8 / (select sum(w.weight) from weights w)::float8 as score
             from candidates c
         ), best as (
           select * from scored s where s.score >= $7 order by s.score desc, s.created_at desc, s.id desc limit $6
         )
         select array_agg(b.kind order by b.score desc, b.created_at desc, b.id desc),
                array_agg(b.id order by b.score desc, b.created_at desc, b.id desc),
                array_agg(b.score order by b.score desc, b.created_at desc, b.id desc),
                (select count(*) from candidates)
           from best b$sql$, array_to_string(v_parts, ' union all '))
    into v_kinds, v_ids, v_scores, v_looked using p_tenant, p_subjects, p_filter, p_hashes, p_terms, p_limit, p_min_score;
  return json_build_object(
    'hits', demystify_memory.hits_json(p_tenant, v_kinds, v_ids, v_scores),
    'coverage', json_build_object(
      'considered', v_looked,
      'skippedNoVector', 0, 'skippedDimension', 0,
      'skippedNoTerms', demystify_memory.skipped_no_terms(p_tenant, p_subjects, p_filter),
      'truncated', false))::text;
end
$$;
comment on function demystify_memory.recall_bm25 is 'Rows by the share of the query''s weight they hold, rare terms weighing most, with coverage.';
