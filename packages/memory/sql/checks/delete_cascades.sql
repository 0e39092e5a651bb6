-- Without these a deleted memory leaves its summaries behind.
select 'delete_cascades' as check_name, (select count(*) = 6 from pg_catalog.pg_trigger t join pg_catalog.pg_class c on c.oid = t.tgrelid join pg_catalog.pg_proc f on f.oid = t.tgfoid and f.pronamespace = c.relnamespace where c.relnamespace = 'demystify_memory'::regnamespace and not t.tgisinternal and t.tgqual is null and (t.tgname, f.proname) in ((c.relname || '_delete_1_is_recorded', 'record_' || c.relname || '_delete'), (c.relname || '_delete_2_reaches_derived', 'reach_derived'), (c.relname || '_delete_3_is_settled', 'settle_direct_delete'))) as ok, 'critical' as severity,
       'the delete triggers of memory and derived are there' as detail,
       'Run the migration again.' as remediation
