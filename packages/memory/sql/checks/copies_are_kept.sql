-- A placement is the only handle to a copy outside: deleted too early, the copy can never be found.
select 'copies_are_kept' as check_name,
       not exists (
         select from (values
                    ('placement', 'placement_is_kept_until_gone', 'guard_placement')) w(relation, name, function)
           join relations r on r.name = w.relation
          where not exists (
            select from triggers t
             where t.relation = w.relation and t.name = w.name and t.function = w.function
               and t.function_schema = 'demystify_memory'
               and t.timing = 'before' and t.level = 'row' and t.events @> array['update', 'delete'] and t.columns = '{}' and not t.conditional)) as ok,
       'critical' as severity,
       'placements cannot be deleted or changed before the copy is gone' as detail,
       'Run the migration again.' as remediation
