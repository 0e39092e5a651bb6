-- A definer function of another owner runs with other rights and under other policies.
select 'definers_belong_to_the_engine' as check_name, (select count(*) = 0 from pg_catalog.pg_proc f where f.pronamespace = 'demystify_memory'::regnamespace and f.proowner <> (select c.relowner from pg_catalog.pg_class c where c.oid = to_regclass('demystify_memory.memory'))) as ok, 'critical' as severity,
       'every routine belongs to the owner of the tables' as detail,
       'Run the migration again as the role that installed it.' as remediation
