-- When a memory's content came to be, where a caller asks for that; one that does not say does not match.
({with}->'capturedFrom' is null or {row}.captured_at >= ({with}->>'capturedFrom')::timestamptz)
and ({with}->'capturedTo' is null or {row}.captured_at < ({with}->>'capturedTo')::timestamptz)
