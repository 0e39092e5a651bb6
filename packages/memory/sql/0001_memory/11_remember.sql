-- Which rows of a batch say what was erased before, by their keyed content tags. Without a pepper there are none.
-- p_own: only by the tags of the persons they are filed under, without the one (any:…) that is compared across people.
create or replace function demystify_memory.erased_content(p_tenant text, p_ids uuid[], p_tags text[], p_own boolean default false)
returns uuid[]
language plpgsql stable security definer  -- evidence is not the caller's to read
set search_path = ''
set jit = off
set enable_seqscan = off
set plan_cache_mode = force_generic_plan
as $$
begin
  if array_remove(p_tags, '{}') = '{}' then
    return '{}';
  end if;
  return (
    select coalesce(array_agg(u.id), '{}')
      from unnest(p_ids, p_tags) u(id, tags),
      lateral (select array(select t from unnest(u.tags::text[]) t where not p_own or t not like 'any:%') as tags) w
     where u.tags <> '{}' and w.tags <> '{}' and exists (
       select from demystify_memory.tombstone_item i
        where i.content_tags <> '{}' and i.content_tags && w.tags and i.tenant_key || '' = p_tenant offset 0));
end
$$;
comment on function demystify_memory.erased_content is 'The ids of rows whose content tags match erased content.';

-- remember: one statement a batch. Arrays run in parallel, one element a row; a null outcome means stored.
create or replace function demystify_memory.remember_many(
  p_tenant text, p_ids uuid[], p_subject_hashes text[], p_key_id text, p_subject_keys text[],
  p_also_hashes text[], p_also_keys text[], p_persons jsonb, p_kinds text[], p_texts text[], p_metadata text[],
  p_embeddings text[], p_terms text[], p_tags text[], p_captured timestamptz[], p_expires timestamptz[],
  p_idempotency text[], p_provenance_known boolean[], p_keys jsonb, p_refuse_erased_content boolean
) returns text
language plpgsql security definer  -- the caller holds no INSERT
set search_path = ''
set jit = off
set enable_seqscan = off
set plan_cache_mode = force_generic_plan
as $$
declare
  v_hashes   text[];
  v_at       timestamptz;
  v_skip     boolean[] := array_fill(false, array[cardinality(p_ids)]);
  v_existing uuid[];
  v_refused  uuid[] := '{}';
  v_detail   text;
  v_attempt  int := 0;
  v_again    uuid[];
  v_stamped  json;  -- where the installer is the engine, a trigger stamps each row after v_at
