-- The memories of tenant {row} that are filed under one of these hashes, found by the indexes on persons alone. OFFSET 0
-- keeps further conditions out of it, for which the planner would read another index as a whole; so does the expression.
(select x.* from demystify_memory.memory x where x.tenant_key = {row} and x.subject_hash = any({with}) offset 0)
union all
(select x.* from demystify_memory.memory x
  where x.tenant_key || '' = {row} and x.also_hashes <> '{}' and x.also_hashes && {with} and x.subject_hash <> all({with}) offset 0)
