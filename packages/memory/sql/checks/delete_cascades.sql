-- Without these a deleted memory leaves its summaries behind.
select 'delete_cascades' as check_name,
       not exists (
         select from (values
                    ('memory', 'memory_delete_1_is_recorded', 'record_memory_delete'),
                    ('memory', 'memory_delete_2_reaches_derived', 'reach_derived'),
                    ('memory', 'memory_delete_3_is_settled', 'settle_direct_delete'),
                    ('derived', 'derived_delete_1_is_recorded', 'record_derived_delete'),
                    ('derived', 'derived_delete_2_reaches_derived', 'reach_derived'),
                    ('derived', 'derived_delete_3_is_settled', 'settle_direct_delete')) w(relation, name, function)
           join relations r on r.name = w.relation
          where not exists (
            select from triggers t
             where t.relation = w.relation and t.name = w.name and t.function = w.function
               and t.function_schema = 'demystify_memory'
               and t.timing = 'after' and t.level = 'statement' and t.events = array['delete'] and not t.conditional)) as ok,
       'critical' as severity,
       'the delete triggers of memory and derived are there' as detail,
       'Run the migration again.' as remediation
