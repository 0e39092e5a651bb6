-- What PUBLIC may do, every role may do.
select 'nothing_is_granted_to_public' as check_name, (select (select count(*) from pg_catalog.pg_proc f, aclexplode(coalesce(f.proacl, acldefault('f', f.proowner))) a where f.pronamespace = 'demystify_memory'::regnamespace and a.grantee = 0) + (select count(*) from pg_catalog.pg_class c, aclexplode(c.relacl) a where c.relnamespace = 'demystify_memory'::regnamespace and a.grantee = 0) + (select count(*) from pg_catalog.pg_namespace n, aclexplode(n.nspacl) a where n.oid = 'demystify_memory'::regnamespace and a.grantee = 0) = 0) as ok, 'critical' as severity,
       'PUBLIC has no right on the schema, its tables or its routines' as detail,
       'revoke all on … from public; or run the migration again.' as remediation
