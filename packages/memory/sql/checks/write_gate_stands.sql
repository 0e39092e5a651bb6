-- Without these what was forgotten can be written back.
select 'write_gate_stands' as check_name, (select count(*) = 6 from pg_catalog.pg_trigger t join pg_catalog.pg_class c on c.oid = t.tgrelid where c.relnamespace = 'demystify_memory'::regnamespace and t.tgname in ('memory_respects_tombstones', 'derived_sources_are_live', 'placement_sources_are_live', 'placement_persons_come_from_its_sources', 'memory_is_stamped_after_the_lock', 'derived_persons_come_from_its_sources')) as ok, 'critical' as severity,
       'the triggers of the write gate are there' as detail,
       'Run the migration again.' as remediation
