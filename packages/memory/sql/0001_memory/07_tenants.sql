-- Row-level security: all of it in this file. Enabled and forced everywhere, deny by default.
--
-- The tenant policy governs every role but the engine, the login role that migrated included. It reads the tenant with
-- missing_ok: a session that never set it sees nothing, rather than an exception. The setting is read once per
-- statement (a sub-select), not once per row.
do $policies$
declare
  v_table text;
begin
  foreach v_table in array array[
    'subject', 'memory', 'derived', 'idempotency_key', 'tombstone', 'tombstone_item', 'erasure_event', 'open_erasure',
    'sink', 'placement', 'placement_lease', 'restriction', 'restriction_in_force', 'legal_hold', 'legal_hold_refusal',
    'subject_key']
  loop
    execute format('alter table demystify_memory.%I enable row level security', v_table);
    execute format('alter table demystify_memory.%I force row level security', v_table);
    execute format('drop policy if exists %I on demystify_memory.%I', v_table || '_is_seen_by_its_tenant', v_table);
    execute format(
      $sql$create policy %I on demystify_memory.%I
             using (tenant_key = (select nullif(current_setting('app.current_tenant', true), '')))
             with check (tenant_key = (select nullif(current_setting('app.current_tenant', true), '')))$sql$,
      v_table || '_is_seen_by_its_tenant', v_table);
    execute format('drop policy if exists %I on demystify_memory.%I', v_table || '_is_seen_by_the_engine', v_table);
    execute format('create policy %I on demystify_memory.%I to %I using (true) with check (true)',
      v_table || '_is_seen_by_the_engine', v_table, current_setting('demystify_memory.engine'));
  end loop;

  foreach v_table in array array['settings', 'schema_migration', 'legal_basis']
  loop
    execute format('alter table demystify_memory.%I enable row level security', v_table);
    execute format('alter table demystify_memory.%I force row level security', v_table);
    execute format('drop policy if exists %I on demystify_memory.%I', v_table || '_is_seen_by_all', v_table);
    execute format('create policy %I on demystify_memory.%I for select using (true)', v_table || '_is_seen_by_all', v_table);
    execute format('drop policy if exists %I on demystify_memory.%I', v_table || '_is_written_by_the_engine', v_table);
    execute format('create policy %I on demystify_memory.%I to %I using (true) with check (true)',
      v_table || '_is_written_by_the_engine', v_table, current_setting('demystify_memory.engine'));
  end loop;
end
$policies$;

-- Refuses a call for a tenant that is not the session's, where the session (or the whole installation) names one.
-- A null tenant comes from host_tenant(): the host set none, so reads see nothing and writes are refused.
create or replace function demystify_memory.assert_tenant(p_tenant text, p_write boolean) returns void
language plpgsql stable security definer  -- reads settings for callers that hold no right on it
set search_path = ''
as $$
declare
  v_session text := nullif(current_setting('app.current_tenant', true), '');
begin
  if p_tenant is null then
    if p_write then
      raise exception 'no tenant is set on the connection' using errcode = 'ME010';
    end if;
    return;
  end if;
  if v_session is distinct from p_tenant
     and (v_session is not null or (select tenant_scope from demystify_memory.settings) = 'host') then
    raise exception 'the session is set to % tenant', case when v_session is null then 'no' else 'another' end
      using errcode = 'ME010';
  end if;
end
$$;
comment on function demystify_memory.assert_tenant is 'Raises ME010 unless the session may act for this tenant.';

-- For deployments where the host sets app.current_tenant itself (tenantScope: "host").
create or replace function demystify_memory.host_tenant(p_tenant text) returns text
language plpgsql stable
set search_path = ''
as $$
declare
  v_session text := nullif(current_setting('app.current_tenant', true), '');
begin
  if v_session <> p_tenant then
    raise exception 'the session is set to another tenant' using errcode = 'ME010';
  end if;
  return v_session;
end
$$;
comment on function demystify_memory.host_tenant is
  'The tenant if the session names it, null if the session names none, ME010 if it names another.';

create or replace function demystify_memory.configure(p_direct_delete text, p_tenant_scope text) returns void
language plpgsql security definer  -- the settings table belongs to the engine; only the installer may call this
set search_path = ''
as $$
begin
  update demystify_memory.settings
     set direct_delete = coalesce(p_direct_delete, direct_delete),
         tenant_scope = coalesce(p_tenant_scope, tenant_scope);
end
$$;
comment on function demystify_memory.configure is 'Changes the install-wide choices; null leaves one as it is.';

-- The owner may add codes to legal_basis, and change nothing else about it.
do $extend$
begin
  drop policy if exists legal_basis_is_extended_by_the_installer on demystify_memory.legal_basis;
  execute format('create policy legal_basis_is_extended_by_the_installer on demystify_memory.legal_basis
                    for insert to %I with check (true)', current_setting('demystify_memory.installer'));
end
$extend$;
