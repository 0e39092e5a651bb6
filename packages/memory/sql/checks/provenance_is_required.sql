-- A derived row without a source could never be found by an erasure.
select 'provenance_is_required' as check_name, (select count(*) = 1 from pg_catalog.pg_constraint k where k.conname = 'derived_requires_provenance' and k.conrelid = to_regclass('demystify_memory.derived') and k.convalidated and pg_get_constraintdef(k.oid) like '%((cardinality(source_memories) + cardinality(source_derived)) > 0)%') as ok, 'critical' as severity,
       'the constraint derived_requires_provenance is there and validated' as detail,
       'Run the migration again; if the constraint was dropped, look for derived rows without sources first.' as remediation
