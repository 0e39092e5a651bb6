-- Statistics on an index expression keep values even where its column has none.
select 'expression_indexes_have_no_statistics' as check_name,
       not exists (select from indexes i where i.has_expression_statistics) as ok,
       'critical' as severity,
       'no statistics are collected on an index expression' as detail,
       'alter index … alter column … set statistics 0; a superuser removes what is in pg_statistic.' as remediation
