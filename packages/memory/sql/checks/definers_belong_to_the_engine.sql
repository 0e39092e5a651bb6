-- A definer function of another owner runs with other rights and under other policies.
select 'definers_belong_to_the_engine' as check_name,
       not exists (select from routines f where f.owner <> (select e.owner from engine e)) as ok,
       'critical' as severity,
       'every routine belongs to the owner of the tables' as detail,
       'Run the migration again as the role that installed it.' as remediation
