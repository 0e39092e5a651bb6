-- Functions and procedures. body is a hash of the source text.
select f.proname::text as name, pg_get_function_identity_arguments(f.oid) as arguments, f.prokind::text as kind,
       l.lanname::text as language, f.provolatile::text as volatility, f.prosecdef as definer,
       coalesce(f.proconfig, '{}') as settings, md5(f.prosrc) as body, pg_get_userbyid(f.proowner)::text as owner
  from pg_catalog.pg_proc f
  join pg_catalog.pg_language l on l.oid = f.prolang
 where f.pronamespace = 'demystify_memory'::regnamespace
