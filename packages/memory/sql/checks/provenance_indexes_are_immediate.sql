-- With a pending list a delete takes 200 times as long until the next vacuum.
select 'provenance_indexes_are_immediate' as check_name,
       not exists (select from indexes i where i.method = 'gin' and not i.options @> array['fastupdate=off']) as ok,
       'critical' as severity,
       'every GIN index has fastupdate off' as detail,
       'alter index … set (fastupdate = off); then vacuum the table once.' as remediation
