-- Extended statistics keep values too.
select 'no_extended_statistics' as check_name,
       not exists (
         select from pg_catalog.pg_statistic_ext e
           join relations r on r.oid = e.stxrelid) as ok,
       'critical' as severity,
       'no extended statistics on any table' as detail,
       'drop statistics …' as remediation
