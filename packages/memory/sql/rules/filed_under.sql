-- Whether a memory is filed under one of these hashes, as the main person or as a further one.
({row}.subject_hash = any({with}) or ({row}.also_hashes <> '{}' and {row}.also_hashes && {with}))
