-- The steps in their order, one at a time or all in one call.

-- One step further: a chunk destroyed, or the completion recorded. False when there is nothing more to do now.
create or replace function demystify_memory.advance_step(p_tenant text, p_tombstone uuid, p_chunk int) returns boolean
language plpgsql security definer  -- the caller holds no DELETE and no INSERT on evidence
set search_path = ''
set jit = off
set enable_seqscan = off
as $$
declare
  v_opened_xid xid8;
begin
  perform demystify_memory.assert_tenant(p_tenant, true);
  perform demystify_memory.assert_read_committed();
  if p_chunk < 1 then
    raise exception 'destroyChunkRows: must be at least 1' using errcode = 'ME001';
  end if;
  perform set_config('synchronous_commit', 'on', true);

  select t.opened_xid into v_opened_xid from demystify_memory.tombstone t
    where t.tenant_key = p_tenant and t.tombstone_id = p_tombstone;
  if not found then
    raise exception 'no such erasure' using errcode = 'ME012', detail = '{"what": "erasure"}';
  end if;
  if v_opened_xid = pg_current_xact_id() then
    raise exception 'the tombstone was opened by this transaction: nothing may be destroyed before it is durable'
      using errcode = 'ME005', hint = 'Commit, then resume in a transaction of its own.';
  end if;
  -- One process at a time: the others wait here, and then find it done.
  perform pg_advisory_xact_lock(hashtextextended(p_tombstone::text, 0));

  if not exists (select from demystify_memory.erasure_event e
                  where e.tenant_key = p_tenant and e.tombstone_id = p_tombstone and e.event = 'destroyed') then
    return demystify_memory.destroy_step(p_tenant, p_tombstone, p_chunk);
  end if;
  return demystify_memory.settle(p_tenant, p_tombstone);
end
$$;
comment on function demystify_memory.advance_step is
  'One chunk destroyed, or the completion recorded. False when it waits for somebody else, or is done.';

create or replace function demystify_memory.advance_erasure(p_tenant text, p_tombstone uuid, p_chunk int) returns text
language plpgsql security definer  -- the caller holds no DELETE and no INSERT on evidence
set search_path = ''
as $$
declare
  v_advanced boolean := demystify_memory.advance_step(p_tenant, p_tombstone, p_chunk);
begin
  return json_build_object('advanced', v_advanced, 'receipt', demystify_memory.receipt_json(p_tenant, p_tombstone))::text;
end
$$;
comment on function demystify_memory.advance_erasure is 'One step further, with the receipt as it then is: {"advanced", "receipt"}.';

create or replace function demystify_memory.open_erasure(p_tenant text, p_request text) returns text
language plpgsql security definer  -- evidence is not the caller's to write
set search_path = ''
as $$
declare
  v_tombstone uuid := demystify_memory.open_erasure_step(p_tenant, p_request::jsonb);
begin
  if v_tombstone is null then
    return '{"held": true}';
  end if;
  -- A statement of its own: a stable function does not see what its own statement has just written.
  return demystify_memory.receipt_json(p_tenant, v_tombstone)::text;
end
$$;
comment on function demystify_memory.open_erasure is 'Step 1 alone. Answers the receipt, in progress.';

-- All three steps in one round trip. SECURITY INVOKER and without SET clauses, because only such a procedure may
-- commit; so every name and operator is qualified. The first COMMIT is how a host's open transaction is detected,
-- exactly and before anything happened (2D000).
create or replace procedure demystify_memory.forget(p_tenant text, p_request text, p_chunk int, inout receipt text default null)
language plpgsql
as $$
declare
  v_tombstone pg_catalog.uuid;
  v_advanced  boolean;
begin
  commit;
  set transaction isolation level read committed;
  v_tombstone := demystify_memory.open_erasure_step(p_tenant, p_request::pg_catalog.jsonb);
  if v_tombstone is null then
    receipt := '{"held": true}';
    commit;
    return;
  end if;
  -- Nothing is evaluated between a COMMIT and its SET: an expression takes a snapshot, and then the level is fixed.
  loop
    commit;
    set transaction isolation level read committed;
    v_advanced := demystify_memory.advance_step(p_tenant, v_tombstone, p_chunk);
    exit when not v_advanced;
  end loop;
  receipt := demystify_memory.erasure_receipt(p_tenant, v_tombstone);
end
$$;
comment on procedure demystify_memory.forget is
  'Opens, destroys and completes, each its own commit. Refused inside a transaction (2D000).';

-- The same from step 2 on, for sessions whose default isolation level is not READ COMMITTED.
create or replace procedure demystify_memory.resume(p_tenant text, p_tombstone uuid, p_chunk int, inout receipt text default null)
language plpgsql
as $$
declare
  v_advanced boolean;
begin
  loop
    commit;
    set transaction isolation level read committed;
    v_advanced := demystify_memory.advance_step(p_tenant, p_tombstone, p_chunk);
    exit when not v_advanced;
  end loop;
  receipt := demystify_memory.erasure_receipt(p_tenant, p_tombstone);
end
$$;
comment on procedure demystify_memory.resume is 'Destroys and completes what is open. Refused inside a transaction (2D000).';
