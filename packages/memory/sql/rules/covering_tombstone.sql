-- Which tombstone covers the deleted row {row} with the id {with}: that of the erasure under way (v_destroying) if it does,
-- else the first. Those of this very transaction (v_own) cover nothing.
coalesce(
  (select v_destroying where exists (
     select from demystify_memory.tombstone_item i
      where i.tenant_key = {row}.tenant_key and i.item_id = {with} and i.tombstone_id = v_destroying
        and i.tombstone_id <> all(v_own) offset 0)),
  (select i.tombstone_id
     from demystify_memory.tombstone_item i
    where i.tenant_key = {row}.tenant_key and i.item_id = {with} and i.tombstone_id <> all(v_own)
    order by i.tombstone_id
    limit 1 offset 0))
