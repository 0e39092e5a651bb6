-- A delete that a filter does not let through leaves the row on the subscriber.
select 'publications_have_no_row_filter' as check_name,
       not exists (
         select from pg_catalog.pg_publication_rel p
           join relations r on r.oid = p.prrelid
          where p.prqual is not null) as ok,
       'critical' as severity,
       'no publication filters the rows of these tables' as detail,
       'alter publication … set table … without where.' as remediation
