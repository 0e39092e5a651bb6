-- A foreign key that cascades removes provenance before the cascade has read it.
select 'source_has_no_cascading_key' as check_name, (select count(*) = 0 from pg_catalog.pg_constraint k join pg_catalog.pg_class c on c.oid = k.confrelid where c.relnamespace = 'demystify_memory'::regnamespace and k.contype = 'f' and k.confdeltype in ('c', 'n', 'd')) as ok, 'critical' as severity,
       'no foreign key into this schema cascades on delete' as detail,
       'Recreate it with on delete no action.' as remediation
