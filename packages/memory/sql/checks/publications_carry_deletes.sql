-- A publication without deletes leaves erased rows on the subscriber.
select 'publications_carry_deletes' as check_name,
       not exists (
         select from pg_catalog.pg_publication_tables t
           join pg_catalog.pg_publication p on p.pubname = t.pubname
          where t.schemaname = 'demystify_memory' and not (p.pubdelete and p.pubtruncate)) as ok,
       'critical' as severity,
       'every publication of these tables carries deletes and truncates' as detail,
       'alter publication … set (publish = …) with delete and truncate in the list.' as remediation
