-- A routine in this schema is trusted as one of its own: a trigger may call it, and it may be definer.
select 'no_foreign_routines' as check_name,
       not exists (
         select from (select f.name, f.kind, count(*) as n from routines f group by 1, 2) f
          where f.n > (select count(*) from routine_pins p where p.name = f.name and p.kind = f.kind)) as ok,
       'critical' as severity,
       'no routine that this schema does not know' as detail,
       'Move it to a schema of your own: alter routine … set schema …' as remediation
