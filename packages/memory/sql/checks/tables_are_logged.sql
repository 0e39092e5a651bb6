-- An unlogged table is empty after a crash, tombstones included.
select 'tables_are_logged' as check_name, (select bool_and(c.relpersistence = 'p') from pg_catalog.pg_class c where c.relnamespace = 'demystify_memory'::regnamespace and c.relkind in ('r', 'p', 'i')) as ok, 'critical' as severity,
       'every table is logged' as detail,
       'alter table … set logged.' as remediation
