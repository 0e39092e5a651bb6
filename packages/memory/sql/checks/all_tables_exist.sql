-- A missing table is a missing rule: everything else here is about tables that are there.
select 'all_tables_exist' as check_name,
       not exists (
         select from column_pins p
          where not exists (select from relations r where r.name = p.relation and r.kind in ('r', 'p'))) as ok,
       'critical' as severity,
       'every table of the schema is there' as detail,
       'Run the migration again; if a table was dropped, restore it from backup and replay the tombstones.' as remediation
