-- The memories of tenant {row} that are filed under one of these hashes, found by the indexes on persons alone. OFFSET 0
-- keeps further conditions out, for which the planner would read another index as a whole; in the second part the tenant is
-- an expression, so that its index cannot be taken instead of the one on further persons.
(select one.* from demystify_memory.memory one where one.tenant_key = {row} and one.subject_hash = any({with}) offset 0)
union all
(select one.* from demystify_memory.memory one
  where one.tenant_key || '' = {row} and one.also_hashes <> '{}' and one.also_hashes && {with} and one.subject_hash <> all({with}) offset 0)
