-- A routine runs with the engine's rights only where the sources give a reason for it.
select 'definers_are_known' as check_name,
       not exists (
         select from routines f
           join routine_pins p on p.name = f.name and p.kind = f.kind
          group by f.name, f.kind
         having bool_or(f.definer) <> bool_or(p.definer) or bool_and(f.definer) <> bool_and(p.definer)) as ok,
       'critical' as severity,
       'exactly the routines that have to are SECURITY DEFINER' as detail,
       'Run the migration again.' as remediation
