-- An UPDATE of text destroys without a tombstone; one of a key hides a row from its erasure.
select 'payload_is_immutable' as check_name,
       not exists (
         select from (values
                    ('memory', 'memory_payload_is_immutable', 'refuse_payload_change'),
                    ('derived', 'derived_payload_is_immutable', 'refuse_payload_change')) w(relation, name, function)
           join relations r on r.name = w.relation
          where not exists (
            select from triggers t
             where t.relation = w.relation and t.name = w.name and t.function = w.function
               and t.function_schema = 'demystify_memory'
               and t.timing = 'before' and t.level = 'row' and t.events = array['update'] and t.columns = '{}' and not t.conditional)) as ok,
       'critical' as severity,
       'updates of text, sources and identity are refused' as detail,
       'Run the migration again.' as remediation
