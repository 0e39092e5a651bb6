-- Whoever logs in as the owner of the tables can switch their rules off. Where the installer may not create roles, he
-- is the owner: then everything works, and this is what is weaker.
select 'owner_cannot_log_in' as check_name,
       (select e.owner = e.installer
               or not (r.rolcanlogin or r.rolsuper or r.rolbypassrls or r.rolcreaterole or r.rolreplication)
          from engine e
          join pg_catalog.pg_roles r on r.rolname = e.owner) as ok,
       case when (select e.owner = e.installer from engine e) then 'warning' else 'critical' end as severity,
       case when (select e.owner = e.installer from engine e)
            then 'weaker here: the login role that installed owns the tables, so it could switch their rules off'
            else 'nobody can log in as the owner of the tables' end as detail,
       'alter role … nologin nosuperuser nobypassrls nocreaterole noreplication; or install as a role that may create roles.' as remediation
