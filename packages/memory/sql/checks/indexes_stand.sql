-- Unique indexes keep a request, a release and a copy from counting twice; the others keep an erasure from reading
-- everything.
select 'indexes_stand' as check_name,
       not exists (
         select from index_pins p
           join relations r on r.name = p.relation
          where not exists (
            select from indexes i
             where i.relation = p.relation and i.name = p.name and i.method = p.method and i.is_unique = p.is_unique and i.valid)) as ok,
       'critical' as severity,
       'every index is there and valid' as detail,
       'Run the migration again; rebuild an invalid one with reindex.' as remediation
