-- The memories of tenant {row} with these ids, each looked up by the primary key. Compared with a list, the tenant's own
-- index would look cheaper to a planner without statistics, and be read as a whole.
select found.* from unnest({with}) wanted(id),
lateral (select one.* from demystify_memory.memory one where one.tenant_key = {row} and one.memory_id = wanted.id offset 0) found
