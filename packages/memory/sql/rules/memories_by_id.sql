-- The memories of tenant {row} with these ids, each looked up by the primary key. Compared with a list, the tenant's own
-- index would look cheaper to a planner without statistics, and be read as a whole.
select f.* from unnest({with}) u(id),
lateral (select x.* from demystify_memory.memory x where x.tenant_key = {row} and x.memory_id = u.id offset 0) f
