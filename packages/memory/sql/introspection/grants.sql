-- Who was given what, apart from the owner of each thing. The grantee 'public' is everybody.
select x.object, x.name, case when a.grantee = 0 then 'public' else pg_get_userbyid(a.grantee)::text end as grantee,
       lower(a.privilege_type) as privilege, a.is_grantable as grantable
  from (
    select 'schema' as object, n.nspname::text as name, n.nspacl as acl, n.nspowner as owner
      from pg_catalog.pg_namespace n
     where n.oid = 'demystify_memory'::regnamespace
    union all
    select 'relation', c.relname::text, c.relacl, c.relowner
      from pg_catalog.pg_class c
     where c.relnamespace = 'demystify_memory'::regnamespace
    union all
    select 'column', c.relname || '.' || k.attname, k.attacl, c.relowner
      from pg_catalog.pg_class c
      join pg_catalog.pg_attribute k on k.attrelid = c.oid and k.attacl is not null
     where c.relnamespace = 'demystify_memory'::regnamespace
    union all
    select 'routine', f.proname::text, coalesce(f.proacl, acldefault('f', f.proowner)), f.proowner
      from pg_catalog.pg_proc f
     where f.pronamespace = 'demystify_memory'::regnamespace) x,
  aclexplode(x.acl) a
 where a.grantee <> x.owner
