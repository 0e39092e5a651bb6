-- What is installed, and the two install-wide choices an owner has.

create table if not exists demystify_memory.schema_migration (
  version     int         not null primary key,
  name        text        not null,
  applied_at  timestamptz not null default clock_timestamp()
);
comment on table demystify_memory.schema_migration is 'Which migrations ran. The library refuses an older or newer schema.';

create table if not exists demystify_memory.settings (
  only_row       boolean not null primary key default true,
  direct_delete  text    not null default 'record',
  tenant_scope   text    not null default 'per-call',

  constraint settings_is_one_row check (only_row),
  constraint direct_delete_is_known check (direct_delete in ('record', 'refuse')),
  constraint tenant_scope_is_known check (tenant_scope in ('per-call', 'host'))
);
comment on table demystify_memory.settings is 'Install-wide choices of the owner; change them with configure().';
comment on column demystify_memory.settings.direct_delete is
  'record: a DELETE in SQL writes its own tombstone in the same transaction. refuse: it needs one committed earlier.';
comment on column demystify_memory.settings.tenant_scope is
  'host: functions act only for the tenant that the session itself has set. per-call: for the tenant they are given.';

insert into demystify_memory.settings default values on conflict do nothing;

create table if not exists demystify_memory.legal_basis (
  code  text not null primary key,

  constraint legal_basis_is_a_code check (code ~ '^[a-z][a-z0-9_]{0,63}$' and code !~ '[0-9]{5}')
);
comment on table demystify_memory.legal_basis is
  'The grounds an erasure may name. The owner may add codes; a code is never prose and never holds a run of digits.';

insert into demystify_memory.legal_basis (code) values
  ('gdpr_17_1_a'), ('gdpr_17_1_b'), ('gdpr_17_1_c'), ('gdpr_17_1_d'), ('gdpr_17_1_e'), ('gdpr_17_1_f'),
  ('dpdp_8_7'), ('dpdp_12'), ('ccpa_1798_105'), ('contract_end'), ('unspecified')
on conflict do nothing;
