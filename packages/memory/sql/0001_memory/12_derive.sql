-- derive: one statement a batch. The gate is a trigger on the table, so this function only fills in and classifies.
create or replace function demystify_memory.derive_many(
  p_tenant text, p_ids uuid[], p_kinds text[], p_texts text[], p_metadata text[], p_embeddings text[], p_terms text[],
  p_tags text[], p_source_memories text[], p_source_derived text[]
) returns text
language plpgsql security definer  -- the caller holds no INSERT
set search_path = ''
set jit = off
set enable_seqscan = off
set plan_cache_mode = force_generic_plan
as $$
declare
  v_refused  uuid[] := '{}';
  v_more     uuid[];
  v_reasons  jsonb := '{}';
  v_state    text;
  v_detail   text;
  v_bad      uuid[] := '{}';
  v_expiries json;
begin
  perform demystify_memory.assert_tenant(p_tenant, true);
  -- A row of this very batch is no source yet: the persons it would bring along are not known.
  if array_remove(p_source_derived, '{}') <> '{}' then
    v_bad := array(select x from unnest(p_source_derived) s, unnest(s::uuid[]) x where x = any(p_ids));
  end if;
  if v_bad <> '{}' then
    if cardinality(p_ids) = 1 then
      raise exception 'a source does not exist' using errcode = 'ME002', detail = json_build_object('ids', v_bad)::text;
    end if;
    select array_agg(u.id), jsonb_object_agg(u.id, jsonb_build_object('code', 'ME002', 'ids', (
             select jsonb_agg(b) from unnest(u.deriveds::uuid[]) b where b = any(p_ids))))
      into v_refused, v_reasons
      from unnest(p_ids, p_source_derived) u(id, deriveds)
     where u.deriveds::uuid[] && p_ids;
  end if;
  loop
    begin
      with input as materialized (
        select u.*, u.source_memories::uuid[] as memories, u.source_derived::uuid[] as deriveds
          from unnest(p_ids, p_kinds, p_texts, p_metadata, p_embeddings, p_terms, p_tags, p_source_memories, p_source_derived)
               u(id, kind, text, metadata, embedding, terms, tags, source_memories, source_derived)
         where u.id <> all(v_refused)
      ), persons as (
        select x.id, array_agg(distinct x.h order by x.h) as hashes, min(x.expires_at) as expires_at
          from (
            select i.id, h, m.expires_at
              from input i, lateral {{memories_by_id p_tenant i.memories}} m,
              unnest(m.subject_hash || m.also_hashes) h
            union all
            select i.id, h, d.expires_at
              from input i, lateral {{derived_by_id p_tenant i.deriveds}} d,
              unnest(d.subject_hashes) h
          ) x
         group by x.id
      ), stored as (
        insert into demystify_memory.derived (
          tenant_key, derived_id, kind, text, metadata, embedding, term_hashes, content_tags, source_memories,
          source_derived, subject_hashes, expires_at, created_at)
        select p_tenant, i.id, i.kind, i.text, i.metadata::jsonb, i.embedding::real[], i.terms::bigint[],
               coalesce(i.tags::text[], '{}'), i.memories, i.deriveds, coalesce(p.hashes, '{}'), p.expires_at, clock_timestamp()
          from input i left join persons p on p.id = i.id
        returning derived_id, created_at, expires_at)
      select json_object_agg(s.derived_id, json_build_array(demystify_memory.iso(s.created_at), demystify_memory.iso(s.expires_at)))
        into v_expiries
        from stored s;
      exit;
    exception when sqlstate 'ME002' or sqlstate 'ME003' or sqlstate 'ME008' then
      -- One row: its error is the answer. More: the rows with that source are refused, the others stored.
      if cardinality(p_ids) = 1 then
        raise;
      end if;
      get stacked diagnostics v_state = returned_sqlstate, v_detail = pg_exception_detail;
      v_bad := array(select jsonb_array_elements_text(v_detail::jsonb -> 'ids')::uuid);
      select array_agg(u.id),
             v_reasons || jsonb_object_agg(u.id, jsonb_build_object('code', v_state, 'ids', (
               select jsonb_agg(b) from unnest(v_bad) b
                where b = any(u.memories::uuid[]) or b = any(u.deriveds::uuid[]) or b = u.id)))
        into v_more, v_reasons
        from unnest(p_ids, p_source_memories, p_source_derived) u(id, memories, deriveds)
       where u.id <> all(v_refused)
         and (u.memories::uuid[] && v_bad or u.deriveds::uuid[] && v_bad or u.id = any(v_bad));
      if v_more is null then
        raise exception 'a source cannot be derived from' using errcode = v_state, detail = v_detail;
      end if;
      v_refused := v_refused || v_more;
    end;
  end loop;
  return json_build_object(
    'stored', v_expiries, 'refused', v_reasons,
    'rematerialised', demystify_memory.erased_content(p_tenant, p_ids, p_tags))::text;
end
$$;
comment on function demystify_memory.derive_many is
  'Stores a batch of redacted derived rows. Answers [createdAt, expiresAt] of each stored id, and code and source ids of each refused one.';
