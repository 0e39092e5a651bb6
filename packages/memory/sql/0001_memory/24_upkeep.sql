-- Expiry, correction, off-boarding, and what hosts' own jobs may ask.

create or replace function demystify_memory.expired_memories(p_tenant text, p_limit int) returns text
language plpgsql stable security definer  -- expired rows are on no read path
set search_path = ''
set jit = off
set enable_seqscan = off
as $$
declare
  v_held text[] := demystify_memory.held_subjects(p_tenant);
begin
  perform demystify_memory.assert_tenant(p_tenant, true);
  return (
    with expired as materialized (
      select m.memory_id, m.subject_hash, m.expires_at, m.subject_hash = any(v_held) or m.also_hashes && v_held as held
        from demystify_memory.memory m
       where m.tenant_key = p_tenant and m.expires_at <= statement_timestamp()
         and m.memory_id not in (select demystify_memory.open_items(p_tenant))
    ), batch as (
      select * from expired e where not e.held order by e.expires_at, e.memory_id limit p_limit
    )
    select json_build_object(
      'groups', (select coalesce(json_agg(g.ids order by g.first), '[]')
                   from (select json_agg(b.memory_id order by b.memory_id) as ids, min(b.memory_id::text) as first
                           from batch b group by b.subject_hash) g),
      'skippedHeld', (select count(*) from expired e where e.held),
      'more', (select count(*) from expired e where not e.held) > p_limit))::text;
end
$$;
comment on function demystify_memory.expired_memories is 'Memories past their expiry, grouped by person; held ones are only counted.';

create or replace function demystify_memory.subjects_with_rows(p_tenant text, p_limit int) returns text
language plpgsql stable security definer  -- reads across persons
set search_path = ''
set jit = off
set enable_seqscan = off
as $$
declare
  v_held text[] := demystify_memory.held_subjects(p_tenant);
begin
  perform demystify_memory.assert_tenant(p_tenant, true);
  return (
    with persons as materialized (
      select s.person_id, min(s.subject_hash) as any_hash,
             json_agg(json_build_object('hash', s.subject_hash, 'keyId', s.key_id) order by s.subject_hash) as known,
             bool_or(s.subject_hash = any(v_held)) as held
        from demystify_memory.subject s
       where s.tenant_key = p_tenant
         and (exists (select from demystify_memory.memory m
                       where m.tenant_key = p_tenant and m.subject_hash = s.subject_hash
                         and m.memory_id not in (select demystify_memory.open_items(p_tenant)))
              or exists (select from demystify_memory.memory m
                          where m.also_hashes <> '{}' and m.also_hashes @> array[s.subject_hash] and m.tenant_key = p_tenant
                            and m.memory_id not in (select demystify_memory.open_items(p_tenant)))
              or exists (select from demystify_memory.placement p
                          where p.subject_hashes @> array[s.subject_hash] and p.tenant_key || '' = p_tenant and p.gone_at is null
                            and not exists (select from demystify_memory.tombstone_item i
                                             where i.tenant_key = p_tenant and i.item_id = p.placement_id)))
       group by s.person_id
    ), batch as (
      select * from persons p where not p.held order by p.person_id limit p_limit
    )
    select json_build_object(
      'subjects', (select coalesce(json_agg(b.known order by b.person_id), '[]') from batch b),
      'skippedHeld', (select count(*) from persons p where p.held),
      'more', (select count(*) from persons p where not p.held) > p_limit))::text;
end
$$;
comment on function demystify_memory.subjects_with_rows is 'Persons that still have rows, as hashes; held ones are only counted.';

