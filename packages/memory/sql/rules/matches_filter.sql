-- What a caller narrows a recall or a list down to: kinds, metadata, and when a row was stored.
({with}->'kinds' is null or {row}.kind = any(array(select jsonb_array_elements_text({with}->'kinds'))))
and ({with}->'metadata' is null or {row}.metadata @> ({with}->'metadata'))
and ({with}->'where' is null or demystify_memory.metadata_matches({row}.metadata, {with}->'where'))
and ({with}->'createdFrom' is null or {row}.created_at >= ({with}->>'createdFrom')::timestamptz)
and ({with}->'createdTo' is null or {row}.created_at < ({with}->>'createdTo')::timestamptz)
