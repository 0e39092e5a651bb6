-- The derived rows of tenant {row} with one of these persons among their ancestors, found by the index on persons alone.
select one.* from demystify_memory.derived one where one.tenant_key || '' = {row} and one.subject_hashes && {with} offset 0
