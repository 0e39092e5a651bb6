-- A raw identifier in the evidence would outlive the erasure.
select 'tombstones_hold_hashes_only' as check_name, (select count(*) = 1 from pg_catalog.pg_constraint k where k.conname = 'tombstone_has_no_raw_identifier' and k.conrelid = to_regclass('demystify_memory.tombstone') and k.convalidated and pg_get_constraintdef(k.oid) like '%^[0-9a-f]{64}$%') as ok, 'critical' as severity,
       'subject_hash of a tombstone is checked to be a hash' as detail,
       'Add the constraint again; a value that violates it is a raw identifier and must be erased by hand.' as remediation
