-- What is created here is found by name and trusted.
select 'nobody_creates_in_the_schema' as check_name,
       not exists (select from grants g where g.object = 'schema' and g.privilege = 'create' and g.grantee <> 'public') as ok,
       'critical' as severity,
       'no role but its owner may create in the schema' as detail,
       'revoke create on schema demystify_memory from …' as remediation
