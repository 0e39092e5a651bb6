-- A rule can turn a delete into nothing and still report success.
select 'no_rules' as check_name, (select count(*) = 0 from pg_catalog.pg_rewrite r join pg_catalog.pg_class c on c.oid = r.ev_class where c.relnamespace = 'demystify_memory'::regnamespace and c.relkind in ('r', 'p')) as ok, 'critical' as severity,
       'no rewrite rule on any table' as detail,
       'Drop the rule: drop rule … on demystify_memory.…' as remediation
