-- A trigger of the host can swallow a delete or copy the payload away.
select 'no_foreign_triggers' as check_name,
       not exists (select from triggers t where t.function_schema <> 'demystify_memory') as ok,
       'critical' as severity,
       'no trigger calls a function from outside this schema' as detail,
       'Drop the triggers that the migration did not create.' as remediation
