-- A further permissive policy widens what every role can see.
select 'no_foreign_policies' as check_name,
       not exists (
         select from policies p
          where p.name not in (
            p.relation || '_is_seen_by_its_tenant', p.relation || '_is_seen_by_the_engine', p.relation || '_is_seen_by_all',
            p.relation || '_is_written_by_the_engine', 'legal_basis_is_extended_by_the_installer')) as ok,
       'critical' as severity,
       'no policy that this schema does not know' as detail,
       'Drop the policies that the migration did not create.' as remediation
