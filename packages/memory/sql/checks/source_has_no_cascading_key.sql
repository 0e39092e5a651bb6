-- A foreign key that cascades removes provenance before the cascade has read it.
select 'source_has_no_cascading_key' as check_name,
       not exists (
         select from pg_catalog.pg_constraint k
           join relations r on r.oid = k.confrelid
          where k.contype = 'f' and k.confdeltype in ('c', 'n', 'd')) as ok,
       'critical' as severity,
       'no foreign key into this schema cascades on delete' as detail,
       'Recreate it with on delete no action.' as remediation
