-- Functions read the settings at every call.
select 'settings_have_one_row' as check_name,
       (select count(*) = 1 from demystify_memory.settings) as ok,
       'critical' as severity,
       'settings has exactly one row' as detail,
       'Run the migration again.' as remediation
