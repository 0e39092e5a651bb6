-- A definer function with the caller''s search_path runs the caller''s code.
select 'functions_pin_their_search_path' as check_name, (select count(*) = 0 from pg_catalog.pg_proc f where f.pronamespace = 'demystify_memory'::regnamespace and f.prokind = 'f' and not coalesce(f.proconfig @> array['search_path=""'], false)) as ok, 'critical' as severity,
       'every function pins an empty search_path' as detail,
       'Run the migration again.' as remediation