-- The new text is stored in the transaction that opens the erasure of the old one: a crash loses neither.
create or replace function demystify_memory.open_correction(
  p_tenant text, p_request text, p_id uuid, p_text text, p_embedding real[], p_terms bigint[], p_tags text[]
) returns text
language plpgsql security definer  -- the caller holds no INSERT
set search_path = ''
set jit = off
set enable_seqscan = off
as $$
declare
  v_old       uuid := (p_request::jsonb #>> '{memoryIds,0}')::uuid;
  v_tombstone uuid;
begin
  perform demystify_memory.assert_tenant(p_tenant, true);
  if exists (select from demystify_memory.tombstone t
              where t.tenant_key = p_tenant and t.tombstone_id = (p_request::jsonb ->> 'tombstoneId')::uuid) then
    -- A retry of a call whose answer was lost.
    return json_build_object(
      'receipt', demystify_memory.receipt_json(p_tenant, (p_request::jsonb ->> 'tombstoneId')::uuid),
      'memory', (select demystify_memory.memory_json(m) from demystify_memory.memory m
                  where m.tenant_key = p_tenant and m.memory_id = p_id))::text;
  end if;
  if exists (select from demystify_memory.tombstone_item i where i.tenant_key = p_tenant and i.item_id = v_old) then
    raise exception 'an erasure covers this memory' using errcode = 'ME004';
  end if;
  if not exists (select from demystify_memory.memory m
                  where m.tenant_key = p_tenant and m.memory_id = v_old
                    and (m.expires_at is null or m.expires_at > statement_timestamp())) then
    raise exception 'no such memory' using errcode = 'ME012', detail = '{"what": "memory"}';
  end if;
  if not exists (select from demystify_memory.memory m
                  where m.tenant_key = p_tenant and m.memory_id = v_old and {{visible_memory m p_tenant}}) then
    raise exception 'the memory is restricted' using errcode = 'ME008';
  end if;
  if exists (select from demystify_memory.memory m
              where m.tenant_key = p_tenant and m.memory_id = v_old
                and (m.subject_hash || m.also_hashes) && demystify_memory.held_subjects(p_tenant)) then
    -- Held by any of its persons: refused, and the refusal kept, as for a whole person.
    insert into demystify_memory.legal_hold_refusal (tenant_key, hold_id)
      select distinct h.tenant_key, h.hold_id
        from demystify_memory.memory m, unnest(m.subject_hash || m.also_hashes) x
        join demystify_memory.subject s on s.tenant_key = p_tenant and s.subject_hash = x
        join demystify_memory.subject p on p.tenant_key = s.tenant_key and p.person_id = s.person_id
        join demystify_memory.legal_hold h on h.tenant_key = p.tenant_key and h.subject_hash = p.subject_hash
       where m.tenant_key = p_tenant and m.memory_id = v_old and h.releases is null
         and (h.until is null or h.until > statement_timestamp())
         and not exists (select from demystify_memory.legal_hold r where r.tenant_key = h.tenant_key and r.releases = h.hold_id);
    return '{"held": true}';
  end if;
  v_tombstone := demystify_memory.open_erasure_step(p_tenant, p_request::jsonb);
  if v_tombstone is null then
    return '{"held": true}';
  end if;
  insert into demystify_memory.memory (
    tenant_key, memory_id, subject_key, subject_hash, also_keys, also_hashes, key_id, kind, text, metadata, embedding,
    term_hashes, content_tags, provenance_known, captured_at, expires_at, created_at)
  select m.tenant_key, p_id, m.subject_key, m.subject_hash, m.also_keys, m.also_hashes, m.key_id, m.kind, p_text, m.metadata,
         p_embedding, p_terms, p_tags, true, m.captured_at, m.expires_at, clock_timestamp()
    from demystify_memory.memory m
   where m.tenant_key = p_tenant and m.memory_id = v_old;
  return json_build_object(
    'receipt', demystify_memory.receipt_json(p_tenant, v_tombstone),
    'memory', (select demystify_memory.memory_json(m) from demystify_memory.memory m
                where m.tenant_key = p_tenant and m.memory_id = p_id))::text;
end
$$;
comment on function demystify_memory.open_correction is 'Opens the erasure of a memory and stores its corrected text, in one transaction.';

-- SECURITY INVOKER and without SET clauses, like forget, and for the same reason.
create or replace procedure demystify_memory.correct(
  p_tenant text, p_request text, p_id uuid, p_text text, p_embedding real[], p_terms bigint[], p_tags text[], p_chunk int,
  inout receipt text default null
)
language plpgsql
as $$
declare
  v_answer    pg_catalog.text;
  v_opened    pg_catalog.text;
  v_tombstone pg_catalog.uuid;
begin
  commit;
  set transaction isolation level read committed;
  v_opened := demystify_memory.open_correction(p_tenant, p_request, p_id, p_text, p_embedding, p_terms, p_tags);
  receipt := v_opened;
  if pg_catalog.json_extract_path_text(v_opened::pg_catalog.json, 'held') is not null then
    return;
  end if;
  v_tombstone := pg_catalog.json_extract_path_text(v_opened::pg_catalog.json, 'receipt', 'tombstoneId')::pg_catalog.uuid;
  -- Nothing is evaluated between a COMMIT and its SET: an expression takes a snapshot, and then the level is fixed.
  loop
    commit;
    set transaction isolation level read committed;
    v_answer := demystify_memory.advance_erasure(p_tenant, v_tombstone, p_chunk);
    exit when pg_catalog.json_extract_path_text(v_answer::pg_catalog.json, 'advanced') operator(pg_catalog.=) 'false';
  end loop;
  receipt := pg_catalog.json_build_object(
    'memory', pg_catalog.json_extract_path(v_opened::pg_catalog.json, 'memory'),
    'receipt', pg_catalog.json_extract_path(v_answer::pg_catalog.json, 'receipt'));
end
$$;
comment on procedure demystify_memory.correct is 'Replaces the text of a memory by a new memory, and erases the old one with all derived from it.';

create or replace function demystify_memory.keys_in_use(p_tenant text) returns text
language plpgsql stable security definer  -- the key list is the engine's alone
set search_path = ''
set jit = off
set enable_seqscan = off
as $$
begin
  perform demystify_memory.assert_tenant(p_tenant, false);
  return (
    select coalesce(json_agg(nullif(k.key_id, '') order by k.key_id), '[]')
      from demystify_memory.subject_key k where k.tenant_key = p_tenant)::text;
end
$$;
comment on function demystify_memory.keys_in_use is 'The ids of the pepper keys rows of this tenant were written under; null for unkeyed.';

-- p_tags: for each content its possible tags, as an array literal.
create or replace function demystify_memory.covered(p_tenant text, p_ids uuid[], p_tags text[], p_keys jsonb) returns text
language plpgsql stable security definer  -- evidence is not the caller's to read
set search_path = ''
set jit = off
set enable_seqscan = off
as $$
begin
  perform demystify_memory.assert_tenant(p_tenant, true);
  perform demystify_memory.assert_keys(p_tenant, p_keys);
  return json_build_object(
    'ids', (
      select coalesce(json_agg(json_build_array(x.kind, x.item_id) order by x.item_id), '[]')
        from (select distinct i.kind, i.item_id from unnest(p_ids) u
                join demystify_memory.tombstone_item i on i.tenant_key = p_tenant and i.item_id = u) x),
    'contents', (
      select coalesce(json_agg(u.n - 1 order by u.n), '[]')
        from unnest(p_tags) with ordinality u(tags, n)
       where u.tags <> '{}' and exists (
         select from demystify_memory.tombstone_item i
          where i.content_tags <> '{}' and i.content_tags && u.tags::text[] and i.tenant_key || '' = p_tenant offset 0)))::text;
end
$$;
comment on function demystify_memory.covered is 'Which of these ids and contents a tombstone covers.';

-- One page of everything an erasure of this scope would take, memories first. Rows that also concern others are
-- withheld unless the host asks for them.
create or replace function demystify_memory.export_page(
  p_tenant text, p_request text, p_include_shared boolean, p_limit int, p_after text
) returns text
language plpgsql stable security definer  -- the person's own right of access sees restricted and expired rows
set search_path = ''
set jit = off
as $$
declare
  v_target     record;
  v_closure    record;
  v_placements uuid[];
begin
  perform demystify_memory.assert_tenant(p_tenant, true);
  perform demystify_memory.assert_keys(p_tenant, p_request::jsonb #> '{subject,known}');
  v_target := demystify_memory.erasure_target(p_tenant, p_request::jsonb);
  v_closure := demystify_memory.closure_of(p_tenant, v_target.memory_ids, '{}');
  v_placements := demystify_memory.placements_of(
    p_tenant, p_request::jsonb ->> 'scope', v_target.hashes, v_target.memory_ids, v_closure.derived_ids);
  return (
    select coalesce(json_agg(json_build_object('at', x.at, 'line', json_build_object('kind', x.kind, 'row',
        case x.kind
          when 'memory' then demystify_memory.export_memory(p_tenant, x.id, v_target.hashes, p_include_shared)
          when 'derived' then demystify_memory.export_derived(p_tenant, x.id, v_target.hashes, p_include_shared)
          else demystify_memory.export_placement(p_tenant, x.id, v_target.hashes, p_include_shared) end)) order by x.at), '[]')
      from (
        select u.kind, u.id, u.rank || u.id::text as at
          from (select 'memory' as kind, unnest(v_target.memory_ids) as id, '1' as rank
                union all
                select 'derived', unnest(v_closure.derived_ids), '2'
                union all
                select 'placement', unnest(v_placements), '3') u
         where u.id not in (select demystify_memory.open_items(p_tenant))
           and (p_after is null or u.rank || u.id::text > p_after)
         order by at
         limit p_limit + 1) x)::text;
end
$$;
comment on function demystify_memory.export_page is 'One page of a person''s rows; one more than asked for tells that there is a next page.';

create or replace function demystify_memory.others_of(p_tenant text, p_row_hashes text[], p_hashes text[]) returns int
language sql stable security definer  -- counts persons the caller may not read
set search_path = ''
set jit = off
set enable_seqscan = off
as $$
  select count(distinct s.person_id)::int
    from demystify_memory.subject s
   where s.tenant_key = p_tenant and s.subject_hash = any(p_row_hashes)
     and s.person_id not in (select o.person_id from demystify_memory.subject o
                              where o.tenant_key = p_tenant and o.subject_hash = any(p_hashes))
$$;
comment on function demystify_memory.others_of is 'How many other persons a row concerns.';

create or replace function demystify_memory.export_memory(p_tenant text, p_id uuid, p_hashes text[], p_include_shared boolean) returns jsonb
language sql stable security definer  -- the person's own right of access sees restricted and expired rows
set search_path = ''
set jit = off
set enable_seqscan = off
as $$
  select case
    when o.others > 0 and not p_include_shared then jsonb_build_object(
      'id', m.memory_id, 'kind', m.kind, 'otherSubjects', o.others, 'text', null, 'withheld', 'others')
    else (demystify_memory.memory_json(m)::jsonb
            || case when o.others > 0 then '{"subjectKey": null, "alsoAbout": []}'::jsonb else '{}' end
            || case when m.expires_at <= statement_timestamp() then '{"expired": true}'::jsonb else '{}' end
            || case when m.memory_id in (select demystify_memory.hidden_items(p_tenant))
                      or (m.subject_hash || m.also_hashes) && array(select demystify_memory.restricted_subjects(p_tenant))
                    then '{"restricted": true}'::jsonb else '{}' end) end
    from demystify_memory.memory m,
    lateral (select demystify_memory.others_of(p_tenant, m.subject_hash || m.also_hashes, p_hashes) as others) o
   where m.tenant_key = p_tenant and m.memory_id = p_id
$$;
comment on function demystify_memory.export_memory is 'A memory as its person may see it; other persons'' keys are never shown.';

create or replace function demystify_memory.export_derived(p_tenant text, p_id uuid, p_hashes text[], p_include_shared boolean) returns jsonb
language sql stable security definer  -- the person's own right of access sees restricted and expired rows
set search_path = ''
set jit = off
set enable_seqscan = off
as $$
  select case
    when o.others > 0 and not p_include_shared then jsonb_build_object(
      'id', d.derived_id, 'kind', d.kind, 'otherSubjects', o.others, 'text', null, 'withheld', 'others')
    else (demystify_memory.derived_json(d)::jsonb
            || case when d.expires_at <= statement_timestamp() then '{"expired": true}'::jsonb else '{}' end
            || case when d.derived_id in (select demystify_memory.hidden_items(p_tenant))
                      or d.subject_hashes && array(select demystify_memory.restricted_subjects(p_tenant))
                    then '{"restricted": true}'::jsonb else '{}' end) end
    from demystify_memory.derived d,
    lateral (select demystify_memory.others_of(p_tenant, d.subject_hashes, p_hashes) as others) o
   where d.tenant_key = p_tenant and d.derived_id = p_id
$$;
comment on function demystify_memory.export_derived is 'A derived row as the person may see it.';

create or replace function demystify_memory.export_placement(p_tenant text, p_id uuid, p_hashes text[], p_include_shared boolean) returns jsonb
language sql stable security definer  -- the caller reads no base table
set search_path = ''
set jit = off
set enable_seqscan = off
as $$
  select demystify_memory.placement_json(p)::jsonb
         || case when not p_include_shared and demystify_memory.others_of(p_tenant, p.subject_hashes, p_hashes) > 0
                 then '{"ref": null}'::jsonb else '{}' end
    from demystify_memory.placement p
   where p.tenant_key = p_tenant and p.placement_id = p_id
$$;
comment on function demystify_memory.export_placement is 'A copy as the person may see it.';
