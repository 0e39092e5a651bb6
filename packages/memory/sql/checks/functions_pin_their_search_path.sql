-- A definer function with the caller's search_path runs the caller's code.
select 'functions_pin_their_search_path' as check_name,
       not exists (select from routines f where f.kind <> 'p' and not f.settings @> array['search_path=""']) as ok,
       'critical' as severity,
       'every function pins an empty search_path' as detail,
       'Run the migration again.' as remediation
