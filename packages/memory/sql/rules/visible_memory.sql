-- Which memories a read may show: not expired, not in an open erasure, not restricted.
({row}.expires_at is null or {row}.expires_at > statement_timestamp())
and {row}.memory_id not in (select h.id from demystify_memory.hidden_items({with}) h(id))
and {row}.subject_hash not in (select demystify_memory.restricted_subjects({with}))
and ({row}.also_hashes = '{}' or not {row}.also_hashes && array(select demystify_memory.restricted_subjects({with})))
