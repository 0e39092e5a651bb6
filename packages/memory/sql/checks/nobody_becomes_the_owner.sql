-- A member of the owning role can become it, and switch off the rules that it is held to.
select 'nobody_becomes_the_owner' as check_name,
       not exists (
         select from pg_catalog.pg_auth_members m
           join engine e on e.owner <> e.installer and pg_get_userbyid(m.roleid) = e.owner
          where coalesce((to_jsonb(m) ->> 'set_option')::boolean, true)
             or coalesce((to_jsonb(m) ->> 'inherit_option')::boolean, true)) as ok,
       'critical' as severity,
       'no role is a member of the owner of the tables' as detail,
       'revoke … from …: who migrates is a member for the length of the migration.' as remediation
