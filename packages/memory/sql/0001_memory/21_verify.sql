-- The installation checks itself: every row ok on any healthy installation. One check is one file of sql/checks.
--
-- The pins are what this text installs, read from it by the build; the parts after them are what is there, one query of
-- sql/introspection each. Whoever can replace this very function can make it say anything: its own text is compared
-- from outside, with the file it came from.
create or replace function demystify_memory.verify_install()
returns table (check_name text, ok boolean, severity text, detail text, remediation text)
language sql stable security definer  -- the checks read what the caller may not
set search_path = ''
set jit = off
as $verify$
with routine_pins (name, kind, language, volatility, definer, settings, body, granted) as (values
  {{pins routines}}
), column_pins (relation, name, type, required, generated) as (values
  {{pins columns}}
), constraint_pins (relation, name, type, definition) as (values
  {{pins constraints}}
), index_pins (relation, name, method, is_unique) as (values
  {{pins indexes}}
),
-- @include introspection
, engine as (
  -- Who owns the tables, and who may extend legal_basis: the installer, who is the owner where he could make no role.
  select (select r.owner from relations r where r.name = 'settings') as owner,
         (select p.roles[1] from policies p where p.name = 'legal_basis_is_extended_by_the_installer') as installer
)
-- @include checks
$verify$;
comment on function demystify_memory.verify_install is 'Every rule this schema relies on, and whether it stands. All rows are ok on a healthy installation.';

create or replace function demystify_memory.capabilities() returns text
language plpgsql stable security definer  -- reads the version table for callers that hold no right on it
set search_path = ''
as $$
begin
  return json_build_object(
    'vector', demystify_memory.vector_schema() is not null,
    'version', (select max(m.version) from demystify_memory.schema_migration m))::text;
end
$$;
comment on function demystify_memory.capabilities is 'What this installation can do: pgvector or not, and the schema version.';
