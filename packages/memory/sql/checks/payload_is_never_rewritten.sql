-- ALTER COLUMN … TYPE … USING replaces a content and fires no trigger; a trigger that names the column makes it refuse.
select 'payload_is_never_rewritten' as check_name,
       not exists (
         select from unnest(array['memory', 'derived']) w(relation)
           join relations r on r.name = w.relation
          where not exists (
            select from triggers t
             where t.relation = w.relation and t.name = w.relation || '_is_never_rewritten' and t.function = 'refuse_change'
               and t.function_schema = 'demystify_memory' and t.timing = 'before' and t.level = 'statement'
               and t.events = array['update'] and not t.conditional
               and t.columns @> array(select p.name from column_pins p
                                       where p.relation = w.relation and p.name not in ('embedding', 'dimensions', 'term_hashes')))) as ok,
       'critical' as severity,
       'no column of payload or identity can be given another type' as detail,
       'Run the migration again.' as remediation
