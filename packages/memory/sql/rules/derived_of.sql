-- The derived rows of tenant {row} with one of these persons among their ancestors, found by the index on persons alone.
select x.* from demystify_memory.derived x where x.tenant_key || '' = {row} and x.subject_hashes && {with} offset 0
