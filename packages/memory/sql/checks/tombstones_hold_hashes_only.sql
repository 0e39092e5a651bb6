-- A raw identifier in the evidence would outlive the erasure.
select 'tombstones_hold_hashes_only' as check_name,
       exists (
         select from constraint_pins p
           join constraints k on k.relation = p.relation and k.name = p.name and k.type = p.type and k.validated
          where p.name = 'tombstone_has_no_raw_identifier'
            and regexp_replace(k.definition, '^CHECK|::(text|uuid|integer|bigint|smallint)(\[\])?|[\s()]', '', 'g') = p.definition) as ok,
       'critical' as severity,
       'subject_hash of a tombstone is checked to be a hash' as detail,
       'Add the constraint again; a value that violates it is a raw identifier and must be erased by hand.' as remediation
