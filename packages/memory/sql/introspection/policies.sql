-- The row-level security policies.
select c.relname::text as relation, p.polname::text as name, p.polpermissive as permissive, p.polcmd::text as command,
       array(select case when r = 0 then 'public' else pg_get_userbyid(r)::text end from unnest(p.polroles) r) as roles,
       pg_get_expr(p.polqual, p.polrelid) as condition, pg_get_expr(p.polwithcheck, p.polrelid) as check_condition
  from pg_catalog.pg_policy p
  join pg_catalog.pg_class c on c.oid = p.polrelid
 where c.relnamespace = 'demystify_memory'::regnamespace
