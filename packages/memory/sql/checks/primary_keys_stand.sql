-- Every look-up by id, of a row or of the evidence that covers it, goes by the primary key, tenant first.
select 'primary_keys_stand' as check_name,
       not exists (
         select from (select p.relation, bool_or(p.name = 'tenant_key') as of_a_tenant from column_pins p group by 1) w
           join relations r on r.name = w.relation
          where not exists (
            select from constraints k
             where k.relation = w.relation and k.type = 'p'
               and (not w.of_a_tenant or k.definition like 'PRIMARY KEY (tenant_key,%'))) as ok,
       'critical' as severity,
       'every table has its primary key' as detail,
       'Add the primary key of the migration again, after looking for duplicates.' as remediation
