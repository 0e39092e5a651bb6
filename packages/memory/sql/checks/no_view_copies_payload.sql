-- A materialised view keeps serving erased text.
select 'no_view_copies_payload' as check_name,
       not exists (select from view_sources v where v.kind = 'm') as ok,
       'critical' as severity,
       'no materialised view is built on these tables' as detail,
       'Drop it, or record it as a sink with placements.' as remediation
