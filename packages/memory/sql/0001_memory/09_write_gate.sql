-- The write gate: nothing is written for, or derived from, what a tombstone covers, on any path.
--
-- Writers lock the subject rows of everybody concerned FOR SHARE in sorted order, then the sources FOR KEY SHARE, then
-- probe the items by primary key. Opening an erasure UPDATEs the subject row: a lock alone would leave a REPEATABLE
-- READ writer unaware. So a writer is either before the erasure, and in its closure, or after it, and refused.

-- Share-locks the persons, creating rows for those not met before. The hashes must be distinct.
create or replace function demystify_memory.lock_subjects(p_tenant text, p_hashes text[], p_key_ids text[]) returns void
language plpgsql security definer  -- subject rows are the engine's alone
set search_path = ''
set jit = off
set enable_seqscan = off
set plan_cache_mode = force_generic_plan
as $$
declare
  v_locked bigint;
begin
  perform 1 from demystify_memory.subject s
    where s.tenant_key = p_tenant and s.subject_hash = any(p_hashes)
    order by s.subject_hash for share;
  get diagnostics v_locked = row_count;
  if v_locked < cardinality(p_hashes) then
    insert into demystify_memory.subject (tenant_key, subject_hash, key_id)
      select p_tenant, u.hash, u.key_id from unnest(p_hashes, p_key_ids) u(hash, key_id)
      order by u.hash
      on conflict do nothing;
    insert into demystify_memory.subject_key (tenant_key, key_id)
      select distinct p_tenant, coalesce(u.key_id, '') from unnest(p_key_ids) u(key_id) order by 2
      on conflict do nothing;
    perform 1 from demystify_memory.subject s
      where s.tenant_key = p_tenant and s.subject_hash = any(p_hashes)
      order by s.subject_hash for share;
  end if;
end
$$;
comment on function demystify_memory.lock_subjects is 'Share-locks persons in sorted order; a writer''s side of the gate.';

-- Records that several hashes are one person under different pepper keys: [[{"hash", "keyId"}, …], …].
create or replace function demystify_memory.link_subjects(p_tenant text, p_persons jsonb) returns void
language plpgsql security definer  -- subject rows are the engine's alone
set search_path = ''
set jit = off
set enable_seqscan = off
as $$
declare
  v_person jsonb;
  v_id     uuid;
begin
  for v_person in select value from jsonb_array_elements(p_persons) loop
    insert into demystify_memory.subject (tenant_key, subject_hash, key_id)
      select p_tenant, h.value ->> 'hash', h.value ->> 'keyId' from jsonb_array_elements(v_person) h
      order by 2
      on conflict do nothing;
    -- The oldest row gives the person its id: ids are time-ordered.
    select s.person_id into v_id
      from demystify_memory.subject s
      join jsonb_array_elements(v_person) h on s.subject_hash = h.value ->> 'hash'
     where s.tenant_key = p_tenant
     order by s.person_id limit 1;
    update demystify_memory.subject s
       set person_id = v_id
      from jsonb_array_elements(v_person) h
     where s.tenant_key = p_tenant and s.subject_hash = h.value ->> 'hash' and s.person_id <> v_id;
  end loop;
end
$$;
comment on function demystify_memory.link_subjects is 'Gives the hashes of one person under different keys one person_id.';

-- Refuses (ME013) a caller who holds another secret behind a known key id: what it wrote, nobody else would find; and,
-- unless p_known_only, one who lacks a key that was used in this tenant: it must not certify "nothing there".
-- p_keys: [{"keyId", "check"}], keyId null for unkeyed; null itself when the call concerns no person.
create or replace function demystify_memory.assert_keys(p_tenant text, p_keys jsonb, p_known_only boolean default false) returns void
language plpgsql stable security definer  -- the key list is the engine's alone
set search_path = ''
set jit = off
set enable_seqscan = off
set plan_cache_mode = force_generic_plan
as $$
declare
  v_key record;
begin
  if p_keys is null then
    return;
  end if;
  for v_key in
    select k.key_id, k.check_value, g.value as given
      from demystify_memory.subject_key k
      left join jsonb_array_elements(p_keys) g on coalesce(g.value ->> 'keyId', '') = k.key_id
     where k.tenant_key = p_tenant
     order by k.key_id
  loop
    if v_key.given is null and not p_known_only then
      raise exception '%', case when v_key.key_id = '' then 'rows were written without a pepper, and this call does not look for them'
                                else format('the secret of pepper key "%s" is missing here', v_key.key_id) end
        using errcode = 'ME013', detail = json_build_object('keyId', nullif(v_key.key_id, ''))::text;
    end if;
    if v_key.check_value <> v_key.given ->> 'check' then
      raise exception 'the secret of pepper key "%" is not the one used before', v_key.key_id
        using errcode = 'ME013', detail = json_build_object('keyId', v_key.key_id)::text;
    end if;
  end loop;
