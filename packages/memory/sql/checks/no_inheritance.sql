-- A delete on the parent of an INHERITS child steps over the rules.
select 'no_inheritance' as check_name, (select count(*) = 0 from pg_catalog.pg_inherits i join pg_catalog.pg_class c on c.oid in (i.inhparent, i.inhrelid) where c.relnamespace = 'demystify_memory'::regnamespace and c.relkind = 'r' and not c.relispartition) as ok, 'critical' as severity,
       'no table inherits, or is inherited from, outside partitioning' as detail,
       'alter table … no inherit …' as remediation
