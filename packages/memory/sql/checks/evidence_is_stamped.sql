-- A tombstone with a forged transaction or time, or an item added after the fact, would cover what nobody erased.
select 'evidence_is_stamped' as check_name,
       not exists (
         select from (values
                    ('tombstone', 'tombstone_is_stamped_by_the_database', 'check_tombstones'),
                    ('tombstone_item', 'tombstone_item_has_an_open_tombstone', 'check_tombstone_items')) w(relation, name, function)
           join relations r on r.name = w.relation
          where not exists (
            select from triggers t
             where t.relation = w.relation and t.name = w.name and t.function = w.function
               and t.function_schema = 'demystify_memory'
               and t.timing = 'after' and t.level = 'statement' and t.events = array['insert'] and not t.conditional)) as ok,
       'critical' as severity,
       'tombstones and items are checked when they are inserted' as detail,
       'Run the migration again.' as remediation
