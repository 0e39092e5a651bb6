-- A trigger that is disabled, or fires for origin sessions only, is a rule that can be stepped over.
select 'triggers_fire_always' as check_name, (select count(*) > 0 and bool_and(t.tgenabled = 'A') from pg_catalog.pg_trigger t join pg_catalog.pg_class c on c.oid = t.tgrelid where c.relnamespace = 'demystify_memory'::regnamespace and not t.tgisinternal) as ok, 'critical' as severity,
       'every trigger is ENABLE ALWAYS' as detail,
       'alter table … enable always trigger …; or run the migration again.' as remediation
