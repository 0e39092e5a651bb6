-- The engine policy of a table is for its owner: of two owners, each sees half of the graph.
select 'tables_have_one_owner' as check_name,
       not exists (select from relations r where r.owner <> (select e.owner from engine e)) as ok,
       'critical' as severity,
       'every table and view belongs to the same role' as detail,
       'alter table … owner to … the owner of the others.' as remediation
