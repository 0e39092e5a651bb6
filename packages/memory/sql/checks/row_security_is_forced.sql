-- Row-level security that is not forced does not hold for the owner.
select 'row_security_is_forced' as check_name, (select bool_and(c.relrowsecurity and c.relforcerowsecurity) from pg_catalog.pg_class c where c.relnamespace = 'demystify_memory'::regnamespace and c.relkind in ('r', 'p')) as ok, 'critical' as severity,
       'row-level security is enabled and forced on every table' as detail,
       'alter table … enable row level security; alter table … force row level security; or run the migration again.' as remediation
