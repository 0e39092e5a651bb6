-- Who may do what. Nothing is for PUBLIC. The functions that no role below is given are the engine's own.

-- p_as: app (everything the library calls), auditor (evidence, read only) or installer. Runs as the engine, because
-- only an owner may grant.
create or replace function demystify_memory.grant_to(p_role text, p_as text) returns void
language plpgsql security definer  -- only the owner of the routines may grant them; only the installer may call this
set search_path = ''
as $$
declare
  v_evidence text[] := array['capabilities', 'verify_install', 'host_tenant', 'erasure_receipt', 'list_erasures',
                             'erasure_history', 'tombstone_covering'];
  v_app      text[] := array['remember_many', 'derive_many', 'set_embeddings', 'rows_without_terms', 'set_terms',
                             'get_memory', 'get_derived', 'list_memories', 'list_derived', 'lineage', 'recall_lexical',
                             'recall_bm25', 'recall_vector', 'vector_window', 'rows_by_id', 'vector_schema',
                             'vector_indexes', 'list_vector_indexes', 'vector_index_name', 'table_of_tenant', 'preview_erasure', 'open_erasure', 'open_erasure_step',
                             'advance_erasure', 'advance_step', 'forget', 'resume', 'record_placement', 'placement_written',
                             'placement_abandoned', 'placement_status', 'register_sink', 'list_sinks', 'outstanding', 'record_attempt',
                             'confirm_placement', 'attest', 'escalate', 'restrict', 'lift_restriction', 'place_hold',
                             'release_hold', 'list_holds', 'expired_memories', 'subjects_with_rows', 'open_correction',
                             'correct', 'covered', 'keys_in_use', 'export_page', 'reconcile_page', 'export_tombstones',
                             'missing_tombstones', 'open_replay', 'uuid_v7'];
  v_installer text[] := array['configure', 'grant_to'];
  v_routines text[];
  v_routine  regprocedure;
begin
  v_routines := case p_as
    when 'auditor' then v_evidence
    when 'app' then v_evidence || v_app
    when 'installer' then v_evidence || v_app || v_installer end;
  if v_routines is null then
    raise exception 'as: must be app, auditor or installer' using errcode = 'ME001';
  end if;
  if p_role in ('anon', 'authenticated') then
    raise exception 'role: is whoever calls the web gateway' using errcode = 'ME001',
      hint = 'These functions act for any tenant they are given. Grant to a role that your own server connects as.';
  end if;
  if not exists (select from pg_catalog.pg_roles r where r.rolname = p_role) then
    raise exception 'role: does not exist in this cluster' using errcode = 'ME001', hint = 'create role … login; then grant again.';
  end if;

  execute format('grant usage on schema demystify_memory to %I', p_role);
  if not pg_catalog.has_schema_privilege(p_role, 'demystify_memory', 'usage') then
    raise exception 'role: could not be given USAGE on the schema' using errcode = 'ME001',
      hint = format('The owner of the schema must run: grant usage on schema demystify_memory to %I;', p_role);
  end if;
  for v_routine in
    select f.oid from pg_catalog.pg_proc f
     where f.pronamespace = 'demystify_memory'::regnamespace and f.proname = any(v_routines)
  loop
    execute format('grant execute on routine %s to %I', v_routine, p_role);
  end loop;

  if p_as in ('app', 'installer') then
    execute format('grant select on demystify_memory.live_memory, demystify_memory.provenance to %I', p_role);
  end if;
  if p_as in ('auditor', 'installer') then
    execute format('grant select on demystify_memory.tombstone, demystify_memory.tombstone_item, demystify_memory.erasure_event,
                                    demystify_memory.schema_migration, demystify_memory.settings, demystify_memory.legal_basis to %I', p_role);
  end if;
  if p_as = 'installer' then
    execute format('grant select, insert, delete on demystify_memory.memory, demystify_memory.derived to %I', p_role);
    execute format('grant insert on demystify_memory.legal_basis to %I', p_role);
  end if;
end
$$;
comment on function demystify_memory.grant_to is 'Gives a role the rights of an app, an auditor or the installer.';

-- Whatever the defaults of the database are: nothing for everybody, now or in later migrations, and nothing for the
-- roles that a web gateway lends to whoever calls it.
do $grants$
declare
  v_role text;
begin
  foreach v_role in array array['public', 'anon', 'authenticated'] loop
    continue when v_role <> 'public' and not exists (select from pg_catalog.pg_roles r where r.rolname = v_role);
    execute format('revoke all on all tables in schema demystify_memory from %s', v_role);
    execute format('revoke all on all routines in schema demystify_memory from %s', v_role);
  end loop;
  if current_setting('demystify_memory.engine') <> current_setting('demystify_memory.installer') then
    -- The engine owns nothing but this schema, so its defaults can be closed without touching anybody else's.
    alter default privileges revoke execute on routines from public;
    perform demystify_memory.grant_to(current_setting('demystify_memory.installer'), 'installer');
  end if;
end
$grants$;

insert into demystify_memory.schema_migration (version, name) values (1, '0001_memory') on conflict do nothing;
