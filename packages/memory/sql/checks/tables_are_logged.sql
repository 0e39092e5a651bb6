-- An unlogged table is empty after a crash, tombstones included.
select 'tables_are_logged' as check_name,
       not exists (select from relations r where r.kind in ('r', 'p') and r.persistence <> 'p') as ok,
       'critical' as severity,
       'every table is logged' as detail,
       'alter table … set logged.' as remediation
