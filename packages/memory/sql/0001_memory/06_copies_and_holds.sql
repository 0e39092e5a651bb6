-- Copies outside these tables, restrictions and legal holds.

create table if not exists demystify_memory.sink (
  tenant_key      text        not null,
  sink            text        not null,
  required_proof  text        not null default 'unfindable',
  registered      text        not null default 'automatic',
  registered_at   timestamptz not null default clock_timestamp(),

  primary key (tenant_key, sink),
  constraint sink_is_a_code check (sink ~ '^[a-z][a-z0-9_.:-]{0,63}$' and sink !~ '[0-9]{5}'),
  constraint sink_proof_is_at_least_a_read_back check (required_proof in ('absent', 'unfindable', 'purged')),
  constraint sink_registered_is_known check (registered in ('explicit', 'automatic'))
);
comment on table demystify_memory.sink is 'Where copies go, and how strong a proof of their absence must be.';

create table if not exists demystify_memory.placement (
  tenant_key       text        not null,
  placement_id     uuid        not null default demystify_memory.uuid_v7(),
  sink             text        not null,
  ref              text,
  kind             text        not null,
  source_memories  uuid[]      not null default '{}',
  source_derived   uuid[]      not null default '{}',
  subject_hashes   text[]      not null default '{}',
  write_deadline   timestamptz,
  created_at       timestamptz not null default clock_timestamp(),

  primary key (tenant_key, placement_id),
  constraint placement_requires_provenance check (cardinality(source_memories) + cardinality(source_derived) > 0),
  constraint placement_kind_is_a_code check (kind ~ '^[a-z][a-z0-9_.:-]{0,63}$' and kind !~ '[0-9]{5}'),
  constraint placement_sink_is_registered foreign key (tenant_key, sink) references demystify_memory.sink (tenant_key, sink)
);
comment on table demystify_memory.placement is
  'The record, made before the copy, that content went to a sink. The only handle to that copy.';
comment on column demystify_memory.placement.ref is
  'Where in the sink. It may itself be personal: it is only here, and goes when destruction is confirmed.';
alter table demystify_memory.placement
  alter column ref set statistics 0,
  alter column source_memories set statistics 0,
  alter column source_derived set statistics 0,
  alter column subject_hashes set statistics 0;
create index if not exists placement_by_source_memory on demystify_memory.placement using gin (source_memories) with (fastupdate = off);
create index if not exists placement_by_source_derived on demystify_memory.placement using gin (source_derived) with (fastupdate = off);

create table if not exists demystify_memory.restriction (
  tenant_key      text        not null,
  restriction_id  uuid        not null default demystify_memory.uuid_v7(),
  lifts           uuid,
  scope           text        not null,
  subject_hash    text,
  memory_ids      uuid[]      not null default '{}',
  basis           text        not null,
  at              timestamptz not null default clock_timestamp(),

  primary key (tenant_key, restriction_id),
  constraint restriction_scope_is_known check (scope in ('subject', 'memories')),
  constraint restriction_has_no_raw_identifier check (subject_hash ~ '^[0-9a-f]{64}$'),
  constraint restriction_basis_is_a_code check (basis in (
    'gdpr_18_1_a', 'gdpr_18_1_b', 'gdpr_18_1_c', 'gdpr_18_1_d', 'retention_floor', 'operator'))
);
comment on table demystify_memory.restriction is
  'Content kept but hidden from every read (GDPR Art. 18). Append-only; lifting is a second row. Never called forgotten.';

create table if not exists demystify_memory.legal_hold (
  tenant_key    text        not null,
  hold_id       uuid        not null default demystify_memory.uuid_v7(),
  releases      uuid,
  subject_hash  text        not null,
  code          text        not null,
  until         timestamptz,
  at            timestamptz not null default clock_timestamp(),

  primary key (tenant_key, hold_id),
  constraint legal_hold_has_no_raw_identifier check (subject_hash ~ '^[0-9a-f]{64}$'),
  constraint legal_hold_code_is_known check (code in ('litigation', 'regulatory', 'investigation', 'contract'))
);
comment on table demystify_memory.legal_hold is 'Erasure lawfully blocked. Append-only; releasing is a second row.';
