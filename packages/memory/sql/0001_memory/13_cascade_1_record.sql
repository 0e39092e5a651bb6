-- The cascade: a deleted row takes everything derived from it along, transitively, whoever deletes and however.
--
-- Three statement triggers on each table, in name order: the delete is recorded (or refused), it reaches what was
-- derived, it is settled. Authority is data, never a setting: a row may go if an item covers it under a tombstone that
-- an earlier transaction committed; any other delete is a direct one, and the database writes its tombstone itself.

-- Tombstones of this very transaction: they cover nothing, except the database's own record of a direct delete.
create or replace function demystify_memory.own_tombstones() returns uuid[]
language plpgsql stable security definer  -- evidence is not the caller's to read
set search_path = ''
set jit = off
set enable_seqscan = off
as $$
begin
  return (
    select coalesce(array_agg(t.tombstone_id), '{}')
      from demystify_memory.tombstone t
     where t.opened_xid = pg_current_xact_id_if_assigned() and t.origin <> 'direct_delete');
end
$$;
comment on function demystify_memory.own_tombstones is
  'Tombstones opened by the running transaction, which may not destroy what they cover.';

create or replace function demystify_memory.assert_read_committed() returns void
language plpgsql stable
set search_path = ''
as $$
begin
  -- At any other level the snapshot predates the writer that was waited for, and the cascade would miss its row.
  if current_setting('transaction_isolation') <> 'read committed' then
    raise exception 'erasing runs at READ COMMITTED, not at %', upper(current_setting('transaction_isolation'))
      using errcode = 'ME011', hint = 'Start the transaction with: begin isolation level read committed.';
  end if;
end
$$;
comment on function demystify_memory.assert_read_committed is 'Raises ME011 at any other isolation level.';

-- The reason a direct delete is filed under: operator, unless the session named another code for it.
create or replace function demystify_memory.direct_delete_reason() returns text
language plpgsql stable
set search_path = ''
as $$
begin
  return case when current_setting('demystify_memory.reason', true) in ('subject_request', 'retention_policy')
              then current_setting('demystify_memory.reason', true) else 'operator' end;
end
$$;
comment on function demystify_memory.direct_delete_reason is
  'operator, or the code the session set as demystify_memory.reason.';

-- Raises unless rows that no earlier tombstone covers may be deleted here and now.
create or replace function demystify_memory.assert_direct_delete(p_covered_by_own boolean) returns void
language plpgsql stable security definer  -- reads settings for whoever deletes
set search_path = ''
set jit = off
as $$
begin
  if p_covered_by_own then
    raise exception 'the tombstone was opened by this transaction: nothing may be destroyed before it is durable'
      using errcode = 'ME005', hint = 'Commit, then destroy in a transaction of its own.';
  end if;
  if (select s.direct_delete from demystify_memory.settings s) = 'refuse' then
    raise exception 'delete is refused: no tombstone committed earlier covers these rows'
      using errcode = 'ME005', hint = 'Call forget, or open an erasure and commit it first (direct_delete is refuse here).';
  end if;
end
$$;
comment on function demystify_memory.assert_direct_delete is
  'Raises ME005 where a direct delete is refused, or would run ahead of its tombstone.';

-- Whoever destroys rows of a tenant holds it shared; whoever places a hold there, alone.
create or replace function demystify_memory.hold_lock(p_tenant text) returns bigint
language plpgsql immutable
set search_path = ''
as $$
begin
  return hashtextextended(p_tenant, 7);
end
$$;
comment on function demystify_memory.hold_lock is 'The advisory lock between destroying rows and placing a legal hold.';

-- Raises ME007 if any of these rows belongs to somebody under a legal hold. p_hashes: the persons of the rows.
create or replace function demystify_memory.assert_not_held(p_tenants text[], p_hashes text[]) returns void
language plpgsql stable security definer  -- holds are not the caller's to read
set search_path = ''
set jit = off
as $$
begin
  if exists (select from unnest(p_tenants) t where demystify_memory.held_subjects(t) && p_hashes) then
    raise exception 'a legal hold is active' using errcode = 'ME007', hint = 'Release the hold first, once it no longer applies.';
  end if;
