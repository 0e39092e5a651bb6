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
  fingerprint      text,
  write_deadline   timestamptz,
  written_at       timestamptz,
  gone_at          timestamptz,
  created_at       timestamptz not null default clock_timestamp(),

  primary key (tenant_key, placement_id),
  constraint placement_requires_provenance check (cardinality(source_memories) + cardinality(source_derived) > 0),
  constraint placement_has_at_most_4096_sources check (cardinality(source_memories) + cardinality(source_derived) <= 4096),
  constraint placement_fingerprint_is_a_hash check (fingerprint ~ '^[0-9a-f]{64}$'),
  constraint placement_kind_is_a_code check (kind ~ '^[a-z][a-z0-9_.:-]{0,63}$' and kind !~ '[0-9]{5}'),
  constraint placement_sink_is_registered foreign key (tenant_key, sink) references demystify_memory.sink (tenant_key, sink)
);
comment on table demystify_memory.placement is
  'The record, made before the copy, that content went to a sink. The only handle to that copy.';
comment on column demystify_memory.placement.ref is
  'Where in the sink. It may itself be personal: it is only here, and goes when destruction is confirmed.';
comment on column demystify_memory.placement.fingerprint is
  'A keyed hash over sink, ref, kind and sources, so that the same copy recorded twice is one. Goes with the ref.';
comment on column demystify_memory.placement.write_deadline is
  'Until then a confirmation is refused, unless the writer has reported: a slow writer may write after the read-back.';
comment on column demystify_memory.placement.gone_at is 'Set when the copy is confirmed, attested or was never made.';
alter table demystify_memory.placement
  alter column ref set statistics 0,
  alter column fingerprint set statistics 0,
  alter column source_memories set statistics 0,
  alter column source_derived set statistics 0,
  alter column subject_hashes set statistics 0;
create index if not exists placement_by_source_memory on demystify_memory.placement using gin (source_memories) with (fastupdate = off);
create index if not exists placement_by_source_derived on demystify_memory.placement using gin (source_derived) with (fastupdate = off);

create index if not exists placement_by_subject on demystify_memory.placement using gin (subject_hashes) with (fastupdate = off);
create unique index if not exists placement_by_fingerprint on demystify_memory.placement (tenant_key, fingerprint)
  where fingerprint is not null;

-- Not evidence: who is working on which copy right now.
create table if not exists demystify_memory.placement_lease (
  tenant_key    text        not null,
  tombstone_id  uuid        not null,
  placement_id  uuid        not null,
  owner         text        not null,
  leased_until  timestamptz not null,
  idle          boolean     not null default false,

  primary key (tenant_key, tombstone_id, placement_id),
  constraint placement_lease_owner_is_a_code check (owner ~ '^[a-z][a-z0-9_.:-]{0,63}$' and owner !~ '[0-9]{5}')
);
comment on table demystify_memory.placement_lease is 'Which worker has taken an outstanding copy, and until when. Mutable.';
comment on column demystify_memory.placement_lease.idle is
  'Nobody is at the copy: it is only kept until it is due again, and whoever was told to try at once may take it.';

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
create unique index if not exists restriction_lifts on demystify_memory.restriction (tenant_key, lifts) where lifts is not null;
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
create unique index if not exists legal_hold_releases on demystify_memory.legal_hold (tenant_key, releases) where releases is not null;
comment on table demystify_memory.legal_hold is 'Erasure lawfully blocked. Append-only; releasing is a second row.';

create table if not exists demystify_memory.legal_hold_refusal (
  tenant_key  text        not null,
  hold_id     uuid        not null,
  refusal_id  uuid        not null default demystify_memory.uuid_v7(),
  at          timestamptz not null default clock_timestamp(),

  primary key (tenant_key, hold_id, refusal_id)
);
comment on table demystify_memory.legal_hold_refusal is 'Erasures that a hold refused. Append-only.';

-- Not evidence: the restrictions that apply now, so that reads hide what they cover. A row goes when one is lifted.
create table if not exists demystify_memory.restriction_in_force (
  tenant_key      text   not null,
  restriction_id  uuid   not null,
  person_id       uuid,
  item_ids        uuid[] not null default '{}',

  primary key (tenant_key, restriction_id)
);
comment on table demystify_memory.restriction_in_force is 'What active restrictions hide: a whole person, or single rows. Mutable.';

-- Which pepper keys have been used in a tenant. Whoever lacks one of them must not certify that there is nothing.
create table if not exists demystify_memory.subject_key (
  tenant_key   text not null,
  key_id       text not null,
  check_value  text,

  primary key (tenant_key, key_id),
  constraint subject_key_check_is_a_hash check (check_value ~ '^[0-9a-f]{64}$')
);
comment on table demystify_memory.subject_key is
  'The ids of the pepper keys in use (empty: unkeyed), each with a value that tells whether a secret is the right one.';
