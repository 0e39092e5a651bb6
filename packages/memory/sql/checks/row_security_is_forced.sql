-- Row-level security that is not forced does not hold for the owner.
select 'row_security_is_forced' as check_name,
       not exists (select from relations r where r.kind in ('r', 'p') and not (r.row_security and r.forced)) as ok,
       'critical' as severity,
       'row-level security is enabled and forced on every table' as detail,
       'alter table … enable row level security; alter table … force row level security; or run the migration again.' as remediation