end
$$;
comment on function demystify_memory.assert_not_held is 'Raises ME007 if a person is under an active legal hold.';

create or replace function demystify_memory.record_memory_delete() returns trigger
language plpgsql security definer  -- writes evidence for whoever deletes
set search_path = ''
set jit = off
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set plan_cache_mode = force_generic_plan
as $$
declare
  v_tenants    bigint;
  v_own        uuid[];
  v_destroying uuid;
  v_uncovered  bigint;
begin
  -- One look, because a cascade comes here once a level; nothing was deleted where no tenant is locked.
  select count(pg_advisory_xact_lock_shared(demystify_memory.hold_lock(t.tenant_key))), demystify_memory.own_tombstones()
    into v_tenants, v_own
    from (select distinct o.tenant_key from old_rows o order by 1) t;
  if v_tenants = 0 then
    return null;
  end if;
  if current_setting('transaction_isolation') <> 'read committed' then
    perform demystify_memory.assert_read_committed();
  end if;
  if exists (select from demystify_memory.legal_hold) then
    perform demystify_memory.assert_not_held(
      array(select distinct o.tenant_key from old_rows o),
      array(select distinct h from old_rows o, unnest(o.subject_hash || o.also_hashes) h));
  end if;
  v_destroying := nullif(current_setting('demystify_memory.destroying', true), '')::uuid;

  -- Covered rows are counted for the erasure that destroys them, or for the first that covers them.
  with covered as materialized (
    select o.tenant_key, {{covering_tombstone o o.memory_id}} as tombstone_id
      from old_rows o
  ), counted as (
    insert into demystify_memory.erasure_event (tenant_key, tombstone_id, event, memories)
      select c.tenant_key, c.tombstone_id, 'rows_destroyed', count(*)
        from covered c
       where c.tombstone_id is not null
       group by c.tenant_key, c.tombstone_id
  )
  select count(*) into v_uncovered from covered c where c.tombstone_id is null;

  if v_uncovered > 0 then
    perform demystify_memory.assert_direct_delete(v_own <> '{}' and exists (
      select from old_rows o
        join demystify_memory.tombstone_item i on i.tenant_key = o.tenant_key and i.item_id = o.memory_id
       where i.tombstone_id = any(v_own)));

    -- One tombstone for each tenant and person in the statement, with an item for each of their rows, shared ones
    -- included. A shared row is counted once, for the person it is filed under first. Grouped first and unnested after:
    -- joined back, this would be quadratic.
    with uncovered as materialized (
      select o.tenant_key, o.memory_id, o.subject_hash, o.also_hashes, o.key_id, o.provenance_known, o.content_tags
        from old_rows o
       where not exists (
         select from demystify_memory.tombstone_item i
          where i.tenant_key = o.tenant_key and i.item_id = o.memory_id and i.tombstone_id <> all(v_own) offset 0)
    ), filed as (
      select u.tenant_key, u.memory_id, u.subject_hash, true as first, u.key_id, u.provenance_known, u.content_tags from uncovered u
      union all
      select u.tenant_key, u.memory_id, h, false, u.key_id, u.provenance_known, u.content_tags
        from uncovered u, lateral (select distinct unnest(u.also_hashes) as h) a
       where u.also_hashes <> '{}' and h <> u.subject_hash
    ), persons as materialized (
      select o.tenant_key, o.subject_hash, demystify_memory.uuid_v7() as tombstone_id, min(o.key_id) as key_id,
             count(*) as memories, count(*) filter (where o.first) as counted, bool_and(o.provenance_known) as closure_known,
             array_agg(o.memory_id) as ids, array_agg(o.content_tags::text) as tags
        from filed o
       group by o.tenant_key, o.subject_hash
    ), opened as (
      insert into demystify_memory.tombstone (
        tenant_key, tombstone_id, scope, subject_hash, subject_key_id, reason, origin, planned_memories, matched, closure_known)
      select p.tenant_key, p.tombstone_id, 'memories', p.subject_hash, p.key_id, demystify_memory.direct_delete_reason(),
             'direct_delete', p.memories, true, p.closure_known
        from persons p
    ), covered as (
      insert into demystify_memory.tombstone_item (tenant_key, item_id, tombstone_id, kind, content_tags)
      select p.tenant_key, u.id, p.tombstone_id, 'memory', u.tags::text[]
        from persons p, unnest(p.ids, p.tags) u(id, tags)
    ), copies as (
      insert into demystify_memory.tombstone_item (tenant_key, item_id, tombstone_id, kind)
      select p.tenant_key, c.placement_id, p.tombstone_id, 'placement'
        from persons p, unnest(p.ids) u(id)
        join demystify_memory.placement c on c.source_memories @> array[u.id]
       where c.tenant_key || '' = p.tenant_key and c.gone_at is null
      on conflict do nothing
    )
    insert into demystify_memory.erasure_event (tenant_key, tombstone_id, event, memories)
    select p.tenant_key, p.tombstone_id, 'rows_destroyed', p.counted from persons p where p.counted > 0;
  end if;

  delete from demystify_memory.idempotency_key k
    using old_rows o
    where o.idempotency_hash is not null and k.tenant_key = o.tenant_key
      and k.idempotency_hash = o.idempotency_hash and k.memory_id = o.memory_id;
  return null;