end
$$;
comment on function demystify_memory.assert_keys is 'Raises ME013 for a missing or wrong pepper secret.';

-- Remembers which key a writer uses, with the value that later tells whether a secret is the right one.
create or replace function demystify_memory.register_key(p_tenant text, p_keys jsonb) returns void
language plpgsql security definer  -- the key list is the engine's alone
set search_path = ''
set jit = off
set enable_seqscan = off
as $$
begin
  -- One key, and it is known: the usual case, in one look.
  if jsonb_array_length(p_keys) = 1 and exists (
       select from demystify_memory.subject_key k
        where k.tenant_key = p_tenant and k.key_id = coalesce(p_keys #>> '{0,keyId}', '')
          and k.check_value is not distinct from p_keys #>> '{0,check}') then
    return;
  end if;
  perform demystify_memory.assert_keys(p_tenant, p_keys, true);
  if not exists (select from demystify_memory.subject_key k
                  where k.tenant_key = p_tenant and k.key_id = coalesce(p_keys #>> '{0,keyId}', '')
                    and k.check_value is not distinct from p_keys #>> '{0,check}') then
    insert into demystify_memory.subject_key as k (tenant_key, key_id, check_value)
      values (p_tenant, coalesce(p_keys #>> '{0,keyId}', ''), p_keys #>> '{0,check}')
      on conflict (tenant_key, key_id) do update set check_value = excluded.check_value where k.check_value is null;
    perform demystify_memory.assert_keys(p_tenant, p_keys, true);
  end if;
end
$$;
comment on function demystify_memory.register_key is 'Registers the key new rows are written under; ME013 if its secret is another one.';

-- Raw INSERT into memory: the person's row is locked first and the time stamped after, so that a row is either before
-- an erasure or after it. The library's own function has done both already.
create or replace function demystify_memory.stamp_memory() returns trigger
language plpgsql security definer  -- subject rows are the engine's alone
set search_path = ''
as $$
begin
  perform demystify_memory.lock_subjects(
    new.tenant_key,
    array(select distinct h from unnest(new.subject_hash || new.also_hashes) h order by 1),
    array(select new.key_id from (select distinct h from unnest(new.subject_hash || new.also_hashes) h) d));
  new.created_at := clock_timestamp();
  return new;
end
$$;
comment on function demystify_memory.stamp_memory is 'Locks the persons of a raw INSERT and stamps its time after the lock.';

create or replace function demystify_memory.gate_memory() returns trigger
language plpgsql security definer  -- reads evidence for writers that may not
set search_path = ''
set jit = off
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  v_ids uuid[];
begin
  select array_agg(n.memory_id) into v_ids
    from new_rows n
   where exists (
     select from demystify_memory.tombstone_item i
      where i.tenant_key = n.tenant_key and i.item_id = n.memory_id offset 0);
  if v_ids is not null then
    raise exception 'an erased id cannot be stored again'
      using errcode = 'ME004', detail = json_build_object('ids', v_ids)::text;
  end if;

  select array_agg(n.memory_id) into v_ids
    from new_rows n
   where n.captured_at is not null
     and exists (
       select from {{hashes_of_persons n.tenant_key n.subject_hash || n.also_hashes}} p
         join demystify_memory.tombstone t on t.tenant_key = n.tenant_key and t.subject_hash = p.subject_hash
        where t.scope = 'subject' and t.origin in ('forget', 'replay') and coalesce(t.replays_opened_at, t.opened_at) >= n.captured_at offset 0);
  if v_ids is not null then
    raise exception 'captured before the person was forgotten'
      using errcode = 'ME004', detail = json_build_object('ids', v_ids)::text;
  end if;
  return null;
end
$$;
comment on function demystify_memory.gate_memory is
  'Refuses (ME004) erased ids, and rows captured before the person was forgotten.';

drop trigger if exists memory_respects_tombstones on demystify_memory.memory;
create trigger memory_respects_tombstones after insert on demystify_memory.memory
  referencing new table as new_rows
  for each statement execute function demystify_memory.gate_memory();
alter table demystify_memory.memory enable always trigger memory_respects_tombstones;

-- Fills in what only the database may say about a derived row: whose it is, and when it expires. Sources are joined one
-- by one: "id = any(array)" without statistics is planned over the tenant's whole index.
create or replace function demystify_memory.stamp_derived() returns trigger
language plpgsql security definer  -- reads the sources whatever the writer may see
set search_path = ''
set jit = off
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
begin
  select coalesce(array_agg(distinct x.h order by x.h), '{}'), min(x.expires_at)
    into new.subject_hashes, new.expires_at
    from (
      select unnest(m.subject_hash || m.also_hashes) as h, m.expires_at
        from unnest(new.source_memories) u,
        lateral (select x.* from demystify_memory.memory x
                  where x.tenant_key = new.tenant_key and x.memory_id = u offset 0) m
      union all
      select unnest(d.subject_hashes), d.expires_at
        from unnest(new.source_derived) u,
        lateral (select x.* from demystify_memory.derived x
                  where x.tenant_key = new.tenant_key and x.derived_id = u offset 0) d
    ) x;
  new.created_at := clock_timestamp();
  return new;
end
$$;
comment on function demystify_memory.stamp_derived is
  'Fills subject_hashes and expires_at of a raw INSERT from its sources; what the writer claimed is discarded.';

create or replace function demystify_memory.stamp_placement() returns trigger
language plpgsql security definer  -- reads the sources whatever the writer may see
set search_path = ''
set jit = off
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
begin
  select coalesce(array_agg(distinct x.h order by x.h), '{}') into new.subject_hashes
    from (
      select unnest(m.subject_hash || m.also_hashes) as h
        from unnest(new.source_memories) u,
        lateral (select x.* from demystify_memory.memory x
                  where x.tenant_key = new.tenant_key and x.memory_id = u offset 0) m
      union all
      select unnest(d.subject_hashes)
        from unnest(new.source_derived) u,
        lateral (select x.* from demystify_memory.derived x
                  where x.tenant_key = new.tenant_key and x.derived_id = u offset 0) d
    ) x;
  new.gone_at := null;
  new.created_at := clock_timestamp();
  return new;
end
$$;
comment on function demystify_memory.stamp_placement is 'Fills subject_hashes of a placement from its sources.';

create or replace function demystify_memory.gate_sources() returns trigger
language plpgsql security definer  -- must see every source and every tombstone, whatever the writer may see
set search_path = ''
set jit = off
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  v_wanted bigint;
  v_found  bigint;
  v_ids    uuid[];
begin
  -- 1. The persons, in order. Each is looked up and locked by itself, in the order of the list: joined, a plan from when
  --    the table was small would read all of it.
  perform 1
    from (select distinct n.tenant_key, h as subject_hash from new_rows n, unnest(n.subject_hashes) h order by 1, 2 offset 0) w,
    lateral (select from demystify_memory.subject s
              where s.tenant_key = w.tenant_key and s.subject_hash = w.subject_hash offset 0 for share) s;

  -- 2. The sources exist, and stay until this transaction ends.
  select count(*) into v_wanted
    from (select distinct n.tenant_key, u from new_rows n, unnest(n.source_memories) u) w;
  if v_wanted > 0 then
    perform 1
      from (select distinct n.tenant_key, u as id from new_rows n, unnest(n.source_memories) u order by 1, 2 offset 0) w,
      lateral (select from demystify_memory.memory m
                where m.tenant_key = w.tenant_key and m.memory_id = w.id
                  and (m.expires_at is null or m.expires_at > statement_timestamp()) offset 0 for key share) m;
    get diagnostics v_found = row_count;
  end if;
  if v_wanted = coalesce(v_found, 0) then
    select count(*) into v_wanted
      from (select distinct n.tenant_key, u from new_rows n, unnest(n.source_derived) u) w;
    v_found := 0;
    if v_wanted > 0 then
      perform 1
        from (select distinct n.tenant_key, u as id from new_rows n, unnest(n.source_derived) u order by 1, 2 offset 0) w,
        lateral (select from demystify_memory.derived d
                  where d.tenant_key = w.tenant_key and d.derived_id = w.id
                    and (d.expires_at is null or d.expires_at > statement_timestamp()) offset 0 for key share) d;
      get diagnostics v_found = row_count;
    end if;
  end if;

  -- 3. None of them, and no id of a new row, is covered by a tombstone. Asked before "unknown": once destroyed, a
  --    forgotten source is also missing.
  select array_agg(distinct w.id) into v_ids
    from (
      select n.tenant_key, u as id from new_rows n, unnest(n.source_memories) u
      union all
      select n.tenant_key, u from new_rows n, unnest(n.source_derived) u
    ) w
   where exists (
     select from demystify_memory.tombstone_item i
      where i.tenant_key = w.tenant_key and i.item_id = w.id offset 0);
  if v_ids is null and tg_table_name = 'derived' then
    select array_agg(n.derived_id) into v_ids from new_rows n
     where exists (select from demystify_memory.tombstone_item i
                    where i.tenant_key = n.tenant_key and i.item_id = n.derived_id offset 0);
  elsif v_ids is null then
    select array_agg(n.placement_id) into v_ids from new_rows n
     where exists (select from demystify_memory.tombstone_item i
                    where i.tenant_key = n.tenant_key and i.item_id = n.placement_id offset 0);
  end if;
  if v_ids is not null then
    raise exception 'a source was forgotten'
      using errcode = 'ME003', detail = json_build_object('ids', v_ids)::text;
  end if;

  if v_wanted <> coalesce(v_found, 0) then
    select array_agg(distinct w.id) into v_ids
      from (
        select u as id
          from new_rows n, unnest(n.source_memories) u
         where not exists (
           select from demystify_memory.memory m
            where m.tenant_key = n.tenant_key and m.memory_id = u
              and (m.expires_at is null or m.expires_at > statement_timestamp()) offset 0)
        union all
        select u
          from new_rows n, unnest(n.source_derived) u
         where not exists (
           select from demystify_memory.derived d
            where d.tenant_key = n.tenant_key and d.derived_id = u
              and (d.expires_at is null or d.expires_at > statement_timestamp()) offset 0)
      ) w;
    raise exception 'a source does not exist'
      using errcode = 'ME002', detail = json_build_object('ids', v_ids)::text;
  end if;

  -- 4. None is restricted: kept, but not to be used.
  if exists (select from demystify_memory.restriction_in_force) and exists (
    select from new_rows n
     where n.subject_hashes && array(select demystify_memory.restricted_subjects(n.tenant_key))
        or (n.source_memories || n.source_derived) && array(
             select u from demystify_memory.restriction_in_force r, unnest(r.item_ids) u where r.tenant_key = n.tenant_key)) then
    if tg_table_name = 'derived' then
      select array_agg(n.derived_id) into v_ids from new_rows n
       where n.subject_hashes && array(select demystify_memory.restricted_subjects(n.tenant_key))
          or (n.source_memories || n.source_derived) && array(
               select u from demystify_memory.restriction_in_force r, unnest(r.item_ids) u where r.tenant_key = n.tenant_key);
    end if;
    raise exception 'a source is restricted'
      using errcode = 'ME008', detail = json_build_object('ids', v_ids)::text;
  end if;

  -- 5. Whose row it is was filled in from the sources before the insert.
  if exists (select from new_rows n where cardinality(n.subject_hashes) = 0) then
    raise exception 'a derived row has no person' using errcode = 'ME002', detail = '{"ids": []}';
  end if;
  return null;
end
$$;
comment on function demystify_memory.gate_sources is
  'Refuses a derived row on a source that does not exist (ME002) or was forgotten (ME003), and locks the sources.';

-- The same function serves derived rows and placements: both are made from sources.
drop trigger if exists placement_sources_are_live on demystify_memory.placement;
create trigger placement_sources_are_live after insert on demystify_memory.placement
  referencing new table as new_rows
  for each statement execute function demystify_memory.gate_sources();
alter table demystify_memory.placement enable always trigger placement_sources_are_live;

drop trigger if exists derived_sources_are_live on demystify_memory.derived;
create trigger derived_sources_are_live after insert on demystify_memory.derived
  referencing new table as new_rows
  for each statement execute function demystify_memory.gate_sources();
alter table demystify_memory.derived enable always trigger derived_sources_are_live;

-- The row triggers are for everybody but the engine, whose functions stamp a whole batch at once. Where the installer
-- is the engine they fire for the functions too: slower, never weaker.
do $stamps$
declare
  v_when text := '';
begin
  if current_setting('demystify_memory.engine') <> current_setting('demystify_memory.installer') then
    v_when := format('when (current_user <> %L)', current_setting('demystify_memory.engine'));
  end if;
  drop trigger if exists memory_is_stamped_after_the_lock on demystify_memory.memory;
  execute format(
    $sql$create trigger memory_is_stamped_after_the_lock before insert on demystify_memory.memory
           for each row %s execute function demystify_memory.stamp_memory()$sql$, v_when);
  alter table demystify_memory.memory enable always trigger memory_is_stamped_after_the_lock;

  drop trigger if exists derived_persons_come_from_its_sources on demystify_memory.derived;
  drop trigger if exists placement_persons_come_from_its_sources on demystify_memory.placement;
  create trigger placement_persons_come_from_its_sources before insert on demystify_memory.placement
    for each row execute function demystify_memory.stamp_placement();
  alter table demystify_memory.placement enable always trigger placement_persons_come_from_its_sources;

  execute format(
    $sql$create trigger derived_persons_come_from_its_sources before insert on demystify_memory.derived
           for each row %s execute function demystify_memory.stamp_derived()$sql$, v_when);
  alter table demystify_memory.derived enable always trigger derived_persons_come_from_its_sources;
end
$stamps$;
