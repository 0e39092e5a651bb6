-- The engine: the role that owns every table and function of the schema. Nobody logs in as it.
--
-- Array operators are not leakproof, so under a tenant policy alone no GIN index is ever used and a definer's cascade
-- silently skips rows. Each table therefore has one more policy, for the engine alone, that sees every tenant; the
-- functions below run as the engine and name the tenant in every statement.
--
-- Where the installer may not create roles, the installer is the engine. Everything works; what is weaker is that the
-- login role then owns the rules it is held to.
do $engine$
declare
  v_installer text := current_user;
  v_engine    text := 'demystify_memory_engine';
  v_owner     text;
  v_super     boolean := (select rolsuper from pg_catalog.pg_roles where rolname = current_user);
  v_granted   boolean := false;
begin
  if to_regnamespace('demystify_memory') is null then
    create schema demystify_memory;
  end if;

  select pg_catalog.pg_get_userbyid(c.relowner) into v_owner
    from pg_catalog.pg_class c
   where c.relname = 'settings' and c.relnamespace = 'demystify_memory'::regnamespace;

  if v_owner is not null then
    v_engine := v_owner;
  elsif not exists (select from pg_catalog.pg_roles where rolname = v_engine) then
    begin
      create role demystify_memory_engine nologin noinherit;
    exception
      when insufficient_privilege then
        v_engine := v_installer;
      when duplicate_object or unique_violation then
        -- Roles belong to the server: another database of it was migrated at the same time.
        null;
    end;
  end if;

  if v_engine <> v_installer and not v_super then
    begin
      -- Membership lasts for this transaction only; it is taken back in the last file.
      if current_setting('server_version_num')::int >= 160000 then
        execute format('grant %I to %I with inherit false, set true', v_engine, v_installer);
      else
        execute format('grant %I to %I', v_engine, v_installer);
      end if;
      v_granted := true;
    exception when insufficient_privilege then
      if v_owner is not null then
        raise exception 'the role % may not change this installation: it belongs to %', v_installer, v_owner
          using hint = 'Run the migration as the role that installed it, or as a superuser.';
      end if;
      v_engine := v_installer;
    end;
  end if;

  if v_engine <> v_installer then
    begin
      execute format('grant usage, create on schema demystify_memory to %I with grant option', v_engine);
    exception when insufficient_privilege then
      null;
    end;
    if not pg_catalog.has_schema_privilege(v_engine, 'demystify_memory', 'create') and v_owner is null then
      if v_granted then
        execute format('revoke %I from %I', v_engine, v_installer);
        v_granted := false;
      end if;
      v_engine := v_installer;
    end if;
  end if;

  perform set_config('demystify_memory.installer', v_installer, true);
  perform set_config('demystify_memory.engine', v_engine, true);
  perform set_config('demystify_memory.membership', case when v_granted then 'granted' else '' end, true);
  execute format('set local role %I', v_engine);
end
$engine$;
