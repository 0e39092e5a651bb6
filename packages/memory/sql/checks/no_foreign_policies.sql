-- A further permissive policy widens what every role can see.
select 'no_foreign_policies' as check_name, (select count(*) = 0 from pg_catalog.pg_policy p join pg_catalog.pg_class c on c.oid = p.polrelid where c.relnamespace = 'demystify_memory'::regnamespace and p.polname not in (c.relname || '_is_seen_by_its_tenant', c.relname || '_is_seen_by_the_engine', c.relname || '_is_seen_by_all', c.relname || '_is_written_by_the_engine', 'legal_basis_is_extended_by_the_installer')) as ok, 'critical' as severity,
       'no policy that this schema does not know' as detail,
       'Drop the policies that the migration did not create.' as remediation
