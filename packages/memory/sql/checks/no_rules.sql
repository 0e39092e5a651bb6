-- A rule can turn a delete into nothing and still report success.
select 'no_rules' as check_name,
       not exists (
         select from pg_catalog.pg_rewrite w
           join relations r on r.oid = w.ev_class and r.kind in ('r', 'p')) as ok,
       'critical' as severity,
       'no rewrite rule on any table' as detail,
       'Drop the rule: drop rule … on demystify_memory.…' as remediation
