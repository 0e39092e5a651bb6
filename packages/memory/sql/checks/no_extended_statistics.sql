-- Extended statistics keep values too.
select 'no_extended_statistics' as check_name, (select count(*) = 0 from pg_catalog.pg_statistic_ext e join pg_catalog.pg_class c on c.oid = e.stxrelid where c.relnamespace = 'demystify_memory'::regnamespace) as ok, 'critical' as severity,
       'no extended statistics on any table' as detail,
       'drop statistics …' as remediation
