-- Which derived rows a read may show: as for memories, by the persons of all their ancestors.
({row}.expires_at is null or {row}.expires_at > statement_timestamp())
and {row}.derived_id not in (select h.id from demystify_memory.hidden_items({with}) h(id))
and not {row}.subject_hashes && array(select demystify_memory.restricted_subjects({with}))
