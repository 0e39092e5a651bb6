-- Evidence: what an erasure leaves behind. Inserted, never updated; ids, counts and codes, never content.

create table if not exists demystify_memory.tombstone (
  tenant_key          text        not null,
  tombstone_id        uuid        not null default demystify_memory.uuid_v7(),
  scope               text        not null,
  subject_hash        text,
  subject_key_id      text,
  reason              text        not null,
  legal_basis         text        not null default 'unspecified',
  origin              text        not null,
  requested_by_role   text        not null default 'unspecified',
  requested_by_hash   text,
  request_hash        text,
  planned_memories    int         not null default 0,
  planned_derived     int         not null default 0,
  planned_edges       int         not null default 0,
  planned_placements  int         not null default 0,
  cascade_depth       int         not null default 0,
  other_subjects      int         not null default 0,
  already_erased      int         not null default 0,
  never_seen          int         not null default 0,
  matched             boolean     not null,
  closure_known       boolean     not null default true,
  replays             uuid,
  replays_opened_at   timestamptz,
  opened_at           timestamptz not null default clock_timestamp(),
  opened_xid          xid8        not null default pg_current_xact_id(),

  primary key (tenant_key, tombstone_id),
  constraint tombstone_has_no_raw_identifier check (subject_hash ~ '^[0-9a-f]{64}$'),
  constraint tombstone_key_id_is_a_code check (subject_key_id ~ '^[a-z][a-z0-9_.:-]{0,63}$'),
  constraint tombstone_scope_is_known check (scope in ('subject', 'memories', 'derived')),
  constraint tombstone_of_a_subject_names_it check (scope <> 'subject' or subject_hash is not null),
  constraint tombstone_reason_is_a_code check (reason in ('subject_request', 'retention_policy', 'operator')),
  constraint tombstone_origin_is_a_code
    check (origin in ('forget', 'direct_delete', 'expiry', 'correction', 'replay', 'late_write')),
  constraint tombstone_requester_is_a_role
    check (requested_by_role in ('data_principal', 'controller', 'operator', 'system', 'unspecified')),
  constraint tombstone_requester_is_a_hash check (requested_by_hash ~ '^[0-9a-f]{64}$'),
  constraint tombstone_request_is_a_hash check (request_hash ~ '^[0-9a-f]{64}$'),
  constraint tombstone_legal_basis_is_known foreign key (legal_basis) references demystify_memory.legal_basis (code)
);
comment on table demystify_memory.tombstone is
  'Append-only evidence that an erasure was opened. It is not a soft-delete flag: it outlives what it covers.';
comment on column demystify_memory.tombstone.opened_xid is
  'The top-level transaction that opened it. Only a later transaction may destroy what it covers.';
comment on column demystify_memory.tombstone.replays is
  'The tombstone of an earlier database that this one carries out again after a restore, and when that was opened.';
comment on column demystify_memory.tombstone.matched is 'false: we looked and found nothing.';

create index if not exists tombstone_by_subject on demystify_memory.tombstone (subject_hash, tenant_key, opened_at);
create index if not exists tombstone_by_transaction on demystify_memory.tombstone (opened_xid);
create index if not exists tombstone_by_replayed on demystify_memory.tombstone (tenant_key, replays) where replays is not null;
create unique index if not exists tombstone_by_request on demystify_memory.tombstone (tenant_key, request_hash)
  where request_hash is not null;

create table if not exists demystify_memory.tombstone_item (
  tenant_key          text     not null,
  item_id             uuid     not null,
  tombstone_id        uuid     not null,
  kind                text     not null,
  depth               smallint not null default 0,
  content_tags        text[]   not null default '{}',
  derived_kind        text,
  surviving_memories  uuid[],
  surviving_derived   uuid[],

  primary key (tenant_key, item_id, tombstone_id),
  constraint tombstone_item_kind_is_known check (kind in ('memory', 'derived', 'placement')),
  constraint tombstone_item_derived_kind_is_a_code
    check (derived_kind ~ '^[a-z][a-z0-9_.:-]{0,63}$' and derived_kind !~ '[0-9]{5}')
);
comment on table demystify_memory.tombstone_item is
  'One row per erased memory, derived row and placement. No foreign key: its trigger checks a whole statement at once.';
comment on column demystify_memory.tombstone_item.content_tags is
  'Keyed tags of the erased text, empty without a pepper: they tell when the same text comes back.';
comment on column demystify_memory.tombstone_item.surviving_memories is
  'Of an over-erased derived row: the direct sources that the erasure left, so that it can be derived again.';
alter table demystify_memory.tombstone_item alter column content_tags set statistics 0;
create index if not exists tombstone_item_rebuildable on demystify_memory.tombstone_item (tenant_key, tombstone_id)
  where derived_kind is not null;
create index if not exists tombstone_item_by_content on demystify_memory.tombstone_item using gin (content_tags)
  with (fastupdate = off) where content_tags <> '{}';
create index if not exists tombstone_item_placements on demystify_memory.tombstone_item (tenant_key, tombstone_id)
  where kind = 'placement';

create table if not exists demystify_memory.erasure_event (
  tenant_key     text        not null,
  tombstone_id   uuid        not null,
  event_id       uuid        not null default demystify_memory.uuid_v7(),
  event          text        not null,
  memories       int         not null default 0,
  derived        int         not null default 0,
  edges          int         not null default 0,
  depth          int         not null default 0,
  placement_id   uuid,
  proof          text,
  code           text,
  actor          text,
  reference      text,
  request_hash   text,
  at             timestamptz not null default clock_timestamp(),

  primary key (tenant_key, tombstone_id, event_id),
  constraint erasure_event_is_known check (event in (
    'rows_destroyed', 'destroyed', 'completed', 'escalated', 'attempt', 'confirmed', 'attested', 'closure_attested',
    'late_write', 'joined')),
  constraint erasure_event_proof_is_known
    check (proof in ('requested', 'acknowledged', 'absent', 'unfindable', 'purged')),
  constraint erasure_event_code_is_a_code check (code ~ '^[a-z][a-z_]{0,63}$'),
  constraint erasure_event_actor_is_a_code check (actor ~ '^[a-z][a-z0-9_.:-]{0,63}$' and actor !~ '[0-9]{5}'),
  constraint erasure_event_request_is_a_hash check (request_hash ~ '^[0-9a-f]{64}$'),
  constraint erasure_event_reference_is_a_ticket check (reference ~ '^[A-Z]{2,8}-[0-9]{1,8}$')
);
comment on table demystify_memory.erasure_event is
  'What happened to an erasure after it was opened. Its state is computed from these rows.';

create unique index if not exists erasure_event_by_request on demystify_memory.erasure_event (tenant_key, request_hash)
  where request_hash is not null;

-- Not evidence: a work list of what is open, so that reads hide it. A row is here from opened to destroyed.
create table if not exists demystify_memory.open_erasure (
  tenant_key    text   not null,
  tombstone_id  uuid   not null,
  memory_ids    uuid[] not null,
  derived_ids   uuid[] not null,
  subject_hashes  text[] not null,
  destroyed_derived   int not null default 0,
  destroyed_memories  int not null default 0,

  primary key (tenant_key, tombstone_id)
);
comment on table demystify_memory.open_erasure is
  'The rows an open erasure hides and has yet to destroy, derived rows deepest first. Mutable; never used as evidence.';
comment on column demystify_memory.open_erasure.subject_hashes is
  'Everybody these rows are about, so that whoever destroys them locks the persons first.';
alter table demystify_memory.open_erasure alter column subject_hashes set statistics 0;
