-- What a person may read in plain SQL, within the tenant the session has set.

create or replace view demystify_memory.provenance with (security_barrier = true) as
  select d.tenant_key, d.derived_id, s.source_kind, s.source_id
    from demystify_memory.derived d,
    lateral (select 'memory' as source_kind, unnest(d.source_memories) as source_id
             union all
             select 'derived', unnest(d.source_derived)) s
   where d.tenant_key = (select nullif(current_setting('app.current_tenant', true), ''))
     and (d.expires_at is null or d.expires_at > statement_timestamp())
     and d.derived_id not in (
       select u.id from demystify_memory.open_erasure o, unnest(o.derived_ids) u(id)
        where o.tenant_key = (select nullif(current_setting('app.current_tenant', true), ''))
       union all
       select u.id from demystify_memory.restriction_in_force r, unnest(r.item_ids) u(id)
        where r.tenant_key = (select nullif(current_setting('app.current_tenant', true), '')))
     and not d.subject_hashes && array(
       select s.subject_hash
         from demystify_memory.restriction_in_force r
         join demystify_memory.subject s on s.tenant_key = r.tenant_key and s.person_id = r.person_id
        where r.tenant_key = (select nullif(current_setting('app.current_tenant', true), '')));
comment on view demystify_memory.provenance is 'The provenance edges of derived rows that can be seen, of the session''s tenant.';

create or replace view demystify_memory.live_memory with (security_barrier = true) as
  select m.tenant_key, m.memory_id, m.subject_key, m.subject_hash, m.also_keys, m.also_hashes, m.kind, m.text, m.metadata,
         m.embedding, m.captured_at, m.expires_at, m.created_at
    from demystify_memory.memory m
   where m.tenant_key = (select nullif(current_setting('app.current_tenant', true), ''))
     and (m.expires_at is null or m.expires_at > statement_timestamp())
     and m.memory_id not in (
       select u.id from demystify_memory.open_erasure o, unnest(o.memory_ids) u(id)
        where o.tenant_key = (select nullif(current_setting('app.current_tenant', true), ''))
       union all
       select u.id from demystify_memory.restriction_in_force r, unnest(r.item_ids) u(id)
        where r.tenant_key = (select nullif(current_setting('app.current_tenant', true), '')))
     and not (m.subject_hash || m.also_hashes) && array(
       select s.subject_hash
         from demystify_memory.restriction_in_force r
         join demystify_memory.subject s on s.tenant_key = r.tenant_key and s.person_id = r.person_id
        where r.tenant_key = (select nullif(current_setting('app.current_tenant', true), '')));
comment on view demystify_memory.live_memory is 'The memories that can be seen, of the session''s tenant.';
