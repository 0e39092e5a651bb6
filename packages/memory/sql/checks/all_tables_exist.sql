-- A missing table is a missing rule: everything else here is about tables that are there.
select 'all_tables_exist' as check_name, (select count(*) = 19 from pg_catalog.pg_class c where c.relnamespace = 'demystify_memory'::regnamespace and c.relkind in ('r', 'p') and c.relname in ('subject','memory','derived','idempotency_key','tombstone','tombstone_item','erasure_event','open_erasure','sink','placement','placement_lease','restriction','restriction_in_force','legal_hold','legal_hold_refusal','subject_key','settings','schema_migration','legal_basis')) as ok, 'critical' as severity,
       'every table of the schema is there' as detail,
       'Run the migration again; if a table was dropped, restore it from backup and replay the tombstones.' as remediation
