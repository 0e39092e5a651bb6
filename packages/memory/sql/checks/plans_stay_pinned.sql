-- Without its settings a trigger keeps the plan of the first batch it met, and one statement may take minutes.
select 'plans_stay_pinned' as check_name,
       not exists (
         select from routines f
           join routine_pins p on p.name = f.name and p.kind = f.kind
          group by f.name, f.kind
         having not bool_or(array(select unnest(f.settings) except select 'search_path=""' order by 1)
                            = array(select unnest(p.settings::text[]) except select 'search_path=""' order by 1))) as ok,
       'critical' as severity,
       'every routine has the planner settings it was installed with' as detail,
       'Run the migration again.' as remediation
