-- TRIGGER lets a role put its own code on a table, REFERENCES makes its deletes depend on others, TRUNCATE empties it.
select 'nobody_may_attach_or_truncate' as check_name,
       not exists (
         select from grants g
          where g.object in ('relation', 'column') and g.privilege in ('trigger', 'references', 'truncate')
            and g.grantee <> 'public') as ok,
       'critical' as severity,
       'no role was granted TRIGGER, REFERENCES or TRUNCATE' as detail,
       'revoke trigger, references, truncate on … from …' as remediation