begin
  perform demystify_memory.assert_tenant(p_tenant, true);
  perform demystify_memory.register_key(p_tenant, p_keys);
  if p_persons is not null then
    perform demystify_memory.link_subjects(p_tenant, p_persons);
  end if;
  if cardinality(p_ids) = 1 and coalesce(p_also_hashes[1], '{}') = '{}' then
    v_hashes := p_subject_hashes;
  else
    select array_agg(distinct h order by h) into v_hashes
      from (select unnest(p_subject_hashes) as h
            union all
            select unnest(a::text[]) from unnest(p_also_hashes) a where a <> '{}') x;
  end if;
  perform demystify_memory.lock_subjects(p_tenant, v_hashes, array_fill(p_key_id, array[cardinality(v_hashes)]));
  v_at := clock_timestamp();

  v_again := demystify_memory.erased_content(p_tenant, p_ids, p_tags);
  if p_refuse_erased_content then
    v_refused := demystify_memory.erased_content(p_tenant, p_ids, p_tags, true);
  end if;

  loop
    v_attempt := v_attempt + 1;
    begin
      if array_remove(p_idempotency, null) <> '{}' then
        -- A key whose row has expired stands for nothing any more: it is taken over. Once in a batch is enough.
        with taken as (
          insert into demystify_memory.idempotency_key as k (tenant_key, idempotency_hash, memory_id)
            select distinct on (u.idem) p_tenant, u.idem, u.id
              from unnest(p_ids, p_idempotency) with ordinality u(id, idem, n)
             where u.idem is not null and u.id <> all(v_refused)
             order by u.idem, u.n
            on conflict (tenant_key, idempotency_hash) do update set memory_id = excluded.memory_id
              -- Asked for the expired one, not for the missing: of a writer that was waited for, this snapshot sees no row.
              where exists (
                select from demystify_memory.memory m
                 where m.tenant_key = p_tenant and m.memory_id = k.memory_id and m.expires_at <= statement_timestamp())
            returning memory_id)
        select array_agg(u.idem is not null and u.id <> all(v_refused)
                         and not exists (select from taken t where t.memory_id = u.id) order by u.n)
          into v_skip
          from unnest(p_ids, p_idempotency) with ordinality u(id, idem, n);
      end if;

      with stored as (
      insert into demystify_memory.memory (
        tenant_key, memory_id, subject_key, subject_hash, also_keys, also_hashes, key_id, kind, text, metadata,
        embedding, term_hashes, content_tags, provenance_known, idempotency_hash, captured_at, expires_at, created_at)
      select p_tenant, u.id, u.subject_key, u.subject_hash, u.also_keys::text[], coalesce(u.also_hashes::text[], '{}'),
             p_key_id, u.kind, u.text, u.metadata::jsonb, u.embedding::real[], u.terms::bigint[],
             coalesce(u.tags::text[], '{}'), u.known, u.idem, u.captured, u.expires, v_at
        from unnest(p_ids, p_subject_hashes, p_subject_keys, p_also_hashes, p_also_keys, p_kinds, p_texts, p_metadata,
                    p_embeddings, p_terms, p_tags, p_captured, p_expires, p_idempotency, p_provenance_known, v_skip)
             u(id, subject_hash, subject_key, also_hashes, also_keys, kind, text, metadata,
               embedding, terms, tags, captured, expires, idem, known, skip)
       where not u.skip and u.id <> all(v_refused)
      returning memory_id, created_at)
      select json_object_agg(s.memory_id, demystify_memory.iso(s.created_at)) filter (where s.created_at <> v_at)
        into v_stamped from stored s;
      exit;
    exception when sqlstate 'ME004' then
      -- The gate names the rows it refuses: the others of the batch are stored without them.
      get stacked diagnostics v_detail = pg_exception_detail;
      v_refused := v_refused || array(select jsonb_array_elements_text(v_detail::jsonb -> 'ids')::uuid);
      v_skip := array_fill(false, array[cardinality(p_ids)]);
      if v_attempt > 3 then
        raise;
      end if;
    end;
  end loop;

  if true = any(v_skip) then
    select array_agg(case when s.skip then k.memory_id end order by s.n) into v_existing
      from unnest(v_skip, p_idempotency) with ordinality s(skip, idem, n)
      left join demystify_memory.idempotency_key k
        on s.skip and k.tenant_key = p_tenant and k.idempotency_hash = s.idem;
  end if;

  return json_build_object(
    'createdAt', demystify_memory.iso(v_at),
    'createdAts', v_stamped,
    'rematerialised', case when v_again <> '{}' then to_json(v_again) end,
    'refused', case when v_refused <> '{}' then to_json(v_refused) end,
    'existing', case when v_existing is not null then (
      select json_agg(case when e.id is null then null
                           when {{visible_memory m p_tenant}} then demystify_memory.memory_json(m)
                           else '{"restricted": true}'::json end order by e.n)
        from unnest(v_existing) with ordinality e(id, n)
        left join demystify_memory.memory m on m.tenant_key = p_tenant and m.memory_id = e.id) end)::text;
end
$$;
comment on function demystify_memory.remember_many is
  'Stores a batch of redacted memories. Answers createdAt, the ids the gate refused, and the rows idempotency keys stood for.';
