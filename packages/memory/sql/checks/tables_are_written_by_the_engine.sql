-- Every write goes through a function that checks it. A host's own job may insert and delete memories and derived rows:
-- triggers see to those.
select 'tables_are_written_by_the_engine' as check_name,
       not exists (
         select from grants g
          where g.object in ('relation', 'column') and g.privilege in ('insert', 'update', 'delete') and g.grantee <> 'public'
            and not (g.name in ('memory', 'derived') and g.privilege in ('insert', 'delete'))
            and not (g.name = 'legal_basis' and g.privilege = 'insert')) as ok,
       'critical' as severity,
       'no role may write evidence, settings or work lists directly' as detail,
       'revoke insert, update, delete on … from …' as remediation
