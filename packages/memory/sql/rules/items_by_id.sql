-- The items of tenant {row} that cover these ids, each looked up by the primary key, as in memories_by_id.
select found.* from unnest({with}) wanted(id),
lateral (select one.* from demystify_memory.tombstone_item one where one.tenant_key = {row} and one.item_id = wanted.id offset 0) found
