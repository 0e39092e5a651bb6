-- TRUNCATE fires no delete trigger: nothing is recorded, nothing derived is reached.
select 'truncate_is_refused' as check_name, (select count(*) = 19 from pg_catalog.pg_trigger t join pg_catalog.pg_class c on c.oid = t.tgrelid join pg_catalog.pg_proc f on f.oid = t.tgfoid and f.pronamespace = c.relnamespace where c.relnamespace = 'demystify_memory'::regnamespace and t.tgname in (c.relname || '_is_append_only', c.relname || '_is_never_truncated') and (t.tgtype & 32) = 32 and t.tgqual is null and f.proname = 'refuse_change') as ok, 'critical' as severity,
       'every table refuses truncate' as detail,
       'Run the migration again.' as remediation
