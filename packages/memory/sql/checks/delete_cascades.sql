-- Without these a deleted memory leaves its summaries behind.
select 'delete_cascades' as check_name, (select count(*) = 6 from pg_catalog.pg_trigger t join pg_catalog.pg_class c on c.oid = t.tgrelid where c.relnamespace = 'demystify_memory'::regnamespace and not t.tgisinternal and t.tgname in (c.relname || '_delete_1_is_recorded', c.relname || '_delete_2_reaches_derived', c.relname || '_delete_3_is_settled')) as ok, 'critical' as severity,
       'the delete triggers of memory and derived are there' as detail,
       'Run the migration again.' as remediation
