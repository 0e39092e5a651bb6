-- REPLICA IDENTITY FULL sends the erased row to every subscriber.
select 'replica_identity_is_the_key' as check_name, (select bool_and(c.relreplident = 'd') from pg_catalog.pg_class c where c.relnamespace = 'demystify_memory'::regnamespace and c.relkind in ('r', 'p')) as ok, 'critical' as severity,
       'no table publishes whole rows on delete' as detail,
       'alter table … replica identity default.' as remediation
