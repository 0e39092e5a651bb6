-- The cascade runs as the owner. If the owner's policy is for somebody else, it silently skips rows.
select 'engine_policies_name_the_owner' as check_name,
       not exists (
         select from (select distinct p.relation, bool_or(p.name = 'tenant_key') as of_a_tenant from column_pins p group by 1) w
           join relations r on r.name = w.relation
          where not exists (
            select from policies p
             where p.relation = w.relation
               and p.name = w.relation || case when w.of_a_tenant then '_is_seen_by_the_engine' else '_is_written_by_the_engine' end
               and p.permissive and p.command = '*' and p.condition = 'true' and p.check_condition = 'true'
               and p.roles = (select array[e.owner] from engine e))) as ok,
       'critical' as severity,
       'the engine policy of every table is for its owner alone' as detail,
       'Run the migration again as the role that installed it.' as remediation
