-- What a later migration creates must not be open to anybody by default. Functions are, to PUBLIC, unless that is taken
-- back.
select 'default_privileges_give_nothing' as check_name,
       not exists (
           select from pg_catalog.pg_default_acl d, aclexplode(d.defaclacl) a
            where (d.defaclnamespace = 'demystify_memory'::regnamespace
                   or d.defaclnamespace = 0 and pg_get_userbyid(d.defaclrole) = (select e.owner from engine e))
              and a.grantee <> d.defaclrole)
         and (exists (select from engine e where e.owner = e.installer)
              or exists (select from pg_catalog.pg_default_acl d
                          where d.defaclnamespace = 0 and d.defaclobjtype = 'f'
                            and pg_get_userbyid(d.defaclrole) = (select e.owner from engine e))) as ok,
       'critical' as severity,
       'default privileges open nothing in this schema' as detail,
       'Take them back with alter default privileges … revoke …; or run the migration again.' as remediation
