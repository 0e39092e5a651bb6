-- A constraint that is gone, weakened or never validated lets in what the rest relies on not being there.
select 'constraints_are_unchanged' as check_name,
       not exists (
         select from constraint_pins p
           join relations r on r.name = p.relation
          where p.name not in ('derived_requires_provenance', 'tombstone_has_no_raw_identifier')  -- each a check of its own
            and not exists (
              select from constraints k
               where k.relation = p.relation and k.name = p.name and k.type = p.type and k.validated
                 and regexp_replace(k.definition, '^CHECK|::(text|uuid|integer|bigint|smallint)(\[\])?|[\s()]', '', 'g') = p.definition)) as ok,
       'critical' as severity,
       'every constraint says what it was installed with, and is validated' as detail,
       'Drop what took its place and add the constraint of the migration again; validate it.' as remediation
