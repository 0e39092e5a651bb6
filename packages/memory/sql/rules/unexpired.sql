-- Whether a row is not past its expiry. The argument makes no difference.
({row}.expires_at is null or {row}.expires_at > statement_timestamp())
