-- A view reads with the rights of its owner, past the tenant policy and past what hides erased and restricted rows.
select 'no_foreign_views' as check_name,
       not exists (
         select from view_sources v
           join relations r on r.name = v.relation and r.kind in ('r', 'p')
          where v.kind = 'v'
            and (v.schema, v.name) not in (
              ('demystify_memory', 'live_memory'), ('demystify_memory', 'provenance'), ('demystify_memory', 'erasure_state'))) as ok,
       'critical' as severity,
       'no view but those of this schema is built on its tables' as detail,
       'Build it on live_memory or provenance instead.' as remediation
