-- A statement trigger fires for the table that is named. A delete on a parent, or on a child that inherits, steps over
-- the rules.
select 'no_inheritance' as check_name,
       not exists (
         select from pg_catalog.pg_inherits i
           join pg_catalog.pg_class child on child.oid = i.inhrelid
           join pg_catalog.pg_class parent on parent.oid = i.inhparent
          where 'demystify_memory'::regnamespace in (child.relnamespace, parent.relnamespace)
            and child.relkind not in ('i', 'I')
            and not (child.relispartition and child.relnamespace = parent.relnamespace)) as ok,
       'critical' as severity,
       'no table inherits, is inherited from, or is a partition of a table elsewhere' as detail,
       'alter table … no inherit …, or detach the partition; then reconcile every tenant.' as remediation
