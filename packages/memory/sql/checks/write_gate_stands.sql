-- Without these what was forgotten can be written back. A stamp may be left out for the owner alone, whose functions
-- stamp a whole batch at once.
select 'write_gate_stands' as check_name,
       not exists (
         select from (values
                    ('memory', 'memory_respects_tombstones', 'gate_memory'),
                    ('derived', 'derived_sources_are_live', 'gate_sources'),
                    ('placement', 'placement_sources_are_live', 'gate_sources'),
                    ('placement', 'placement_persons_come_from_its_sources', 'stamp_placement'),
                    ('memory', 'memory_is_stamped_after_the_lock', 'stamp_memory'),
                    ('derived', 'derived_persons_come_from_its_sources', 'stamp_derived')) w(relation, name, function)
           join relations r on r.name = w.relation
          where not exists (
            select from triggers t
             where t.relation = w.relation and t.name = w.name and t.function = w.function
               and t.function_schema = 'demystify_memory'
               and t.events = array['insert']
               and (not t.conditional
                    or t.function like 'stamp%'
                       and position(format('WHEN ((CURRENT_USER <> %L', (select e.owner from engine e)) in t.definition) > 0))) as ok,
       'critical' as severity,
       'the triggers of the write gate are there' as detail,
       'Run the migration again.' as remediation
