-- A table made a partition or child of another is deleted from without its own statement triggers. A row trigger with a
-- transition table makes Postgres refuse to attach it.
select 'tables_join_no_hierarchy' as check_name,
       not exists (
         select from (values
                    ('memory', 'memory_joins_no_hierarchy', 'refuse_change'),
                    ('derived', 'derived_joins_no_hierarchy', 'refuse_change')) w(relation, name, function)
           join relations r on r.name = w.relation and r.kind = 'r'
          where not exists (
            select from triggers t
             where t.relation = w.relation and t.name = w.name and t.function = w.function
               and t.function_schema = 'demystify_memory'
               and t.timing = 'after' and t.level = 'row' and t.definition like '%REFERENCING OLD TABLE AS %')) as ok,
       'critical' as severity,
       'memory and derived cannot be attached to another table' as detail,
       'Run the migration again.' as remediation
