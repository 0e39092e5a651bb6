-- An UPDATE of text destroys without a tombstone; one of a key hides a row from its erasure.
select 'payload_is_immutable' as check_name, (select count(*) = 2 from pg_catalog.pg_trigger t join pg_catalog.pg_class c on c.oid = t.tgrelid join pg_catalog.pg_proc f on f.oid = t.tgfoid and f.pronamespace = c.relnamespace where c.relnamespace = 'demystify_memory'::regnamespace and t.tgname in ('memory_payload_is_immutable', 'derived_payload_is_immutable') and (t.tgtype & 16) = 16 and t.tgqual is null and t.tgattr::text = '' and f.proname = 'refuse_payload_change') as ok, 'critical' as severity,
       'updates of text, sources and identity are refused' as detail,
       'Run the migration again.' as remediation
