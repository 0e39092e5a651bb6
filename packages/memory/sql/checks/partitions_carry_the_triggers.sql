-- Statement triggers are not cloned to partitions: a delete on one fires nothing.
select 'partitions_carry_the_triggers' as check_name,
       not exists (
         select from pg_catalog.pg_inherits i
           join relations child on child.oid = i.inhrelid
           join relations parent on parent.oid = i.inhparent
           join triggers t on t.relation = parent.name and t.level = 'statement'
          where not exists (
            select from triggers u
             where u.relation = child.name and u.function = t.function and u.function_schema = t.function_schema
               and u.timing = t.timing and u.level = t.level and u.events = t.events and not u.conditional)) as ok,
       'critical' as severity,
       'every partition has the statement triggers of its table' as detail,
       'Create the triggers of the parent on each partition, and enable them always.' as remediation
