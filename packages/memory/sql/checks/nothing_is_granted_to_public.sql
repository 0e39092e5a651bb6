-- What PUBLIC may do, every role may do.
select 'nothing_is_granted_to_public' as check_name,
       not exists (select from grants g where g.grantee = 'public') as ok,
       'critical' as severity,
       'PUBLIC has no right on the schema, its tables or its routines' as detail,
       'revoke all on … from public; or run the migration again.' as remediation
