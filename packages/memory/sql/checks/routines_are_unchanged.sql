-- A rule whose body was replaced is there, enabled, and does nothing.
select 'routines_are_unchanged' as check_name,
       not exists (
         select from routine_pins p
          where not exists (
            select from routines f
             where f.name = p.name and f.kind = p.kind and f.language = p.language and f.volatility = p.volatility
               and (p.body is null or f.body = p.body))) as ok,
       'critical' as severity,
       'every routine has the body it was installed with' as detail,
       'Run the migration again.' as remediation
