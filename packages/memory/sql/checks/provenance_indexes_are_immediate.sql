-- With a pending list a delete takes 200 times as long until the next vacuum.
select 'provenance_indexes_are_immediate' as check_name, (select count(*) = 2 from pg_catalog.pg_class c where c.relnamespace = 'demystify_memory'::regnamespace and c.relname in ('derived_by_source_memory', 'derived_by_source_derived') and c.reloptions @> array['fastupdate=off']) as ok, 'critical' as severity,
       'both GIN indexes on sources have fastupdate off' as detail,
       'alter index … set (fastupdate = off); then vacuum the table once.' as remediation
