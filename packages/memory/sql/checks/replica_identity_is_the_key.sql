-- REPLICA IDENTITY FULL sends the erased row to every subscriber.
select 'replica_identity_is_the_key' as check_name,
       not exists (select from relations r where r.kind in ('r', 'p') and r.replica_identity <> 'd') as ok,
       'critical' as severity,
       'no table publishes whole rows on delete' as detail,
       'alter table … replica identity default.' as remediation
