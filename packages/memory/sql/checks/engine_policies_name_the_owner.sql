-- The cascade runs as the owner. If the owner''s policy is for somebody else, it silently skips rows.
select 'engine_policies_name_the_owner' as check_name, (select count(*) = 16 from pg_catalog.pg_policy p join pg_catalog.pg_class c on c.oid = p.polrelid where c.relnamespace = 'demystify_memory'::regnamespace and p.polname = c.relname || '_is_seen_by_the_engine' and p.polroles = array[c.relowner] and pg_get_expr(p.polqual, p.polrelid) = 'true') as ok, 'critical' as severity,
       'the engine policy of every tenant table is for its owner' as detail,
       'Run the migration again as the role that installed it.' as remediation
