-- Rows as the library reads them: one JSON shape, the same whatever driver carries it.

create or replace function demystify_memory.memory_json(m demystify_memory.memory) returns json
language plpgsql stable
set search_path = ''
as $$
begin
  return json_build_object(
    'tenantKey', m.tenant_key,
    'memoryId', m.memory_id,
    'subjectKey', m.subject_key,
    'subjectHash', m.subject_hash,
    'alsoAbout', coalesce(to_json(m.also_keys), '[]'),
    'kind', m.kind,
    'text', m.text,
    'metadata', m.metadata,
    'embedded', m.dimensions is not null,
    'dimensions', m.dimensions,
    'capturedAt', to_char(m.captured_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
    'expiresAt', to_char(m.expires_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
    'createdAt', to_char(m.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
    'provenanceKnown', m.provenance_known);
end
$$;
comment on function demystify_memory.memory_json is 'A memory in the shape of the library''s MemoryRow.';

create or replace function demystify_memory.derived_json(d demystify_memory.derived) returns json
language plpgsql stable
set search_path = ''
as $$
begin
  return (
    select json_build_object(
      'tenantKey', d.tenant_key,
      'derivedId', d.derived_id,
      'kind', d.kind,
      'text', d.text,
      'metadata', d.metadata,
      'embedded', d.dimensions is not null,
      'dimensions', d.dimensions,
      'sources', (
        select json_agg(json_build_object('sourceKind', u.kind, 'sourceId', u.id))
          from (select 'memory' as kind, unnest(d.source_memories) as id
                union all
                select 'derived', unnest(d.source_derived)) u),
      'expiresAt', to_char(d.expires_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
      'createdAt', to_char(d.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')));
end
$$;
comment on function demystify_memory.derived_json is 'A derived row in the shape of the library''s DerivedRow.';

create or replace function demystify_memory.iso(p_at timestamptz) returns text
language plpgsql stable parallel safe
set search_path = ''
as $$
begin
  return to_char(p_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');
end
$$;
comment on function demystify_memory.iso is 'An instant as ISO 8601 in UTC with milliseconds.';

-- What no read shows. A reader asks "id not in (select hidden_items(tenant))", which is one hash table a statement; an
-- anti-join on the evidence would cost more with every erasure there ever was.
create or replace function demystify_memory.open_items(p_tenant text) returns setof uuid
language plpgsql stable security definer  -- the work list is the engine's alone
set search_path = ''
set jit = off
set enable_seqscan = off
as $$
begin
  return query
  select u.id
    from demystify_memory.open_erasure o, unnest(o.memory_ids || o.derived_ids) u(id)
   where o.tenant_key = p_tenant;
end
$$;
comment on function demystify_memory.open_items is 'The ids that open erasures of this tenant cover.';

create or replace function demystify_memory.hidden_items(p_tenant text) returns setof uuid
language plpgsql stable security definer  -- the work lists are the engine's alone
set search_path = ''
set jit = off
set enable_seqscan = off
as $$
begin
  return query
  select u.id
    from demystify_memory.open_erasure o, unnest(o.memory_ids || o.derived_ids) u(id)
   where o.tenant_key = p_tenant
  union all
  select u.id
    from demystify_memory.restriction_in_force r, unnest(r.item_ids) u(id)
   where r.tenant_key = p_tenant;
end
$$;
comment on function demystify_memory.hidden_items is 'The ids that open erasures and restrictions of this tenant hide.';

create or replace function demystify_memory.restricted_subjects(p_tenant text) returns setof text
language plpgsql stable security definer  -- the work list is the engine's alone
set search_path = ''
set jit = off
set enable_seqscan = off
as $$
begin
  return query
  select s.subject_hash
    from demystify_memory.restriction_in_force r
    join demystify_memory.subject s on s.tenant_key = r.tenant_key and s.person_id = r.person_id
   where r.tenant_key = p_tenant;
end
$$;
comment on function demystify_memory.restricted_subjects is 'The hashes of persons whose whole content is restricted.';

create or replace function demystify_memory.held_subjects(p_tenant text) returns text[]
language plpgsql stable security definer  -- holds are not the caller's to read
set search_path = ''
set jit = off
set enable_seqscan = off
as $$
begin
  return (
    select coalesce(array_agg(distinct p.subject_hash), '{}')
      from demystify_memory.legal_hold h,
      lateral {{hashes_of_persons h.tenant_key array[h.subject_hash]}} p
     where h.tenant_key = p_tenant and h.releases is null
       and (h.until is null or h.until > statement_timestamp())
       and not exists (select from demystify_memory.legal_hold r where r.tenant_key = h.tenant_key and r.releases = h.hold_id));
end
$$;
comment on function demystify_memory.held_subjects is 'The hashes of persons under an active legal hold.';

create or replace function demystify_memory.sources_json(p_memories uuid[], p_derived uuid[]) returns json
language plpgsql immutable
set search_path = ''
as $$
begin
  return (
    select coalesce(json_agg(json_build_object('sourceKind', u.kind, 'sourceId', u.id)), '[]')
      from (select 'memory' as kind, unnest(p_memories) as id
            union all
            select 'derived', unnest(p_derived)) u);
end
$$;
comment on function demystify_memory.sources_json is 'Two source arrays as a list of source references, memories first.';
