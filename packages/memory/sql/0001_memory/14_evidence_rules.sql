-- What may be entered as evidence, and when.

-- A tombstone carries the transaction and the time it was really opened in; a forged stamp is refused, not corrected.
create or replace function demystify_memory.check_tombstones() returns trigger
language plpgsql security definer  -- reads settings for whoever inserts
set search_path = ''
set jit = off
as $$
begin
  if exists (
    select from new_rows n
     where n.opened_xid <> pg_current_xact_id()
        or n.opened_at not between transaction_timestamp() and clock_timestamp()) then
    raise exception 'a tombstone is stamped by the database: its transaction and time cannot be given'
      using errcode = 'ME005', hint = 'Leave opened_xid and opened_at to their defaults.';
  end if;
  if exists (select from new_rows n where n.origin = 'direct_delete')
     and (select s.direct_delete from demystify_memory.settings s) = 'refuse' then
    raise exception 'direct deletes are refused here' using errcode = 'ME005';
  end if;
  return null;
end
$$;
comment on function demystify_memory.check_tombstones is 'Refuses (ME005) a tombstone with a forged stamp.';

drop trigger if exists tombstone_is_stamped_by_the_database on demystify_memory.tombstone;
create trigger tombstone_is_stamped_by_the_database after insert on demystify_memory.tombstone
  referencing new table as new_rows
  for each statement execute function demystify_memory.check_tombstones();
alter table demystify_memory.tombstone enable always trigger tombstone_is_stamped_by_the_database;

-- An item belongs to a tombstone that exists and is not yet destroyed: nothing is covered after the fact.
create or replace function demystify_memory.check_tombstone_items() returns trigger
language plpgsql security definer  -- reads evidence for whoever inserts
set search_path = ''
set jit = off
set enable_seqscan = off
as $$
begin
  if exists (
    select from (select distinct n.tenant_key, n.tombstone_id from new_rows n) x
     where not exists (
             select from demystify_memory.tombstone t
              where t.tenant_key = x.tenant_key and t.tombstone_id = x.tombstone_id offset 0)
        or exists (
             select from demystify_memory.erasure_event e
              where e.tenant_key = x.tenant_key and e.tombstone_id = x.tombstone_id and e.event = 'destroyed' offset 0)) then
    raise exception 'an item needs a tombstone that is open' using errcode = 'ME005';
  end if;
  return null;
end
$$;
comment on function demystify_memory.check_tombstone_items is
  'Refuses (ME005) an item without a tombstone, or of one whose rows are already destroyed.';

drop trigger if exists tombstone_item_has_an_open_tombstone on demystify_memory.tombstone_item;
create trigger tombstone_item_has_an_open_tombstone after insert on demystify_memory.tombstone_item
  referencing new table as new_rows
  for each statement execute function demystify_memory.check_tombstone_items();
alter table demystify_memory.tombstone_item enable always trigger tombstone_item_has_an_open_tombstone;
