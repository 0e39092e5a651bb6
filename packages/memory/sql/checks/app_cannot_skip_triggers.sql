-- Whoever may set session_replication_role can switch off the checks of foreign keys, and triggers that are not ENABLE
-- ALWAYS. The application never has to.
select 'app_cannot_skip_triggers' as check_name,
       not exists (
         select from (select distinct g.grantee from grants g where g.object = 'routine' and g.grantee <> 'public') a
           join pg_catalog.pg_roles r on r.rolname = a.grantee and not r.rolsuper
          where a.grantee is distinct from (select e.installer from engine e)
            and pg_catalog.has_parameter_privilege(a.grantee, 'session_replication_role', 'set')) as ok,
       'critical' as severity,
       'no role that was granted this schema may set session_replication_role' as detail,
       'revoke set on parameter session_replication_role from …' as remediation
