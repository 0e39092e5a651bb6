-- Back to the installer. What the engine no longer needs is taken back: CREATE on the schema, and the membership.
do $end$
declare
  v_installer text := current_setting('demystify_memory.installer');
  v_engine    text := current_setting('demystify_memory.engine');
  v_role      text;
begin
  execute format('set local role %I', v_installer);
  foreach v_role in array array['public', 'anon', 'authenticated'] loop
    continue when v_role <> 'public' and not exists (select from pg_catalog.pg_roles r where r.rolname = v_role);
    execute format('revoke all on schema demystify_memory from %s', v_role);
  end loop;
  if v_engine <> v_installer then
    if pg_catalog.pg_get_userbyid((select n.nspowner from pg_catalog.pg_namespace n where n.nspname = 'demystify_memory')) = v_installer then
      execute format('grant usage on schema demystify_memory to %I', v_installer);
    end if;
    execute format('revoke create on schema demystify_memory from %I cascade', v_engine);
    if current_setting('demystify_memory.membership') = 'granted' then
      execute format('revoke %I from %I', v_engine, v_installer);
    end if;
  end if;
end
$end$;

-- pgvector is used where it can be had, and never required.
do $vector$
begin
  if not exists (select from pg_catalog.pg_extension where extname = 'vector')
     and exists (select from pg_catalog.pg_available_extensions where name = 'vector') then
    create extension vector;
  end if;
exception when others then
  raise notice 'pgvector was not installed here (%); vectors are ranked in the library''s process', sqlstate;
end
$vector$;

commit;
