-- A statement that names a partition fires none of its table's statement triggers, so each partition refuses them all. And
-- a partition that was taken away took its rows along, out of reach of every erasure.
select 'partitions_are_not_named' as check_name,
       not exists (
         select from pg_catalog.pg_inherits i
           join relations child on child.oid = i.inhrelid
           join relations parent on parent.oid = i.inhparent
          where child.is_partition
            and not exists (
              select from triggers t
               where t.relation = child.name and t.function = 'refuse_change' and t.function_schema = 'demystify_memory'
                 and t.timing = 'before' and t.level = 'statement' and t.columns = '{}' and not t.conditional
                 and t.events @> array['insert', 'delete', 'update', 'truncate']))
       and not exists (
         select from relations parent
          where parent.kind = 'p'
            and (select count(*) from pg_catalog.pg_inherits i where i.inhparent = parent.oid) is distinct from (
              select max(substring(pg_get_expr(c.relpartbound, c.oid) from 'modulus (\d+)')::int)
                from pg_catalog.pg_inherits i join pg_catalog.pg_class c on c.oid = i.inhrelid
               where i.inhparent = parent.oid)) as ok,
       'critical' as severity,
       'every partition is there, and refuses statements that name it' as detail,
       'Attach the partition again, then reconcile every tenant; or run the migration again.' as remediation
