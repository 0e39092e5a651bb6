-- A trigger that is disabled, or fires for origin sessions only, is a rule that can be stepped over.
select 'triggers_fire_always' as check_name,
       not exists (select from triggers t where t.enabled <> 'A') as ok,
       'critical' as severity,
       'every trigger is ENABLE ALWAYS' as detail,
       'alter table … enable always trigger …; or run the migration again.' as remediation
