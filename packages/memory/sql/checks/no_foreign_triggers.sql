-- A trigger of the host can swallow a delete or copy the payload away.
select 'no_foreign_triggers' as check_name, (select count(*) = 0 from pg_catalog.pg_trigger t join pg_catalog.pg_class c on c.oid = t.tgrelid join pg_catalog.pg_proc f on f.oid = t.tgfoid where c.relnamespace = 'demystify_memory'::regnamespace and not t.tgisinternal and f.pronamespace <> 'demystify_memory'::regnamespace) as ok, 'critical' as severity,
       'no trigger calls a function from outside this schema' as detail,
       'Drop the triggers that the migration did not create.' as remediation
