-- A derived row without a source could never be found by an erasure.
select 'provenance_is_required' as check_name,
       exists (
         select from constraint_pins p
           join constraints k on k.relation = p.relation and k.name = p.name and k.type = p.type and k.validated
          where p.name = 'derived_requires_provenance'
            and regexp_replace(k.definition, '^CHECK|::(text|uuid|integer|bigint|smallint)(\[\])?|[\s()]', '', 'g') = p.definition) as ok,
       'critical' as severity,
       'the constraint derived_requires_provenance is there and validated' as detail,
       'Run the migration again; if the constraint was dropped, look for derived rows without sources first.' as remediation
