-- Evidence that can be edited is not evidence.
select 'evidence_is_append_only' as check_name, (select count(*) = 7 from pg_catalog.pg_trigger t join pg_catalog.pg_class c on c.oid = t.tgrelid join pg_catalog.pg_proc f on f.oid = t.tgfoid and f.pronamespace = c.relnamespace where c.relnamespace = 'demystify_memory'::regnamespace and t.tgname = c.relname || '_is_append_only' and (t.tgtype & 56) = 56 and t.tgqual is null and f.proname = 'refuse_change') as ok, 'critical' as severity,
       'evidence tables refuse update, delete and truncate' as detail,
       'Run the migration again.' as remediation
