-- A materialised view keeps serving erased text.
select 'no_view_copies_payload' as check_name, (select count(*) = 0 from pg_catalog.pg_depend d join pg_catalog.pg_rewrite r on r.oid = d.objid join pg_catalog.pg_class v on v.oid = r.ev_class where d.classid = 'pg_catalog.pg_rewrite'::regclass and d.refclassid = 'pg_catalog.pg_class'::regclass and v.relkind = 'm' and d.refobjid in (select c.oid from pg_catalog.pg_class c where c.relnamespace = 'demystify_memory'::regnamespace)) as ok, 'critical' as severity,
       'no materialised view is built on these tables' as detail,
       'Drop it, or record it as a sink with placements.' as remediation
