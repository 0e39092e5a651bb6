-- The installation checks itself: every row ok on any healthy installation. One check is one file of sql/checks.
create or replace function demystify_memory.verify_install()
returns table (check_name text, ok boolean, severity text, detail text, remediation text)
language sql stable security definer  -- the checks read what the caller may not
set search_path = ''
set jit = off
as $verify$
-- @include checks
$verify$;
comment on function demystify_memory.verify_install is 'Every rule this schema relies on, and whether it stands. All rows are ok on a healthy installation.';

create or replace function demystify_memory.capabilities() returns text
language sql stable security definer  -- reads the version table for callers that hold no right on it
set search_path = ''
as $$
  select json_build_object(
    'vector', demystify_memory.vector_schema() is not null,
    'version', (select max(m.version) from demystify_memory.schema_migration m))::text
$$;
comment on function demystify_memory.capabilities is 'What this installation can do: pgvector or not, and the schema version.';
