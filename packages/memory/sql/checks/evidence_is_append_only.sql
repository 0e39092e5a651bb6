-- Evidence that can be edited is not evidence. The trigger names every column, so that none can be rewritten by a
-- change of its type either.
select 'evidence_is_append_only' as check_name,
       not exists (
         select from unnest(array['tombstone', 'tombstone_item', 'erasure_event', 'restriction', 'legal_hold', 'legal_hold_refusal',
                                  'schema_migration']) w(relation)
           join relations r on r.name = w.relation
          where not exists (
            select from triggers t
             where t.relation = w.relation and t.name = w.relation || '_is_append_only' and t.function = 'refuse_change'
               and t.function_schema = 'demystify_memory' and t.timing = 'before' and t.level = 'statement'
               and t.events = array['delete', 'update', 'truncate'] and not t.conditional
               and t.columns @> array(select p.name from column_pins p where p.relation = w.relation))) as ok,
       'critical' as severity,
       'evidence tables refuse update, delete and truncate' as detail,
       'Run the migration again.' as remediation
