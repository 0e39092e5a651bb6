-- Where a web gateway serves the database, anon and authenticated are whoever calls it.
select 'nothing_is_granted_to_web_roles' as check_name,
       not exists (select from grants g where g.grantee in ('anon', 'authenticated')) as ok,
       'critical' as severity,
       'anon and authenticated have no right on the schema, its tables or its routines' as detail,
       'Run the migration again, and give the rights to a role of your own server.' as remediation
