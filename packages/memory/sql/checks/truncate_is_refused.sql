-- TRUNCATE fires no delete trigger: nothing is recorded, nothing derived is reached.
select 'truncate_is_refused' as check_name,
       not exists (
         select from (select distinct p.relation from column_pins p) w
           join relations r on r.name = w.relation
          where w.relation not in ('tombstone', 'tombstone_item', 'erasure_event', 'restriction', 'legal_hold', 'legal_hold_refusal',
                                   'schema_migration')  -- these refuse every change, in a check of its own
            and not exists (
              select from triggers t
               where t.relation = w.relation and t.name = w.relation || '_is_never_truncated' and t.function = 'refuse_change'
                 and t.function_schema = 'demystify_memory' and t.timing = 'before' and t.events = array['truncate']
                 and not t.conditional)) as ok,
       'critical' as severity,
       'every table refuses truncate' as detail,
       'Run the migration again.' as remediation
