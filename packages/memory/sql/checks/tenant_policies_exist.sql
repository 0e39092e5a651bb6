-- A table without the tenant policy denies everybody or, with another policy, shows everything.
select 'tenant_policies_exist' as check_name, (select count(*) = 16 from pg_catalog.pg_policy p join pg_catalog.pg_class c on c.oid = p.polrelid where c.relnamespace = 'demystify_memory'::regnamespace and p.polname = c.relname || '_is_seen_by_its_tenant' and pg_get_expr(p.polqual, p.polrelid) like '%app.current_tenant%' and pg_get_expr(p.polwithcheck, p.polrelid) like '%app.current_tenant%') as ok, 'critical' as severity,
       'every tenant table has its tenant policy' as detail,
       'Run the migration again: it recreates the policies.' as remediation
