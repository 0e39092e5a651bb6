-- An UPDATE of text destroys without a tombstone; one of a key hides a row from its erasure.
select 'payload_is_immutable' as check_name, (select count(*) = 2 from pg_catalog.pg_trigger t join pg_catalog.pg_class c on c.oid = t.tgrelid where c.relnamespace = 'demystify_memory'::regnamespace and t.tgname in ('memory_payload_is_immutable', 'derived_payload_is_immutable') and (t.tgtype & 16) = 16) as ok, 'critical' as severity,
       'updates of text, sources and identity are refused' as detail,
       'Run the migration again.' as remediation
