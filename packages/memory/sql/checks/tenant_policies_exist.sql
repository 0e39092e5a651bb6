-- A table without the tenant policy denies everybody or, with another policy, shows everything.
select 'tenant_policies_exist' as check_name,
       not exists (
         select from column_pins w
           join relations r on r.name = w.relation
          where w.name = 'tenant_key' and not exists (
            select from policies p
             where p.relation = w.relation and p.name = w.relation || '_is_seen_by_its_tenant'
               and p.permissive and p.command = '*' and p.roles = array['public']
               and p.check_condition = p.condition
               and p.condition = '(tenant_key = ( SELECT NULLIF(current_setting(''app.current_tenant''::text, true), ''''::text) AS "nullif"))')) as ok,
       'critical' as severity,
       'every tenant table has its tenant policy' as detail,
       'Run the migration again: it recreates the policies.' as remediation