end
$$;
comment on function demystify_memory.record_memory_delete is
  'Counts deleted memories for the erasure that covers them; writes the tombstone of a direct delete, or refuses it (ME005).';

create or replace function demystify_memory.record_derived_delete() returns trigger
language plpgsql security definer  -- writes evidence for whoever deletes
set search_path = ''
set jit = off
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set plan_cache_mode = force_generic_plan
as $$
declare
  v_tenants    bigint;
  v_own        uuid[];
  v_destroying uuid;
  v_uncovered  bigint;
begin
  -- One look, because a cascade comes here once a level; nothing was deleted where no tenant is locked.
  select count(pg_advisory_xact_lock_shared(demystify_memory.hold_lock(t.tenant_key))), demystify_memory.own_tombstones()
    into v_tenants, v_own
    from (select distinct o.tenant_key from old_rows o order by 1) t;
  if v_tenants = 0 then
    return null;
  end if;
  if current_setting('transaction_isolation') <> 'read committed' then
    perform demystify_memory.assert_read_committed();
  end if;
  if exists (select from demystify_memory.legal_hold) then
    perform demystify_memory.assert_not_held(
      array(select distinct o.tenant_key from old_rows o),
      array(select distinct h from old_rows o, unnest(o.subject_hashes) h));
  end if;
  v_destroying := nullif(current_setting('demystify_memory.destroying', true), '')::uuid;

  with covered as materialized (
    select o.tenant_key, cardinality(o.source_memories) + cardinality(o.source_derived) as edges,
           {{covering_tombstone o o.derived_id}} as tombstone_id
      from old_rows o
  ), counted as (
    insert into demystify_memory.erasure_event (tenant_key, tombstone_id, event, derived, edges)
      select c.tenant_key, c.tombstone_id, 'rows_destroyed', count(*), sum(c.edges)
        from covered c
       where c.tombstone_id is not null
       group by c.tenant_key, c.tombstone_id
  )
  select count(*) into v_uncovered from covered c where c.tombstone_id is null;

  if v_uncovered = 0 then
    return null;
  end if;

  -- Rows without an item of their own: taken along by a source (a direct delete, or a row that came in late), and so
  -- filed under that source's tombstone, one level deeper. What has no such source was deleted directly.
  with uncovered as materialized (
    select o.tenant_key, o.derived_id, o.kind, o.content_tags, o.source_memories, o.source_derived,
           cardinality(o.source_memories) + cardinality(o.source_derived) as edges, s.tombstone_id, s.depth
      from old_rows o
      left join lateral (
        select i.tombstone_id, i.depth + 1 as depth
          from {{items_by_id o.tenant_key o.source_memories || o.source_derived}} i
         where i.tombstone_id <> all(v_own)
         order by i.tombstone_id is distinct from v_destroying, i.depth, i.tombstone_id
         limit 1 offset 0) s on true
     where not exists (
       select from demystify_memory.tombstone_item i
        where i.tenant_key = o.tenant_key and i.item_id = o.derived_id and i.tombstone_id <> all(v_own) offset 0)
  ), direct as materialized (
    select u.tenant_key, demystify_memory.uuid_v7() as tombstone_id, count(*) as derived, sum(u.edges) as edges,
           array_agg(u.derived_id) as ids, array_agg(u.content_tags::text) as tags
      from uncovered u
     where u.tombstone_id is null
     group by u.tenant_key
  ), allowed as materialized (
    select demystify_memory.assert_direct_delete(v_own <> '{}' and exists (
      select from uncovered u
        join demystify_memory.tombstone_item i on i.tenant_key = u.tenant_key and i.item_id = u.derived_id
       where i.tombstone_id = any(v_own)))
      from direct limit 1
  ), opened as (
    insert into demystify_memory.tombstone (
      tenant_key, tombstone_id, scope, reason, origin, planned_derived, planned_edges, matched)
    select d.tenant_key, d.tombstone_id, 'derived', demystify_memory.direct_delete_reason(), 'direct_delete',
           d.derived, d.edges, true
      from direct d
     where (select count(*) from allowed) >= 0
  ), items as (
    insert into demystify_memory.tombstone_item (
      tenant_key, item_id, tombstone_id, kind, depth, content_tags, derived_kind, surviving_memories, surviving_derived)
    select u.tenant_key, u.derived_id, u.tombstone_id, 'derived', u.depth, u.content_tags,
           case when m.ids <> '{}' or d.ids <> '{}' then u.kind end, m.ids, d.ids
      from uncovered u,
      lateral (select coalesce(array_agg(x.memory_id order by x.memory_id), '{}') as ids
                 from {{memories_by_id u.tenant_key u.source_memories}} x) m,
      lateral (select coalesce(array_agg(x.derived_id order by x.derived_id), '{}') as ids
                 from {{derived_by_id u.tenant_key u.source_derived}} x) d
     where u.tombstone_id is not null
    union all
    select d.tenant_key, u.id, d.tombstone_id, 'derived', 0, u.tags::text[], null, null, null
      from direct d, unnest(d.ids, d.tags) u(id, tags)
  ), copies as (
    insert into demystify_memory.tombstone_item (tenant_key, item_id, tombstone_id, kind)
    select x.tenant_key, c.placement_id, x.tombstone_id, 'placement'
      from (select u.tenant_key, u.derived_id, u.tombstone_id from uncovered u where u.tombstone_id is not null
            union all
            select d.tenant_key, i, d.tombstone_id from direct d, unnest(d.ids) i) x
      join demystify_memory.placement c on c.source_derived @> array[x.derived_id]
     where c.tenant_key || '' = x.tenant_key and c.gone_at is null
    on conflict do nothing
  )
  insert into demystify_memory.erasure_event (tenant_key, tombstone_id, event, derived, edges, depth)
    select u.tenant_key, u.tombstone_id, 'rows_destroyed', count(*), sum(u.edges), max(u.depth)
      from uncovered u
     where u.tombstone_id is not null
     group by u.tenant_key, u.tombstone_id
    union all
    select d.tenant_key, d.tombstone_id, 'rows_destroyed', d.derived, d.edges, 0 from direct d;
  return null;
end
$$;
comment on function demystify_memory.record_derived_delete is
  'Counts deleted derived rows for the erasure that covers them or their sources; records a direct delete, or refuses it (ME005).';
