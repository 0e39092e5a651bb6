-- The two views are the application's only way to the tables: what is forgotten, restricted or expired must not be in
-- them.
select 'views_hide_what_is_hidden' as check_name,
       not exists (
         select from (values ('live_memory', 'memory'), ('provenance', 'derived')) w(name, relation)
          where not exists (
                  select from relations r
                   where r.name = w.name and r.kind = 'v' and r.options @> array['security_barrier=true'])
             or (select count(*) from view_sources v
                  where v.schema = 'demystify_memory' and v.name = w.name
                    and (v.relation in ('open_erasure', 'restriction_in_force') or v.relation = w.relation and v.columns @> array['expires_at']))
                <> 3) as ok,
       'critical' as severity,
       'live_memory and provenance leave out what is hidden' as detail,
       'Run the migration again.' as remediation
