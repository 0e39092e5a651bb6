-- Generated from sql/0001_memory/ by scripts/build-migration.mjs. Edit the sources, then build.

-- Everything happens in one transaction: the schema is there whole, or not at all.
begin;
set local client_min_messages = warning;

-- One at a time: a second migration waits here and then finds everything in place.
do $lock$
begin
  perform pg_advisory_xact_lock(hashtextextended('demystify_memory.migration', 0));
end
$lock$;

-- The engine: the role that owns every table and function of the schema. Nobody logs in as it.
--
-- Array operators are not leakproof, so under a tenant policy alone no GIN index is ever used and a definer's cascade
-- silently skips rows. Each table therefore has one more policy, for the engine alone, that sees every tenant; the
-- functions below run as the engine and name the tenant in every statement.
--
-- Where the installer may not create roles, the installer is the engine. Everything works; what is weaker is that the
-- login role then owns the rules it is held to.
do $engine$
declare
  v_installer text := current_user;
  v_engine    text := 'demystify_memory_engine';
  v_owner     text;
  v_super     boolean := (select rolsuper from pg_catalog.pg_roles where rolname = current_user);
  v_granted   boolean := false;
begin
  if to_regnamespace('demystify_memory') is null then
    create schema demystify_memory;
  end if;

  select pg_catalog.pg_get_userbyid(c.relowner) into v_owner
    from pg_catalog.pg_class c
   where c.relname = 'settings' and c.relnamespace = 'demystify_memory'::regnamespace;

  if v_owner is not null then
    v_engine := v_owner;
  elsif not exists (select from pg_catalog.pg_roles where rolname = v_engine) then
    begin
      create role demystify_memory_engine nologin noinherit;
    exception
      when insufficient_privilege then
        v_engine := v_installer;
      when duplicate_object or unique_violation then
        -- Roles belong to the server: another database of it was migrated at the same time.
        null;
    end;
  end if;

  if v_engine <> v_installer and not v_super then
    begin
      -- Membership lasts for this transaction only; it is taken back in the last file.
      if current_setting('server_version_num')::int >= 160000 then
        execute format('grant %I to %I with inherit false, set true', v_engine, v_installer);
      else
        execute format('grant %I to %I', v_engine, v_installer);
      end if;
      v_granted := true;
    exception when insufficient_privilege then
      if v_owner is not null then
        raise exception 'the role % may not change this installation: it belongs to %', v_installer, v_owner
          using hint = 'Run the migration as the role that installed it, or as a superuser.';
      end if;
      v_engine := v_installer;
    end;
  end if;

  if v_engine <> v_installer then
    begin
      execute format('grant usage, create on schema demystify_memory to %I with grant option', v_engine);
    exception when insufficient_privilege then
      null;
    end;
    if not pg_catalog.has_schema_privilege(v_engine, 'demystify_memory', 'create') and v_owner is null then
      if v_granted then
        execute format('revoke %I from %I', v_engine, v_installer);
        v_granted := false;
      end if;
      v_engine := v_installer;
    end if;
  end if;

  perform set_config('demystify_memory.installer', v_installer, true);
  perform set_config('demystify_memory.engine', v_engine, true);
  perform set_config('demystify_memory.membership', case when v_granted then 'granted' else '' end, true);
  execute format('set local role %I', v_engine);
end
$engine$;

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

-- A time-ordered UUID (version 7, RFC 9562): never reused after a restore or across databases, so that a replayed
-- erasure cannot hit a stranger's row. Inside one millisecond the order is random.
create or replace function demystify_memory.uuid_v7() returns uuid
language plpgsql volatile parallel safe
set search_path = ''
as $$
begin
  return encode(
           set_bit(set_bit(
             overlay(uuid_send(gen_random_uuid())
                     placing substring(int8send((extract(epoch from clock_timestamp()) * 1000)::bigint) from 3)
                     from 1 for 6),
             52, 1), 53, 1),
           'hex')::uuid;
end
$$;
comment on function demystify_memory.uuid_v7() is 'A time-ordered UUID, version 7.';

-- For a store of tens of millions of rows the tables of payload can be hash-partitioned by tenant. That is chosen once,
-- by the setting demystify_memory.partitions at the first migration: a number of partitions. Without it nothing is.

-- Makes a table that has just been created, and holds nothing, a partitioned one of the same columns and constraints.
create or replace function demystify_memory.partition_by_tenant(p_table text, p_id text) returns void
language plpgsql
set search_path = ''
as $$
declare
  v_partitions int := coalesce(nullif(current_setting('demystify_memory.partitions', true), ''), '0')::int;
  v_name       text;
begin
  if v_partitions = 0
     or (select c.relkind from pg_catalog.pg_class c where c.oid = format('demystify_memory.%I', p_table)::regclass) = 'p'
     or exists (select from demystify_memory.schema_migration) then
    return;
  end if;
  if v_partitions not between 2 and 256 then
    raise exception 'partitions: must be from 2 to 256' using errcode = 'ME001';
  end if;
  v_name := p_table || '_partitioned';
  execute format(
    'create table demystify_memory.%I (like demystify_memory.%I including defaults including constraints including generated)
       partition by hash (tenant_key)', v_name, p_table);
  execute format('drop table demystify_memory.%I', p_table);
  execute format('alter table demystify_memory.%I rename to %I', v_name, p_table);
  execute format('alter table demystify_memory.%1$I add constraint %2$I primary key (tenant_key, %3$I)', p_table, p_table || '_pkey', p_id);
  for n in 0 .. v_partitions - 1 loop
    execute format('create table demystify_memory.%I partition of demystify_memory.%I for values with (modulus %s, remainder %s)',
                   p_table || '_' || n, p_table, v_partitions, n);
  end loop;
end
$$;
comment on function demystify_memory.partition_by_tenant is
  'Makes a new and empty table a hash-partitioned one, where the first migration was asked to.';

-- What is stored about people: memories, what was derived from them, and the person as a hash and a lock.

create table if not exists demystify_memory.subject (
  tenant_key      text        not null,
  subject_hash    text        not null,
  key_id          text,
  person_id       uuid        not null default demystify_memory.uuid_v7(),
  last_erased_at  timestamptz,

  primary key (tenant_key, subject_hash),
  constraint subject_is_a_hash check (subject_hash ~ '^[0-9a-f]{64}$'),
  constraint subject_key_id_is_a_code check (key_id ~ '^[a-z][a-z0-9_.:-]{0,63}$')
);
comment on table demystify_memory.subject is
  'One row per person and key: a hash and a lock, never the key itself. Writers share-lock it; opening an erasure updates it.';
comment on column demystify_memory.subject.person_id is 'Links the hashes of one person under different pepper keys.';
comment on column demystify_memory.subject.key_id is 'Which pepper key made the hash; null for a hash made without one.';
-- Not by tenant first, as the primary key is: of two indexes that begin alike a planner without statistics may take the wrong one.
create index if not exists subject_by_person on demystify_memory.subject (person_id, tenant_key);

create table if not exists demystify_memory.memory (
  tenant_key        text        not null,
  memory_id         uuid        not null default demystify_memory.uuid_v7(),
  subject_key       text,
  subject_hash      text        not null,
  also_keys         text[],
  also_hashes       text[]      not null default '{}',
  key_id            text,
  kind              text        not null default 'memory',
  text              text        not null,
  metadata          jsonb       not null default '{}',
  embedding         real[],
  dimensions        int         generated always as (cardinality(embedding)) stored,
  term_hashes       bigint[],
  content_tags      text[]      not null default '{}',
  provenance_known  boolean     not null default true,
  idempotency_hash  text,
  captured_at       timestamptz,
  expires_at        timestamptz,
  created_at        timestamptz not null default clock_timestamp(),

  primary key (tenant_key, memory_id),
  constraint memory_has_a_tenant check (tenant_key ~ '\S'),
  constraint memory_is_filed_under_a_hash check (subject_hash ~ '^[0-9a-f]{64}$'),
  constraint memory_also_hashes_are_hashes
    check (cardinality(also_hashes) <= 32 and array_to_string(also_hashes, '') ~ '^([0-9a-f]{64})*$'),
  constraint memory_kind_is_a_code check (kind ~ '^[a-z][a-z0-9_.:-]{0,63}$' and kind !~ '[0-9]{5}'),
  constraint memory_metadata_is_an_object check (jsonb_typeof(metadata) = 'object'),
  constraint memory_vector_is_not_empty check (cardinality(embedding) > 0)
);
do $partition$
begin
  perform demystify_memory.partition_by_tenant('memory', 'memory_id');
end
$partition$;
comment on table demystify_memory.memory is 'Source rows. Text, sources and identity never change; UPDATE of them is refused.';
comment on column demystify_memory.memory.subject_key is
  'The person erased by, as the host names them; null where the host keeps the hash alone.';
comment on column demystify_memory.memory.subject_hash is
  'The same person as a keyed hash: triggers work with it, and the pepper never enters the database.';
comment on column demystify_memory.memory.also_hashes is 'Further persons the row is filed under: erasing any of them erases it.';
comment on column demystify_memory.memory.term_hashes is
  'Keyed hashes of the words, never the words: index keys outlive a delete. Null until indexed.';
comment on column demystify_memory.memory.content_tags is
  'Keyed tags of the redacted text; empty without a pepper, because a plain content hash is a guessing oracle.';
comment on column demystify_memory.memory.provenance_known is
  'false: imported, with derivations nobody recorded. Its erasure escalates instead of completing.';

-- Planner statistics keep values after the rows are gone, so none are collected on payload, from the first migration on.
alter table demystify_memory.memory
  alter column subject_key set statistics 0,
  alter column also_keys set statistics 0,
  alter column also_hashes set statistics 0,
  alter column text set statistics 0,
  alter column metadata set statistics 0,
  alter column embedding set statistics 0,
  alter column term_hashes set statistics 0,
  alter column content_tags set statistics 0,
  alter column idempotency_hash set statistics 0,
  alter column embedding set storage external;

create index if not exists memory_by_subject on demystify_memory.memory (subject_hash, tenant_key);
create index if not exists memory_by_also on demystify_memory.memory using gin (also_hashes)
  with (fastupdate = off) where also_hashes <> '{}';
create index if not exists memory_by_time on demystify_memory.memory (tenant_key, created_at desc, memory_id desc);
create index if not exists memory_by_term on demystify_memory.memory using gin (term_hashes) with (fastupdate = off);
create index if not exists memory_without_terms on demystify_memory.memory (tenant_key, memory_id) where term_hashes is null;
create index if not exists memory_by_expiry on demystify_memory.memory (tenant_key, expires_at) where expires_at is not null;

create table if not exists demystify_memory.derived (
  tenant_key       text        not null,
  derived_id       uuid        not null default demystify_memory.uuid_v7(),
  kind             text        not null,
  text             text        not null,
  metadata         jsonb       not null default '{}',
  embedding        real[],
  dimensions       int         generated always as (cardinality(embedding)) stored,
  term_hashes      bigint[],
  content_tags     text[]      not null default '{}',
  source_memories  uuid[]      not null default '{}',
  source_derived   uuid[]      not null default '{}',
  subject_hashes   text[]      not null default '{}',
  expires_at       timestamptz,
  created_at       timestamptz not null default clock_timestamp(),

  primary key (tenant_key, derived_id),

  -- A derived row with no source could never be found by an erasure.
  constraint derived_requires_provenance
    check (cardinality(source_memories) + cardinality(source_derived) > 0),
  -- Past a few thousand an array stops being the right shape: derive in two levels.
  constraint derived_has_at_most_4096_sources
    check (cardinality(source_memories) + cardinality(source_derived) <= 4096),
  constraint derived_sources_are_ids
    check (array_position(source_memories, null) is null and array_position(source_derived, null) is null),
  constraint derived_has_a_tenant check (tenant_key ~ '\S'),
  constraint derived_kind_is_a_code check (kind ~ '^[a-z][a-z0-9_.:-]{0,63}$' and kind !~ '[0-9]{5}'),
  constraint derived_metadata_is_an_object check (jsonb_typeof(metadata) = 'object'),
  constraint derived_vector_is_not_empty check (cardinality(embedding) > 0)
);
do $partition$
begin
  perform demystify_memory.partition_by_tenant('derived', 'derived_id');
end
$partition$;
comment on table demystify_memory.derived is 'Rows produced from memories or from other derived rows.';
comment on column demystify_memory.derived.source_memories is
  'The memories this row was produced from. Immutable: provenance cannot be lost while the row lives.';
comment on column demystify_memory.derived.source_derived is
  'The derived rows this row was produced from. Immutable.';
comment on column demystify_memory.derived.subject_hashes is
  'The persons of all its ancestors. Filled by the database from the sources, never by the writer.';
comment on column demystify_memory.derived.expires_at is
  'The earliest expiry of its sources, filled by the database: a summary is not visible longer than what it came from.';

alter table demystify_memory.derived
  alter column text set statistics 0,
  alter column metadata set statistics 0,
  alter column embedding set statistics 0,
  alter column term_hashes set statistics 0,
  alter column content_tags set statistics 0,
  alter column subject_hashes set statistics 0,
  alter column source_memories set statistics 0,
  alter column source_derived set statistics 0,
  alter column embedding set storage external;

-- fastupdate off: with a pending list one 1,000-row delete took 200 times as long, until a vacuum flushed it.
create index if not exists derived_by_source_memory on demystify_memory.derived using gin (source_memories) with (fastupdate = off);
create index if not exists derived_by_source_derived on demystify_memory.derived using gin (source_derived) with (fastupdate = off);
create index if not exists derived_by_subject on demystify_memory.derived using gin (subject_hashes) with (fastupdate = off);
create index if not exists derived_by_time on demystify_memory.derived (tenant_key, created_at desc, derived_id desc);
create index if not exists derived_by_term on demystify_memory.derived using gin (term_hashes) with (fastupdate = off);
create index if not exists derived_without_terms on demystify_memory.derived (tenant_key, derived_id) where term_hashes is null;

create table if not exists demystify_memory.idempotency_key (
  tenant_key        text not null,
  idempotency_hash  text not null,
  memory_id         uuid not null,

  primary key (tenant_key, idempotency_hash),
  constraint idempotency_key_is_a_hash check (idempotency_hash ~ '^[0-9a-f]{64}$')
);
comment on table demystify_memory.idempotency_key is
  'Which memory an idempotency key stored. Freed when the erasure of that memory opens, so the key can be used anew.';

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

-- Row-level security: all of it in this file. Enabled and forced everywhere, deny by default.
--
-- The tenant policy governs every role but the engine, the login role that migrated included. It reads the tenant with
-- missing_ok: a session that never set it sees nothing, rather than an exception. The setting is read once per
-- statement (a sub-select), not once per row.
do $policies$
declare
  v_table text;
begin
  foreach v_table in array array[
    'subject', 'memory', 'derived', 'idempotency_key', 'tombstone', 'tombstone_item', 'erasure_event', 'open_erasure',
    'sink', 'placement', 'placement_lease', 'restriction', 'restriction_in_force', 'legal_hold', 'legal_hold_refusal',
    'subject_key']
  loop
    execute format('alter table demystify_memory.%I enable row level security', v_table);
    execute format('alter table demystify_memory.%I force row level security', v_table);
    execute format('drop policy if exists %I on demystify_memory.%I', v_table || '_is_seen_by_its_tenant', v_table);
    execute format(
      $sql$create policy %I on demystify_memory.%I
             using (tenant_key = (select nullif(current_setting('app.current_tenant', true), '')))
             with check (tenant_key = (select nullif(current_setting('app.current_tenant', true), '')))$sql$,
      v_table || '_is_seen_by_its_tenant', v_table);
    execute format('drop policy if exists %I on demystify_memory.%I', v_table || '_is_seen_by_the_engine', v_table);
    execute format('create policy %I on demystify_memory.%I to %I using (true) with check (true)',
      v_table || '_is_seen_by_the_engine', v_table, current_setting('demystify_memory.engine'));
  end loop;

  foreach v_table in array array['settings', 'schema_migration', 'legal_basis']
  loop
    execute format('alter table demystify_memory.%I enable row level security', v_table);
    execute format('alter table demystify_memory.%I force row level security', v_table);
    execute format('drop policy if exists %I on demystify_memory.%I', v_table || '_is_seen_by_all', v_table);
    execute format('create policy %I on demystify_memory.%I for select using (true)', v_table || '_is_seen_by_all', v_table);
    execute format('drop policy if exists %I on demystify_memory.%I', v_table || '_is_written_by_the_engine', v_table);
    execute format('create policy %I on demystify_memory.%I to %I using (true) with check (true)',
      v_table || '_is_written_by_the_engine', v_table, current_setting('demystify_memory.engine'));
  end loop;
end
$policies$;

-- Refuses a call for a tenant that is not the session's, where the session (or the whole installation) names one.
-- A null tenant comes from host_tenant(): the host set none, so reads see nothing and writes are refused.
create or replace function demystify_memory.assert_tenant(p_tenant text, p_write boolean) returns void
language plpgsql stable security definer  -- reads settings for callers that hold no right on it
set search_path = ''
as $$
declare
  v_session text := nullif(current_setting('app.current_tenant', true), '');
begin
  if p_tenant is null then
    if p_write then
      raise exception 'no tenant is set on the connection' using errcode = 'ME010';
    end if;
    return;
  end if;
  if v_session is distinct from p_tenant
     and (v_session is not null or (select tenant_scope from demystify_memory.settings) = 'host') then
    raise exception 'the session is set to % tenant', case when v_session is null then 'no' else 'another' end
      using errcode = 'ME010';
  end if;
end
$$;
comment on function demystify_memory.assert_tenant is 'Raises ME010 unless the session may act for this tenant.';

-- For deployments where the host sets app.current_tenant itself (tenantScope: "host").
create or replace function demystify_memory.host_tenant(p_tenant text) returns text
language plpgsql stable
set search_path = ''
as $$
declare
  v_session text := nullif(current_setting('app.current_tenant', true), '');
begin
  if v_session <> p_tenant then
    raise exception 'the session is set to another tenant' using errcode = 'ME010';
  end if;
  return v_session;
end
$$;
comment on function demystify_memory.host_tenant is
  'The tenant if the session names it, null if the session names none, ME010 if it names another.';

create or replace function demystify_memory.configure(p_direct_delete text, p_tenant_scope text) returns void
language plpgsql security definer  -- the settings table belongs to the engine; only the installer may call this
set search_path = ''
as $$
begin
  update demystify_memory.settings
     set direct_delete = coalesce(p_direct_delete, direct_delete),
         tenant_scope = coalesce(p_tenant_scope, tenant_scope);
end
$$;
comment on function demystify_memory.configure is 'Changes the install-wide choices; null leaves one as it is.';

-- The owner may add codes to legal_basis, and change nothing else about it.
do $extend$
begin
  drop policy if exists legal_basis_is_extended_by_the_installer on demystify_memory.legal_basis;
  execute format('create policy legal_basis_is_extended_by_the_installer on demystify_memory.legal_basis
                    for insert to %I with check (true)', current_setting('demystify_memory.installer'));
end
$extend$;

-- What never changes, and what is never removed.

create or replace function demystify_memory.refuse_change() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  raise exception '% on demystify_memory.% is refused: %', lower(tg_op), tg_table_name, tg_argv[0]
    using errcode = 'ME015', hint = tg_argv[1];
end
$$;
comment on function demystify_memory.refuse_change is 'Refuses the statement that fired it (ME015).';

-- A trigger that names a column makes Postgres refuse to give that column another type: ALTER COLUMN … TYPE … USING
-- would replace every value and fire nothing. So the columns are named, all of them.
do $append_only$
declare
  v_table   text;
  v_columns text;
begin
  foreach v_table in array array['tombstone', 'tombstone_item', 'erasure_event', 'restriction', 'legal_hold',
                                 'legal_hold_refusal', 'schema_migration']
  loop
    select string_agg(quote_ident(a.attname), ', ' order by a.attnum) into v_columns
      from pg_catalog.pg_attribute a
     where a.attrelid = ('demystify_memory.' || quote_ident(v_table))::regclass and a.attnum > 0 and not a.attisdropped;
    execute format('drop trigger if exists %I on demystify_memory.%I', v_table || '_is_append_only', v_table);
    execute format(
      $sql$create trigger %I before update of %s or delete or truncate on demystify_memory.%I
             for each statement execute function demystify_memory.refuse_change(
               'evidence is inserted, never changed or removed', 'Insert a new row that says what is now true.')$sql$,
      v_table || '_is_append_only', v_columns, v_table);
    execute format('alter table demystify_memory.%I enable always trigger %I', v_table, v_table || '_is_append_only');
  end loop;

  foreach v_table in array array['memory', 'derived', 'placement', 'subject', 'idempotency_key', 'open_erasure', 'sink',
                                 'placement_lease', 'restriction_in_force', 'subject_key', 'settings', 'legal_basis']
  loop
    execute format('drop trigger if exists %I on demystify_memory.%I', v_table || '_is_never_truncated', v_table);
    execute format(
      $sql$create trigger %I before truncate on demystify_memory.%I
             for each statement execute function demystify_memory.refuse_change(
               'TRUNCATE leaves no evidence and reaches nothing derived', 'Use forget, or DELETE, which cascades and is recorded.')$sql$,
      v_table || '_is_never_truncated', v_table);
    execute format('alter table demystify_memory.%I enable always trigger %I', v_table, v_table || '_is_never_truncated');
  end loop;
end
$append_only$;

-- Vectors and term hashes may be made anew after a model or key change; text, sources and identity never.
create or replace function demystify_memory.refuse_payload_change() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  -- On a partition the name is that of the partition.
  if tg_table_name = 'memory' or tg_table_name like 'memory\_%' then
    if (new.tenant_key, new.memory_id, new.subject_key, new.subject_hash, new.also_keys, new.also_hashes, new.key_id,
        new.kind, new.text, new.metadata, new.content_tags, new.provenance_known, new.idempotency_hash,
        new.captured_at, new.expires_at, new.created_at)
       is distinct from
       (old.tenant_key, old.memory_id, old.subject_key, old.subject_hash, old.also_keys, old.also_hashes, old.key_id,
        old.kind, old.text, old.metadata, old.content_tags, old.provenance_known, old.idempotency_hash,
        old.captured_at, old.expires_at, old.created_at) then
      raise exception 'update of a memory is refused: its text, metadata and identity never change'
        using errcode = 'ME015', hint = 'Erase it and store a new one: a correction leaves evidence and reaches what was derived.';
    end if;
  elsif (new.tenant_key, new.derived_id, new.kind, new.text, new.metadata, new.content_tags, new.source_memories,
         new.source_derived, new.subject_hashes, new.expires_at, new.created_at)
        is distinct from
        (old.tenant_key, old.derived_id, old.kind, old.text, old.metadata, old.content_tags, old.source_memories,
         old.source_derived, old.subject_hashes, old.expires_at, old.created_at) then
    raise exception 'update of a derived row is refused: its text, sources and identity never change'
      using errcode = 'ME015', hint = 'Derive a new row; this one goes when its sources go.';
  end if;
  return new;
end
$$;
comment on function demystify_memory.refuse_payload_change is
  'Refuses (ME015) an UPDATE that changes anything but a vector or term hashes.';

drop trigger if exists memory_payload_is_immutable on demystify_memory.memory;
create trigger memory_payload_is_immutable before update on demystify_memory.memory
  for each row execute function demystify_memory.refuse_payload_change();
alter table demystify_memory.memory enable always trigger memory_payload_is_immutable;

drop trigger if exists derived_payload_is_immutable on demystify_memory.derived;
create trigger derived_payload_is_immutable before update on demystify_memory.derived
  for each row execute function demystify_memory.refuse_payload_change();
alter table demystify_memory.derived enable always trigger derived_payload_is_immutable;

-- Two more rules for the tables that hold payload. A statement that names a fixed column is refused before it
-- looks at a row, and naming the columns keeps their types. And neither table joins a hierarchy: a DELETE on a parent
-- fires the parent's statement triggers and not these; a row trigger with a transition table, which never runs, makes
-- Postgres refuse ATTACH PARTITION and INHERIT. A partitioned table cannot have one.
do $fixed$
declare
  v_table   text;
  v_columns text;
begin
  foreach v_table in array array['memory', 'derived'] loop
    select string_agg(quote_ident(a.attname), ', ' order by a.attnum) into v_columns
      from pg_catalog.pg_attribute a
     where a.attrelid = ('demystify_memory.' || v_table)::regclass and a.attnum > 0 and not a.attisdropped
       and a.attname not in ('embedding', 'dimensions', 'term_hashes');
    execute format('drop trigger if exists %I on demystify_memory.%I', v_table || '_is_never_rewritten', v_table);
    execute format(
      $sql$create trigger %I before update of %s on demystify_memory.%I
             for each statement execute function demystify_memory.refuse_change(
               'text, sources, metadata and identity never change',
               'Erase it and store a new one: a correction leaves evidence and reaches what was derived.')$sql$,
      v_table || '_is_never_rewritten', v_columns, v_table);
    execute format('alter table demystify_memory.%I enable always trigger %I', v_table, v_table || '_is_never_rewritten');

    if (select c.relkind from pg_catalog.pg_class c where c.oid = ('demystify_memory.' || v_table)::regclass) = 'r' then
      execute format('drop trigger if exists %I on demystify_memory.%I', v_table || '_joins_no_hierarchy', v_table);
      execute format(
        $sql$create trigger %I after delete on demystify_memory.%I referencing old table as old_rows
               for each row when (false) execute function demystify_memory.refuse_change(
                 'this trigger never runs', 'It keeps the table from being attached to another.')$sql$,
        v_table || '_joins_no_hierarchy', v_table);
      execute format('alter table demystify_memory.%I enable always trigger %I', v_table, v_table || '_joins_no_hierarchy');
    end if;
  end loop;
end
$fixed$;

-- The write gate: nothing is written for, or derived from, what a tombstone covers, on any path.
--
-- Writers lock the subject rows of everybody concerned FOR SHARE in sorted order, then the sources FOR KEY SHARE, then
-- probe the items by primary key. Opening an erasure UPDATEs the subject row: a lock alone would leave a REPEATABLE
-- READ writer unaware. So a writer is either before the erasure, and in its closure, or after it, and refused.

-- Share-locks the persons, creating rows for those not met before. The hashes must be distinct.
create or replace function demystify_memory.lock_subjects(p_tenant text, p_hashes text[], p_key_ids text[]) returns void
language plpgsql security definer  -- subject rows are the engine's alone
set search_path = ''
set jit = off
set enable_seqscan = off
set plan_cache_mode = force_generic_plan
as $$
declare
  v_locked bigint;
begin
  perform 1 from demystify_memory.subject s
    where s.tenant_key = p_tenant and s.subject_hash = any(p_hashes)
    order by s.subject_hash for share;
  get diagnostics v_locked = row_count;
  if v_locked < cardinality(p_hashes) then
    insert into demystify_memory.subject (tenant_key, subject_hash, key_id)
      select p_tenant, u.hash, u.key_id from unnest(p_hashes, p_key_ids) u(hash, key_id)
      order by u.hash
      on conflict do nothing;
    insert into demystify_memory.subject_key (tenant_key, key_id)
      select distinct p_tenant, coalesce(u.key_id, '') from unnest(p_key_ids) u(key_id) order by 2
      on conflict do nothing;
    perform 1 from demystify_memory.subject s
      where s.tenant_key = p_tenant and s.subject_hash = any(p_hashes)
      order by s.subject_hash for share;
  end if;
end
$$;
comment on function demystify_memory.lock_subjects is 'Share-locks persons in sorted order; a writer''s side of the gate.';

-- Records that several hashes are one person under different pepper keys: [[{"hash", "keyId"}, …], …].
create or replace function demystify_memory.link_subjects(p_tenant text, p_persons jsonb) returns void
language plpgsql security definer  -- subject rows are the engine's alone
set search_path = ''
set jit = off
set enable_seqscan = off
as $$
declare
  v_person jsonb;
  v_id     uuid;
begin
  for v_person in select value from jsonb_array_elements(p_persons) loop
    insert into demystify_memory.subject (tenant_key, subject_hash, key_id)
      select p_tenant, h.value ->> 'hash', h.value ->> 'keyId' from jsonb_array_elements(v_person) h
      order by 2
      on conflict do nothing;
    -- The oldest row gives the person its id: ids are time-ordered.
    select s.person_id into v_id
      from demystify_memory.subject s
      join jsonb_array_elements(v_person) h on s.subject_hash = h.value ->> 'hash'
     where s.tenant_key = p_tenant
     order by s.person_id limit 1;
    update demystify_memory.subject s
       set person_id = v_id
      from jsonb_array_elements(v_person) h
     where s.tenant_key = p_tenant and s.subject_hash = h.value ->> 'hash' and s.person_id <> v_id;
  end loop;
end
$$;
comment on function demystify_memory.link_subjects is 'Gives the hashes of one person under different keys one person_id.';

-- Refuses (ME013) a caller who holds another secret behind a known key id: what it wrote, nobody else would find; and,
-- unless p_known_only, one who lacks a key that was used in this tenant: it must not certify "nothing there".
-- p_keys: [{"keyId", "check"}], keyId null for unkeyed; null itself when the call concerns no person.
create or replace function demystify_memory.assert_keys(p_tenant text, p_keys jsonb, p_known_only boolean default false) returns void
language plpgsql stable security definer  -- the key list is the engine's alone
set search_path = ''
set jit = off
set enable_seqscan = off
set plan_cache_mode = force_generic_plan
as $$
declare
  v_key record;
begin
  if p_keys is null then
    return;
  end if;
  for v_key in
    select k.key_id, k.check_value, g.value as given
      from demystify_memory.subject_key k
      left join jsonb_array_elements(p_keys) g on coalesce(g.value ->> 'keyId', '') = k.key_id
     where k.tenant_key = p_tenant
     order by k.key_id
  loop
    if v_key.given is null and not p_known_only then
      raise exception '%', case when v_key.key_id = '' then 'rows were written without a pepper, and this call does not look for them'
                                else format('the secret of pepper key "%s" is missing here', v_key.key_id) end
        using errcode = 'ME013', detail = json_build_object('keyId', nullif(v_key.key_id, ''))::text;
    end if;
    if v_key.check_value <> v_key.given ->> 'check' then
      raise exception 'the secret of pepper key "%" is not the one used before', v_key.key_id
        using errcode = 'ME013', detail = json_build_object('keyId', v_key.key_id)::text;
    end if;
  end loop;
end
$$;
comment on function demystify_memory.assert_keys is 'Raises ME013 for a missing or wrong pepper secret.';

-- Remembers which key a writer uses, with the value that later tells whether a secret is the right one.
create or replace function demystify_memory.register_key(p_tenant text, p_keys jsonb) returns void
language plpgsql security definer  -- the key list is the engine's alone
set search_path = ''
set jit = off
set enable_seqscan = off
as $$
begin
  -- One key, and it is known: the usual case, in one look.
  if jsonb_array_length(p_keys) = 1 and exists (
       select from demystify_memory.subject_key k
        where k.tenant_key = p_tenant and k.key_id = coalesce(p_keys #>> '{0,keyId}', '')
          and k.check_value is not distinct from p_keys #>> '{0,check}') then
    return;
  end if;
  perform demystify_memory.assert_keys(p_tenant, p_keys, true);
  if not exists (select from demystify_memory.subject_key k
                  where k.tenant_key = p_tenant and k.key_id = coalesce(p_keys #>> '{0,keyId}', '')
                    and k.check_value is not distinct from p_keys #>> '{0,check}') then
    insert into demystify_memory.subject_key as k (tenant_key, key_id, check_value)
      values (p_tenant, coalesce(p_keys #>> '{0,keyId}', ''), p_keys #>> '{0,check}')
      on conflict (tenant_key, key_id) do update set check_value = excluded.check_value where k.check_value is null;
    perform demystify_memory.assert_keys(p_tenant, p_keys, true);
  end if;
end
$$;
comment on function demystify_memory.register_key is 'Registers the key new rows are written under; ME013 if its secret is another one.';

-- Raw INSERT into memory: the person's row is locked first and the time stamped after, so that a row is either before
-- an erasure or after it. The library's own function has done both already.
create or replace function demystify_memory.stamp_memory() returns trigger
language plpgsql security definer  -- subject rows are the engine's alone
set search_path = ''
as $$
begin
  perform demystify_memory.lock_subjects(
    new.tenant_key,
    array(select distinct h from unnest(new.subject_hash || new.also_hashes) h order by 1),
    array(select new.key_id from (select distinct h from unnest(new.subject_hash || new.also_hashes) h) d));
  new.created_at := clock_timestamp();
  return new;
end
$$;
comment on function demystify_memory.stamp_memory is 'Locks the persons of a raw INSERT and stamps its time after the lock.';

create or replace function demystify_memory.gate_memory() returns trigger
language plpgsql security definer  -- reads evidence for writers that may not
set search_path = ''
set jit = off
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  v_ids uuid[];
begin
  select array_agg(n.memory_id) into v_ids
    from new_rows n
   where exists (
     select from demystify_memory.tombstone_item i
      where i.tenant_key = n.tenant_key and i.item_id = n.memory_id offset 0);
  if v_ids is not null then
    raise exception 'an erased id cannot be stored again'
      using errcode = 'ME004', detail = json_build_object('ids', v_ids)::text;
  end if;

  select array_agg(n.memory_id) into v_ids
    from new_rows n
   where n.captured_at is not null
     and exists (
       select from (select linked.subject_hash from unnest(n.subject_hash || n.also_hashes) wanted(hash),
           lateral (select one.person_id from demystify_memory.subject one
                     where one.tenant_key = n.tenant_key and one.subject_hash = wanted.hash offset 0) person,
           lateral (select one.subject_hash from demystify_memory.subject one
                     where one.tenant_key = n.tenant_key and one.person_id = person.person_id offset 0) linked) p
         join demystify_memory.tombstone t on t.tenant_key = n.tenant_key and t.subject_hash = p.subject_hash
        where t.scope = 'subject' and t.origin in ('forget', 'replay') and coalesce(t.replays_opened_at, t.opened_at) >= n.captured_at offset 0);
  if v_ids is not null then
    raise exception 'captured before the person was forgotten'
      using errcode = 'ME004', detail = json_build_object('ids', v_ids)::text;
  end if;
  return null;
end
$$;
comment on function demystify_memory.gate_memory is
  'Refuses (ME004) erased ids, and rows captured before the person was forgotten.';

drop trigger if exists memory_respects_tombstones on demystify_memory.memory;
create trigger memory_respects_tombstones after insert on demystify_memory.memory
  referencing new table as new_rows
  for each statement execute function demystify_memory.gate_memory();
alter table demystify_memory.memory enable always trigger memory_respects_tombstones;

-- Fills in what only the database may say about a derived row: whose it is, and when it expires. Sources are joined one
-- by one: "id = any(array)" without statistics is planned over the tenant's whole index.
create or replace function demystify_memory.stamp_derived() returns trigger
language plpgsql security definer  -- reads the sources whatever the writer may see
set search_path = ''
set jit = off
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
begin
  select coalesce(array_agg(distinct x.h order by x.h), '{}'), min(x.expires_at)
    into new.subject_hashes, new.expires_at
    from (
      select unnest(m.subject_hash || m.also_hashes) as h, m.expires_at
        from unnest(new.source_memories) u,
        lateral (select x.* from demystify_memory.memory x
                  where x.tenant_key = new.tenant_key and x.memory_id = u offset 0) m
      union all
      select unnest(d.subject_hashes), d.expires_at
        from unnest(new.source_derived) u,
        lateral (select x.* from demystify_memory.derived x
                  where x.tenant_key = new.tenant_key and x.derived_id = u offset 0) d
    ) x;
  new.created_at := clock_timestamp();
  return new;
end
$$;
comment on function demystify_memory.stamp_derived is
  'Fills subject_hashes and expires_at of a raw INSERT from its sources; what the writer claimed is discarded.';

create or replace function demystify_memory.stamp_placement() returns trigger
language plpgsql security definer  -- reads the sources whatever the writer may see
set search_path = ''
set jit = off
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
begin
  select coalesce(array_agg(distinct x.h order by x.h), '{}') into new.subject_hashes
    from (
      select unnest(m.subject_hash || m.also_hashes) as h
        from unnest(new.source_memories) u,
        lateral (select x.* from demystify_memory.memory x
                  where x.tenant_key = new.tenant_key and x.memory_id = u offset 0) m
      union all
      select unnest(d.subject_hashes)
        from unnest(new.source_derived) u,
        lateral (select x.* from demystify_memory.derived x
                  where x.tenant_key = new.tenant_key and x.derived_id = u offset 0) d
    ) x;
  new.gone_at := null;
  new.created_at := clock_timestamp();
  return new;
end
$$;
comment on function demystify_memory.stamp_placement is 'Fills subject_hashes of a placement from its sources.';

create or replace function demystify_memory.gate_sources() returns trigger
language plpgsql security definer  -- must see every source and every tombstone, whatever the writer may see
set search_path = ''
set jit = off
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  v_wanted bigint;
  v_found  bigint;
  v_ids    uuid[];
begin
  -- 1. The persons, in order. Each is looked up and locked by itself, in the order of the list: joined, a plan from when
  --    the table was small would read all of it.
  perform 1
    from (select distinct n.tenant_key, h as subject_hash from new_rows n, unnest(n.subject_hashes) h order by 1, 2 offset 0) w,
    lateral (select from demystify_memory.subject s
              where s.tenant_key = w.tenant_key and s.subject_hash = w.subject_hash offset 0 for share) s;

  -- 2. The sources exist, and stay until this transaction ends.
  select count(*) into v_wanted
    from (select distinct n.tenant_key, u from new_rows n, unnest(n.source_memories) u) w;
  if v_wanted > 0 then
    perform 1
      from (select distinct n.tenant_key, u as id from new_rows n, unnest(n.source_memories) u order by 1, 2 offset 0) w,
      lateral (select from demystify_memory.memory m
                where m.tenant_key = w.tenant_key and m.memory_id = w.id
                  and (m.expires_at is null or m.expires_at > statement_timestamp()) offset 0 for key share) m;
    get diagnostics v_found = row_count;
  end if;
  if v_wanted = coalesce(v_found, 0) then
    select count(*) into v_wanted
      from (select distinct n.tenant_key, u from new_rows n, unnest(n.source_derived) u) w;
    v_found := 0;
    if v_wanted > 0 then
      perform 1
        from (select distinct n.tenant_key, u as id from new_rows n, unnest(n.source_derived) u order by 1, 2 offset 0) w,
        lateral (select from demystify_memory.derived d
                  where d.tenant_key = w.tenant_key and d.derived_id = w.id
                    and (d.expires_at is null or d.expires_at > statement_timestamp()) offset 0 for key share) d;
      get diagnostics v_found = row_count;
    end if;
  end if;

  -- 3. None of them, and no id of a new row, is covered by a tombstone. Asked before "unknown": once destroyed, a
  --    forgotten source is also missing.
  select array_agg(distinct w.id) into v_ids
    from (
      select n.tenant_key, u as id from new_rows n, unnest(n.source_memories) u
      union all
      select n.tenant_key, u from new_rows n, unnest(n.source_derived) u
    ) w
   where exists (
     select from demystify_memory.tombstone_item i
      where i.tenant_key = w.tenant_key and i.item_id = w.id offset 0);
  if v_ids is null and tg_table_name = 'derived' then
    select array_agg(n.derived_id) into v_ids from new_rows n
     where exists (select from demystify_memory.tombstone_item i
                    where i.tenant_key = n.tenant_key and i.item_id = n.derived_id offset 0);
  elsif v_ids is null then
    select array_agg(n.placement_id) into v_ids from new_rows n
     where exists (select from demystify_memory.tombstone_item i
                    where i.tenant_key = n.tenant_key and i.item_id = n.placement_id offset 0);
  end if;
  if v_ids is not null then
    raise exception 'a source was forgotten'
      using errcode = 'ME003', detail = json_build_object('ids', v_ids)::text;
  end if;

  if v_wanted <> coalesce(v_found, 0) then
    select array_agg(distinct w.id) into v_ids
      from (
        select u as id
          from new_rows n, unnest(n.source_memories) u
         where not exists (
           select from demystify_memory.memory m
            where m.tenant_key = n.tenant_key and m.memory_id = u
              and (m.expires_at is null or m.expires_at > statement_timestamp()) offset 0)
        union all
        select u
          from new_rows n, unnest(n.source_derived) u
         where not exists (
           select from demystify_memory.derived d
            where d.tenant_key = n.tenant_key and d.derived_id = u
              and (d.expires_at is null or d.expires_at > statement_timestamp()) offset 0)
      ) w;
    raise exception 'a source does not exist'
      using errcode = 'ME002', detail = json_build_object('ids', v_ids)::text;
  end if;

  -- 4. None is restricted: kept, but not to be used.
  if exists (select from demystify_memory.restriction_in_force) and exists (
    select from new_rows n
     where n.subject_hashes && array(select demystify_memory.restricted_subjects(n.tenant_key))
        or (n.source_memories || n.source_derived) && array(
             select u from demystify_memory.restriction_in_force r, unnest(r.item_ids) u where r.tenant_key = n.tenant_key)) then
    if tg_table_name = 'derived' then
      select array_agg(n.derived_id) into v_ids from new_rows n
       where n.subject_hashes && array(select demystify_memory.restricted_subjects(n.tenant_key))
          or (n.source_memories || n.source_derived) && array(
               select u from demystify_memory.restriction_in_force r, unnest(r.item_ids) u where r.tenant_key = n.tenant_key);
    end if;
    raise exception 'a source is restricted'
      using errcode = 'ME008', detail = json_build_object('ids', v_ids)::text;
  end if;

  -- 5. Whose row it is was filled in from the sources before the insert.
  if exists (select from new_rows n where cardinality(n.subject_hashes) = 0) then
    raise exception 'a derived row has no person' using errcode = 'ME002', detail = '{"ids": []}';
  end if;
  return null;
end
$$;
comment on function demystify_memory.gate_sources is
  'Refuses a derived row on a source that does not exist (ME002) or was forgotten (ME003), and locks the sources.';

-- The same function serves derived rows and placements: both are made from sources.
drop trigger if exists placement_sources_are_live on demystify_memory.placement;
create trigger placement_sources_are_live after insert on demystify_memory.placement
  referencing new table as new_rows
  for each statement execute function demystify_memory.gate_sources();
alter table demystify_memory.placement enable always trigger placement_sources_are_live;

drop trigger if exists derived_sources_are_live on demystify_memory.derived;
create trigger derived_sources_are_live after insert on demystify_memory.derived
  referencing new table as new_rows
  for each statement execute function demystify_memory.gate_sources();
alter table demystify_memory.derived enable always trigger derived_sources_are_live;

-- The row triggers are for everybody but the engine, whose functions stamp a whole batch at once. Where the installer
-- is the engine they fire for the functions too: slower, never weaker.
do $stamps$
declare
  v_when text := '';
begin
  if current_setting('demystify_memory.engine') <> current_setting('demystify_memory.installer') then
    v_when := format('when (current_user <> %L)', current_setting('demystify_memory.engine'));
  end if;
  drop trigger if exists memory_is_stamped_after_the_lock on demystify_memory.memory;
  execute format(
    $sql$create trigger memory_is_stamped_after_the_lock before insert on demystify_memory.memory
           for each row %s execute function demystify_memory.stamp_memory()$sql$, v_when);
  alter table demystify_memory.memory enable always trigger memory_is_stamped_after_the_lock;

  drop trigger if exists derived_persons_come_from_its_sources on demystify_memory.derived;
  drop trigger if exists placement_persons_come_from_its_sources on demystify_memory.placement;
  create trigger placement_persons_come_from_its_sources before insert on demystify_memory.placement
    for each row execute function demystify_memory.stamp_placement();
  alter table demystify_memory.placement enable always trigger placement_persons_come_from_its_sources;

  execute format(
    $sql$create trigger derived_persons_come_from_its_sources before insert on demystify_memory.derived
           for each row %s execute function demystify_memory.stamp_derived()$sql$, v_when);
  alter table demystify_memory.derived enable always trigger derived_persons_come_from_its_sources;
end
$stamps$;

-- Rows as the library reads them: one JSON shape, the same whatever driver carries it.

create or replace function demystify_memory.memory_json(m demystify_memory.memory) returns json
language plpgsql stable
set search_path = ''
as $$
begin
  return json_build_object(
    'tenantKey', m.tenant_key,
    'memoryId', m.memory_id,
    'subjectKey', m.subject_key,
    'subjectHash', m.subject_hash,
    'alsoAbout', coalesce(to_json(m.also_keys), '[]'),
    'kind', m.kind,
    'text', m.text,
    'metadata', m.metadata,
    'embedded', m.dimensions is not null,
    'dimensions', m.dimensions,
    'capturedAt', to_char(m.captured_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
    'expiresAt', to_char(m.expires_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
    'createdAt', to_char(m.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
    'provenanceKnown', m.provenance_known);
end
$$;
comment on function demystify_memory.memory_json is 'A memory in the shape of the library''s MemoryRow.';

create or replace function demystify_memory.derived_json(d demystify_memory.derived) returns json
language plpgsql stable
set search_path = ''
as $$
begin
  return (
    select json_build_object(
      'tenantKey', d.tenant_key,
      'derivedId', d.derived_id,
      'kind', d.kind,
      'text', d.text,
      'metadata', d.metadata,
      'embedded', d.dimensions is not null,
      'dimensions', d.dimensions,
      'sources', (
        select json_agg(json_build_object('sourceKind', u.kind, 'sourceId', u.id))
          from (select 'memory' as kind, unnest(d.source_memories) as id
                union all
                select 'derived', unnest(d.source_derived)) u),
      'expiresAt', to_char(d.expires_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
      'createdAt', to_char(d.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')));
end
$$;
comment on function demystify_memory.derived_json is 'A derived row in the shape of the library''s DerivedRow.';

create or replace function demystify_memory.iso(p_at timestamptz) returns text
language plpgsql stable parallel safe
set search_path = ''
as $$
begin
  return to_char(p_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');
end
$$;
comment on function demystify_memory.iso is 'An instant as ISO 8601 in UTC with milliseconds.';

-- What no read shows. A reader asks "id not in (select hidden_items(tenant))", which is one hash table a statement; an
-- anti-join on the evidence would cost more with every erasure there ever was.
create or replace function demystify_memory.open_items(p_tenant text) returns setof uuid
language plpgsql stable security definer  -- the work list is the engine's alone
set search_path = ''
set jit = off
set enable_seqscan = off
as $$
begin
  return query
  select u.id
    from demystify_memory.open_erasure o, unnest(o.memory_ids || o.derived_ids) u(id)
   where o.tenant_key = p_tenant;
end
$$;
comment on function demystify_memory.open_items is 'The ids that open erasures of this tenant cover.';

create or replace function demystify_memory.hidden_items(p_tenant text) returns setof uuid
language plpgsql stable security definer  -- the work lists are the engine's alone
set search_path = ''
set jit = off
set enable_seqscan = off
as $$
begin
  return query
  select u.id
    from demystify_memory.open_erasure o, unnest(o.memory_ids || o.derived_ids) u(id)
   where o.tenant_key = p_tenant
  union all
  select u.id
    from demystify_memory.restriction_in_force r, unnest(r.item_ids) u(id)
   where r.tenant_key = p_tenant;
end
$$;
comment on function demystify_memory.hidden_items is 'The ids that open erasures and restrictions of this tenant hide.';

create or replace function demystify_memory.restricted_subjects(p_tenant text) returns setof text
language plpgsql stable security definer  -- the work list is the engine's alone
set search_path = ''
set jit = off
set enable_seqscan = off
as $$
begin
  return query
  select s.subject_hash
    from demystify_memory.restriction_in_force r
    join demystify_memory.subject s on s.tenant_key = r.tenant_key and s.person_id = r.person_id
   where r.tenant_key = p_tenant;
end
$$;
comment on function demystify_memory.restricted_subjects is 'The hashes of persons whose whole content is restricted.';

create or replace function demystify_memory.held_subjects(p_tenant text) returns text[]
language plpgsql stable security definer  -- holds are not the caller's to read
set search_path = ''
set jit = off
set enable_seqscan = off
as $$
begin
  return (
    select coalesce(array_agg(distinct p.subject_hash), '{}')
      from demystify_memory.legal_hold h,
      lateral (select linked.subject_hash from unnest(array[h.subject_hash]) wanted(hash),
          lateral (select one.person_id from demystify_memory.subject one
                    where one.tenant_key = h.tenant_key and one.subject_hash = wanted.hash offset 0) person,
          lateral (select one.subject_hash from demystify_memory.subject one
                    where one.tenant_key = h.tenant_key and one.person_id = person.person_id offset 0) linked) p
     where h.tenant_key = p_tenant and h.releases is null
       and (h.until is null or h.until > statement_timestamp())
       and not exists (select from demystify_memory.legal_hold r where r.tenant_key = h.tenant_key and r.releases = h.hold_id));
end
$$;
comment on function demystify_memory.held_subjects is 'The hashes of persons under an active legal hold.';

create or replace function demystify_memory.sources_json(p_memories uuid[], p_derived uuid[]) returns json
language plpgsql immutable
set search_path = ''
as $$
begin
  return (
    select coalesce(json_agg(json_build_object('sourceKind', u.kind, 'sourceId', u.id)), '[]')
      from (select 'memory' as kind, unnest(p_memories) as id
            union all
            select 'derived', unnest(p_derived)) u);
end
$$;
comment on function demystify_memory.sources_json is 'Two source arrays as a list of source references, memories first.';

-- Which rows of a batch say what was erased before, by their keyed content tags. Without a pepper there are none.
-- p_own: only by the tags of the persons they are filed under, without the one (any:…) that is compared across people.
create or replace function demystify_memory.erased_content(p_tenant text, p_ids uuid[], p_tags text[], p_own boolean default false)
returns uuid[]
language plpgsql stable security definer  -- evidence is not the caller's to read
set search_path = ''
set jit = off
set enable_seqscan = off
set plan_cache_mode = force_generic_plan
as $$
begin
  if array_remove(p_tags, '{}') = '{}' then
    return '{}';
  end if;
  return (
    select coalesce(array_agg(u.id), '{}')
      from unnest(p_ids, p_tags) u(id, tags),
      lateral (select array(select t from unnest(u.tags::text[]) t where not p_own or t not like 'any:%') as tags) w
     where u.tags <> '{}' and w.tags <> '{}' and exists (
       select from demystify_memory.tombstone_item i
        where i.content_tags <> '{}' and i.content_tags && w.tags and i.tenant_key || '' = p_tenant offset 0));
end
$$;
comment on function demystify_memory.erased_content is 'The ids of rows whose content tags match erased content.';

-- remember: one statement a batch. Arrays run in parallel, one element a row; a null outcome means stored.
create or replace function demystify_memory.remember_many(
  p_tenant text, p_ids uuid[], p_subject_hashes text[], p_key_id text, p_subject_keys text[],
  p_also_hashes text[], p_also_keys text[], p_persons jsonb, p_kinds text[], p_texts text[], p_metadata text[],
  p_embeddings text[], p_terms text[], p_tags text[], p_captured timestamptz[], p_expires timestamptz[],
  p_idempotency text[], p_provenance_known boolean[], p_keys jsonb, p_refuse_erased_content boolean
) returns text
language plpgsql security definer  -- the caller holds no INSERT
set search_path = ''
set jit = off
set enable_seqscan = off
set plan_cache_mode = force_generic_plan
as $$
declare
  v_hashes   text[];
  v_at       timestamptz;
  v_skip     boolean[] := array_fill(false, array[cardinality(p_ids)]);
  v_existing uuid[];
  v_refused  uuid[] := '{}';
  v_detail   text;
  v_attempt  int := 0;
  v_again    uuid[];
  v_stamped  json;  -- where the installer is the engine, a trigger stamps each row after v_at
begin
  perform demystify_memory.assert_tenant(p_tenant, true);
  perform demystify_memory.register_key(p_tenant, p_keys);
  if p_persons is not null then
    perform demystify_memory.link_subjects(p_tenant, p_persons);
  end if;
  if cardinality(p_ids) = 1 and coalesce(p_also_hashes[1], '{}') = '{}' then
    v_hashes := p_subject_hashes;
  else
    select array_agg(distinct h order by h) into v_hashes
      from (select unnest(p_subject_hashes) as h
            union all
            select unnest(a::text[]) from unnest(p_also_hashes) a where a <> '{}') x;
  end if;
  perform demystify_memory.lock_subjects(p_tenant, v_hashes, array_fill(p_key_id, array[cardinality(v_hashes)]));
  v_at := clock_timestamp();

  v_again := demystify_memory.erased_content(p_tenant, p_ids, p_tags);
  if p_refuse_erased_content then
    v_refused := demystify_memory.erased_content(p_tenant, p_ids, p_tags, true);
  end if;

  loop
    v_attempt := v_attempt + 1;
    begin
      if array_remove(p_idempotency, null) <> '{}' then
        -- A key whose row has expired stands for nothing any more: it is taken over. Once in a batch is enough.
        with taken as (
          insert into demystify_memory.idempotency_key as k (tenant_key, idempotency_hash, memory_id)
            select distinct on (u.idem) p_tenant, u.idem, u.id
              from unnest(p_ids, p_idempotency) with ordinality u(id, idem, n)
             where u.idem is not null and u.id <> all(v_refused)
             order by u.idem, u.n
            on conflict (tenant_key, idempotency_hash) do update set memory_id = excluded.memory_id
              -- Asked for the expired one, not for the missing: of a writer that was waited for, this snapshot sees no row.
              where exists (
                select from demystify_memory.memory m
                 where m.tenant_key = p_tenant and m.memory_id = k.memory_id and m.expires_at <= statement_timestamp())
            returning memory_id)
        select array_agg(u.idem is not null and u.id <> all(v_refused)
                         and not exists (select from taken t where t.memory_id = u.id) order by u.n)
          into v_skip
          from unnest(p_ids, p_idempotency) with ordinality u(id, idem, n);
      end if;

      with stored as (
      insert into demystify_memory.memory (
        tenant_key, memory_id, subject_key, subject_hash, also_keys, also_hashes, key_id, kind, text, metadata,
        embedding, term_hashes, content_tags, provenance_known, idempotency_hash, captured_at, expires_at, created_at)
      select p_tenant, u.id, u.subject_key, u.subject_hash, u.also_keys::text[], coalesce(u.also_hashes::text[], '{}'),
             p_key_id, u.kind, u.text, u.metadata::jsonb, u.embedding::real[], u.terms::bigint[],
             coalesce(u.tags::text[], '{}'), u.known, u.idem, u.captured, u.expires, v_at
        from unnest(p_ids, p_subject_hashes, p_subject_keys, p_also_hashes, p_also_keys, p_kinds, p_texts, p_metadata,
                    p_embeddings, p_terms, p_tags, p_captured, p_expires, p_idempotency, p_provenance_known, v_skip)
             u(id, subject_hash, subject_key, also_hashes, also_keys, kind, text, metadata,
               embedding, terms, tags, captured, expires, idem, known, skip)
       where not u.skip and u.id <> all(v_refused)
      returning memory_id, created_at)
      select json_object_agg(s.memory_id, demystify_memory.iso(s.created_at)) filter (where s.created_at <> v_at)
        into v_stamped from stored s;
      exit;
    exception when sqlstate 'ME004' then
      -- The gate names the rows it refuses: the others of the batch are stored without them.
      get stacked diagnostics v_detail = pg_exception_detail;
      v_refused := v_refused || array(select jsonb_array_elements_text(v_detail::jsonb -> 'ids')::uuid);
      v_skip := array_fill(false, array[cardinality(p_ids)]);
      if v_attempt > 3 then
        raise;
      end if;
    end;
  end loop;

  if true = any(v_skip) then
    select array_agg(case when s.skip then k.memory_id end order by s.n) into v_existing
      from unnest(v_skip, p_idempotency) with ordinality s(skip, idem, n)
      left join demystify_memory.idempotency_key k
        on s.skip and k.tenant_key = p_tenant and k.idempotency_hash = s.idem;
  end if;

  return json_build_object(
    'createdAt', demystify_memory.iso(v_at),
    'createdAts', v_stamped,
    'rematerialised', case when v_again <> '{}' then to_json(v_again) end,
    'refused', case when v_refused <> '{}' then to_json(v_refused) end,
    'existing', case when v_existing is not null then (
      select json_agg(case when e.id is null then null
                           when ((m.expires_at is null or m.expires_at > statement_timestamp())
                               and m.memory_id not in (select h.id from demystify_memory.hidden_items(p_tenant) h(id))
                               and m.subject_hash not in (select demystify_memory.restricted_subjects(p_tenant))
                               and (m.also_hashes = '{}' or not m.also_hashes && array(select demystify_memory.restricted_subjects(p_tenant)))) then demystify_memory.memory_json(m)
                           else '{"restricted": true}'::json end order by e.n)
        from unnest(v_existing) with ordinality e(id, n)
        left join demystify_memory.memory m on m.tenant_key = p_tenant and m.memory_id = e.id) end)::text;
end
$$;
comment on function demystify_memory.remember_many is
  'Stores a batch of redacted memories. Answers createdAt, the ids the gate refused, and the rows idempotency keys stood for.';

-- derive: one statement a batch. The gate is a trigger on the table, so this function only fills in and classifies.
create or replace function demystify_memory.derive_many(
  p_tenant text, p_ids uuid[], p_kinds text[], p_texts text[], p_metadata text[], p_embeddings text[], p_terms text[],
  p_tags text[], p_source_memories text[], p_source_derived text[]
) returns text
language plpgsql security definer  -- the caller holds no INSERT
set search_path = ''
set jit = off
set enable_seqscan = off
set plan_cache_mode = force_generic_plan
as $$
declare
  v_refused  uuid[] := '{}';
  v_more     uuid[];
  v_reasons  jsonb := '{}';
  v_state    text;
  v_detail   text;
  v_bad      uuid[] := '{}';
  v_expiries json;
begin
  perform demystify_memory.assert_tenant(p_tenant, true);
  -- A row of this very batch is no source yet: the persons it would bring along are not known.
  if array_remove(p_source_derived, '{}') <> '{}' then
    v_bad := array(select x from unnest(p_source_derived) s, unnest(s::uuid[]) x where x = any(p_ids));
  end if;
  if v_bad <> '{}' then
    if cardinality(p_ids) = 1 then
      raise exception 'a source does not exist' using errcode = 'ME002', detail = json_build_object('ids', v_bad)::text;
    end if;
    select array_agg(u.id), jsonb_object_agg(u.id, jsonb_build_object('code', 'ME002', 'ids', (
             select jsonb_agg(b) from unnest(u.deriveds::uuid[]) b where b = any(p_ids))))
      into v_refused, v_reasons
      from unnest(p_ids, p_source_derived) u(id, deriveds)
     where u.deriveds::uuid[] && p_ids;
  end if;
  loop
    begin
      with input as materialized (
        select u.*, u.source_memories::uuid[] as memories, u.source_derived::uuid[] as deriveds
          from unnest(p_ids, p_kinds, p_texts, p_metadata, p_embeddings, p_terms, p_tags, p_source_memories, p_source_derived)
               u(id, kind, text, metadata, embedding, terms, tags, source_memories, source_derived)
         where u.id <> all(v_refused)
      ), persons as (
        select x.id, array_agg(distinct x.h order by x.h) as hashes, min(x.expires_at) as expires_at
          from (
            select i.id, h, m.expires_at
              from input i, lateral (select found.* from unnest(i.memories) wanted(id),
                  lateral (select one.* from demystify_memory.memory one where one.tenant_key = p_tenant and one.memory_id = wanted.id offset 0) found) m,
              unnest(m.subject_hash || m.also_hashes) h
            union all
            select i.id, h, d.expires_at
              from input i, lateral (select found.* from unnest(i.deriveds) wanted(id),
                  lateral (select one.* from demystify_memory.derived one where one.tenant_key = p_tenant and one.derived_id = wanted.id offset 0) found) d,
              unnest(d.subject_hashes) h
          ) x
         group by x.id
      ), stored as (
        insert into demystify_memory.derived (
          tenant_key, derived_id, kind, text, metadata, embedding, term_hashes, content_tags, source_memories,
          source_derived, subject_hashes, expires_at, created_at)
        select p_tenant, i.id, i.kind, i.text, i.metadata::jsonb, i.embedding::real[], i.terms::bigint[],
               coalesce(i.tags::text[], '{}'), i.memories, i.deriveds, coalesce(p.hashes, '{}'), p.expires_at, clock_timestamp()
          from input i left join persons p on p.id = i.id
        returning derived_id, created_at, expires_at)
      select json_object_agg(s.derived_id, json_build_array(demystify_memory.iso(s.created_at), demystify_memory.iso(s.expires_at)))
        into v_expiries
        from stored s;
      exit;
    exception when sqlstate 'ME002' or sqlstate 'ME003' or sqlstate 'ME008' then
      -- One row: its error is the answer. More: the rows with that source are refused, the others stored.
      if cardinality(p_ids) = 1 then
        raise;
      end if;
      get stacked diagnostics v_state = returned_sqlstate, v_detail = pg_exception_detail;
      v_bad := array(select jsonb_array_elements_text(v_detail::jsonb -> 'ids')::uuid);
      select array_agg(u.id),
             v_reasons || jsonb_object_agg(u.id, jsonb_build_object('code', v_state, 'ids', (
               select jsonb_agg(b) from unnest(v_bad) b
                where b = any(u.memories::uuid[]) or b = any(u.deriveds::uuid[]) or b = u.id)))
        into v_more, v_reasons
        from unnest(p_ids, p_source_memories, p_source_derived) u(id, memories, deriveds)
       where u.id <> all(v_refused)
         and (u.memories::uuid[] && v_bad or u.deriveds::uuid[] && v_bad or u.id = any(v_bad));
      if v_more is null then
        raise exception 'a source cannot be derived from' using errcode = v_state, detail = v_detail;
      end if;
      v_refused := v_refused || v_more;
    end;
  end loop;
  return json_build_object(
    'stored', v_expiries, 'refused', v_reasons,
    'rematerialised', demystify_memory.erased_content(p_tenant, p_ids, p_tags))::text;
end
$$;
comment on function demystify_memory.derive_many is
  'Stores a batch of redacted derived rows. Answers [createdAt, expiresAt] of each stored id, and code and source ids of each refused one.';

-- The cascade: a deleted row takes everything derived from it along, transitively, whoever deletes and however.
--
-- Three statement triggers on each table, in name order: the delete is recorded (or refused), it reaches what was
-- derived, it is settled. Authority is data, never a setting: a row may go if an item covers it under a tombstone that
-- an earlier transaction committed; any other delete is a direct one, and the database writes its tombstone itself.

-- Tombstones of this very transaction: they cover nothing, except the database's own record of a direct delete.
create or replace function demystify_memory.own_tombstones() returns uuid[]
language plpgsql stable security definer  -- evidence is not the caller's to read
set search_path = ''
set jit = off
set enable_seqscan = off
as $$
begin
  return (
    select coalesce(array_agg(t.tombstone_id), '{}')
      from demystify_memory.tombstone t
     where t.opened_xid = pg_current_xact_id_if_assigned() and t.origin <> 'direct_delete');
end
$$;
comment on function demystify_memory.own_tombstones is
  'Tombstones opened by the running transaction, which may not destroy what they cover.';

create or replace function demystify_memory.assert_read_committed() returns void
language plpgsql stable
set search_path = ''
as $$
begin
  -- At any other level the snapshot predates the writer that was waited for, and the cascade would miss its row.
  if current_setting('transaction_isolation') <> 'read committed' then
    raise exception 'erasing runs at READ COMMITTED, not at %', upper(current_setting('transaction_isolation'))
      using errcode = 'ME011', hint = 'Start the transaction with: begin isolation level read committed.';
  end if;
end
$$;
comment on function demystify_memory.assert_read_committed is 'Raises ME011 at any other isolation level.';

-- The reason a direct delete is filed under: operator, unless the session named another code for it.
create or replace function demystify_memory.direct_delete_reason() returns text
language plpgsql stable
set search_path = ''
as $$
begin
  return case when current_setting('demystify_memory.reason', true) in ('subject_request', 'retention_policy')
              then current_setting('demystify_memory.reason', true) else 'operator' end;
end
$$;
comment on function demystify_memory.direct_delete_reason is
  'operator, or the code the session set as demystify_memory.reason.';

-- Raises unless rows that no earlier tombstone covers may be deleted here and now.
create or replace function demystify_memory.assert_direct_delete(p_covered_by_own boolean) returns void
language plpgsql stable security definer  -- reads settings for whoever deletes
set search_path = ''
set jit = off
as $$
begin
  if p_covered_by_own then
    raise exception 'the tombstone was opened by this transaction: nothing may be destroyed before it is durable'
      using errcode = 'ME005', hint = 'Commit, then destroy in a transaction of its own.';
  end if;
  if (select s.direct_delete from demystify_memory.settings s) = 'refuse' then
    raise exception 'delete is refused: no tombstone committed earlier covers these rows'
      using errcode = 'ME005', hint = 'Call forget, or open an erasure and commit it first (direct_delete is refuse here).';
  end if;
end
$$;
comment on function demystify_memory.assert_direct_delete is
  'Raises ME005 where a direct delete is refused, or would run ahead of its tombstone.';

-- Whoever destroys rows of a tenant holds it shared; whoever places a hold there, alone.
create or replace function demystify_memory.hold_lock(p_tenant text) returns bigint
language plpgsql immutable
set search_path = ''
as $$
begin
  return hashtextextended(p_tenant, 7);
end
$$;
comment on function demystify_memory.hold_lock is 'The advisory lock between destroying rows and placing a legal hold.';

-- Raises ME007 if any of these rows belongs to somebody under a legal hold. p_hashes: the persons of the rows.
create or replace function demystify_memory.assert_not_held(p_tenants text[], p_hashes text[]) returns void
language plpgsql stable security definer  -- holds are not the caller's to read
set search_path = ''
set jit = off
as $$
begin
  if exists (select from unnest(p_tenants) t where demystify_memory.held_subjects(t) && p_hashes) then
    raise exception 'a legal hold is active' using errcode = 'ME007', hint = 'Release the hold first, once it no longer applies.';
  end if;
end
$$;
comment on function demystify_memory.assert_not_held is 'Raises ME007 if a person is under an active legal hold.';

create or replace function demystify_memory.record_memory_delete() returns trigger
language plpgsql security definer  -- writes evidence for whoever deletes
set search_path = ''
set jit = off
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set plan_cache_mode = force_generic_plan
as $$
declare
  v_tenants    bigint;
  v_own        uuid[];
  v_destroying uuid;
  v_uncovered  bigint;
begin
  -- One look, because a cascade comes here once a level; nothing was deleted where no tenant is locked.
  select count(pg_advisory_xact_lock_shared(demystify_memory.hold_lock(t.tenant_key))), demystify_memory.own_tombstones()
    into v_tenants, v_own
    from (select distinct o.tenant_key from old_rows o order by 1) t;
  if v_tenants = 0 then
    return null;
  end if;
  if current_setting('transaction_isolation') <> 'read committed' then
    perform demystify_memory.assert_read_committed();
  end if;
  if exists (select from demystify_memory.legal_hold) then
    perform demystify_memory.assert_not_held(
      array(select distinct o.tenant_key from old_rows o),
      array(select distinct h from old_rows o, unnest(o.subject_hash || o.also_hashes) h));
  end if;
  v_destroying := nullif(current_setting('demystify_memory.destroying', true), '')::uuid;

  -- Covered rows are counted for the erasure that destroys them, or for the first that covers them.
  with covered as materialized (
    select o.tenant_key, (coalesce(
          (select v_destroying where exists (
             select from demystify_memory.tombstone_item i
              where i.tenant_key = o.tenant_key and i.item_id = o.memory_id and i.tombstone_id = v_destroying
                and i.tombstone_id <> all(v_own) offset 0)),
          (select i.tombstone_id
             from demystify_memory.tombstone_item i
            where i.tenant_key = o.tenant_key and i.item_id = o.memory_id and i.tombstone_id <> all(v_own)
            order by i.tombstone_id
            limit 1 offset 0))) as tombstone_id
      from old_rows o
  ), counted as (
    insert into demystify_memory.erasure_event (tenant_key, tombstone_id, event, memories)
      select c.tenant_key, c.tombstone_id, 'rows_destroyed', count(*)
        from covered c
       where c.tombstone_id is not null
       group by c.tenant_key, c.tombstone_id
  )
  select count(*) into v_uncovered from covered c where c.tombstone_id is null;

  if v_uncovered > 0 then
    perform demystify_memory.assert_direct_delete(v_own <> '{}' and exists (
      select from old_rows o
        join demystify_memory.tombstone_item i on i.tenant_key = o.tenant_key and i.item_id = o.memory_id
       where i.tombstone_id = any(v_own)));

    -- One tombstone for each tenant and person in the statement, with an item for each of their rows, shared ones
    -- included. A shared row is counted once, for the person it is filed under first. Grouped first and unnested after:
    -- joined back, this would be quadratic.
    with uncovered as materialized (
      select o.tenant_key, o.memory_id, o.subject_hash, o.also_hashes, o.key_id, o.provenance_known, o.content_tags
        from old_rows o
       where not exists (
         select from demystify_memory.tombstone_item i
          where i.tenant_key = o.tenant_key and i.item_id = o.memory_id and i.tombstone_id <> all(v_own) offset 0)
    ), filed as (
      select u.tenant_key, u.memory_id, u.subject_hash, true as first, u.key_id, u.provenance_known, u.content_tags from uncovered u
      union all
      select u.tenant_key, u.memory_id, h, false, u.key_id, u.provenance_known, u.content_tags
        from uncovered u, lateral (select distinct unnest(u.also_hashes) as h) a
       where u.also_hashes <> '{}' and h <> u.subject_hash
    ), persons as materialized (
      select o.tenant_key, o.subject_hash, demystify_memory.uuid_v7() as tombstone_id, min(o.key_id) as key_id,
             count(*) as memories, count(*) filter (where o.first) as counted, bool_and(o.provenance_known) as closure_known,
             array_agg(o.memory_id) as ids, array_agg(o.content_tags::text) as tags
        from filed o
       group by o.tenant_key, o.subject_hash
    ), opened as (
      insert into demystify_memory.tombstone (
        tenant_key, tombstone_id, scope, subject_hash, subject_key_id, reason, origin, planned_memories, matched, closure_known)
      select p.tenant_key, p.tombstone_id, 'memories', p.subject_hash, p.key_id, demystify_memory.direct_delete_reason(),
             'direct_delete', p.memories, true, p.closure_known
        from persons p
    ), covered as (
      insert into demystify_memory.tombstone_item (tenant_key, item_id, tombstone_id, kind, content_tags)
      select p.tenant_key, u.id, p.tombstone_id, 'memory', u.tags::text[]
        from persons p, unnest(p.ids, p.tags) u(id, tags)
    ), copies as (
      insert into demystify_memory.tombstone_item (tenant_key, item_id, tombstone_id, kind)
      select p.tenant_key, c.placement_id, p.tombstone_id, 'placement'
        from persons p, unnest(p.ids) u(id)
        join demystify_memory.placement c on c.source_memories @> array[u.id]
       where c.tenant_key || '' = p.tenant_key and c.gone_at is null
      on conflict do nothing
    )
    insert into demystify_memory.erasure_event (tenant_key, tombstone_id, event, memories)
    select p.tenant_key, p.tombstone_id, 'rows_destroyed', p.counted from persons p where p.counted > 0;
  end if;

  delete from demystify_memory.idempotency_key k
    using old_rows o
    where o.idempotency_hash is not null and k.tenant_key = o.tenant_key
      and k.idempotency_hash = o.idempotency_hash and k.memory_id = o.memory_id;
  return null;
end
$$;
comment on function demystify_memory.record_memory_delete is
  'Counts deleted memories for the erasure that covers them; writes the tombstone of a direct delete, or refuses it (ME005).';

create or replace function demystify_memory.record_derived_delete() returns trigger
language plpgsql security definer  -- writes evidence for whoever deletes
set search_path = ''
set jit = off
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set plan_cache_mode = force_generic_plan
as $$
declare
  v_tenants    bigint;
  v_own        uuid[];
  v_destroying uuid;
  v_uncovered  bigint;
begin
  -- One look, because a cascade comes here once a level; nothing was deleted where no tenant is locked.
  select count(pg_advisory_xact_lock_shared(demystify_memory.hold_lock(t.tenant_key))), demystify_memory.own_tombstones()
    into v_tenants, v_own
    from (select distinct o.tenant_key from old_rows o order by 1) t;
  if v_tenants = 0 then
    return null;
  end if;
  if current_setting('transaction_isolation') <> 'read committed' then
    perform demystify_memory.assert_read_committed();
  end if;
  if exists (select from demystify_memory.legal_hold) then
    perform demystify_memory.assert_not_held(
      array(select distinct o.tenant_key from old_rows o),
      array(select distinct h from old_rows o, unnest(o.subject_hashes) h));
  end if;
  v_destroying := nullif(current_setting('demystify_memory.destroying', true), '')::uuid;

  with covered as materialized (
    select o.tenant_key, cardinality(o.source_memories) + cardinality(o.source_derived) as edges,
           (coalesce(
                 (select v_destroying where exists (
                    select from demystify_memory.tombstone_item i
                     where i.tenant_key = o.tenant_key and i.item_id = o.derived_id and i.tombstone_id = v_destroying
                       and i.tombstone_id <> all(v_own) offset 0)),
                 (select i.tombstone_id
                    from demystify_memory.tombstone_item i
                   where i.tenant_key = o.tenant_key and i.item_id = o.derived_id and i.tombstone_id <> all(v_own)
                   order by i.tombstone_id
                   limit 1 offset 0))) as tombstone_id
      from old_rows o
  ), counted as (
    insert into demystify_memory.erasure_event (tenant_key, tombstone_id, event, derived, edges)
      select c.tenant_key, c.tombstone_id, 'rows_destroyed', count(*), sum(c.edges)
        from covered c
       where c.tombstone_id is not null
       group by c.tenant_key, c.tombstone_id
  )
  select count(*) into v_uncovered from covered c where c.tombstone_id is null;

  if v_uncovered = 0 then
    return null;
  end if;

  -- Rows without an item of their own: taken along by a source (a direct delete, or a row that came in late), and so
  -- filed under that source's tombstone, one level deeper. What has no such source was deleted directly.
  with uncovered as materialized (
    select o.tenant_key, o.derived_id, o.kind, o.content_tags, o.source_memories, o.source_derived,
           cardinality(o.source_memories) + cardinality(o.source_derived) as edges, s.tombstone_id, s.depth
      from old_rows o
      left join lateral (
        select i.tombstone_id, i.depth + 1 as depth
          from (select found.* from unnest(o.source_memories || o.source_derived) wanted(id),
              lateral (select one.* from demystify_memory.tombstone_item one where one.tenant_key = o.tenant_key and one.item_id = wanted.id offset 0) found) i
         where i.tombstone_id <> all(v_own)
         order by i.tombstone_id is distinct from v_destroying, i.depth, i.tombstone_id
         limit 1 offset 0) s on true
     where not exists (
       select from demystify_memory.tombstone_item i
        where i.tenant_key = o.tenant_key and i.item_id = o.derived_id and i.tombstone_id <> all(v_own) offset 0)
  ), direct as materialized (
    select u.tenant_key, demystify_memory.uuid_v7() as tombstone_id, count(*) as derived, sum(u.edges) as edges,
           array_agg(u.derived_id) as ids, array_agg(u.content_tags::text) as tags
      from uncovered u
     where u.tombstone_id is null
     group by u.tenant_key
  ), allowed as materialized (
    select demystify_memory.assert_direct_delete(v_own <> '{}' and exists (
      select from uncovered u
        join demystify_memory.tombstone_item i on i.tenant_key = u.tenant_key and i.item_id = u.derived_id
       where i.tombstone_id = any(v_own)))
      from direct limit 1
  ), opened as (
    insert into demystify_memory.tombstone (
      tenant_key, tombstone_id, scope, reason, origin, planned_derived, planned_edges, matched)
    select d.tenant_key, d.tombstone_id, 'derived', demystify_memory.direct_delete_reason(), 'direct_delete',
           d.derived, d.edges, true
      from direct d
     where (select count(*) from allowed) >= 0
  ), items as (
    insert into demystify_memory.tombstone_item (
      tenant_key, item_id, tombstone_id, kind, depth, content_tags, derived_kind, surviving_memories, surviving_derived)
    select u.tenant_key, u.derived_id, u.tombstone_id, 'derived', u.depth, u.content_tags,
           case when m.ids <> '{}' or d.ids <> '{}' then u.kind end, m.ids, d.ids
      from uncovered u,
      lateral (select coalesce(array_agg(x.memory_id order by x.memory_id), '{}') as ids
                 from (select found.* from unnest(u.source_memories) wanted(id),
                     lateral (select one.* from demystify_memory.memory one where one.tenant_key = u.tenant_key and one.memory_id = wanted.id offset 0) found) x) m,
      lateral (select coalesce(array_agg(x.derived_id order by x.derived_id), '{}') as ids
                 from (select found.* from unnest(u.source_derived) wanted(id),
                     lateral (select one.* from demystify_memory.derived one where one.tenant_key = u.tenant_key and one.derived_id = wanted.id offset 0) found) x) d
     where u.tombstone_id is not null
    union all
    select d.tenant_key, u.id, d.tombstone_id, 'derived', 0, u.tags::text[], null, null, null
      from direct d, unnest(d.ids, d.tags) u(id, tags)
  ), copies as (
    insert into demystify_memory.tombstone_item (tenant_key, item_id, tombstone_id, kind)
    select x.tenant_key, c.placement_id, x.tombstone_id, 'placement'
      from (select u.tenant_key, u.derived_id, u.tombstone_id from uncovered u where u.tombstone_id is not null
            union all
            select d.tenant_key, i, d.tombstone_id from direct d, unnest(d.ids) i) x
      join demystify_memory.placement c on c.source_derived @> array[x.derived_id]
     where c.tenant_key || '' = x.tenant_key and c.gone_at is null
    on conflict do nothing
  )
  insert into demystify_memory.erasure_event (tenant_key, tombstone_id, event, derived, edges, depth)
    select u.tenant_key, u.tombstone_id, 'rows_destroyed', count(*), sum(u.edges), max(u.depth)
      from uncovered u
     where u.tombstone_id is not null
     group by u.tenant_key, u.tombstone_id
    union all
    select d.tenant_key, d.tombstone_id, 'rows_destroyed', d.derived, d.edges, 0 from direct d;
  return null;
end
$$;
comment on function demystify_memory.record_derived_delete is
  'Counts deleted derived rows for the erasure that covers them or their sources; records a direct delete, or refuses it (ME005).';

-- The second trigger of a delete: what was derived from the deleted rows goes too.

create or replace function demystify_memory.is_open_item(p_tenant text, p_tombstone uuid, p_id uuid) returns boolean
language plpgsql stable security definer  -- evidence is not the caller's to read
set search_path = ''
set jit = off
set enable_seqscan = off
as $$
begin
  return (
    select exists (select from demystify_memory.open_erasure o where o.tenant_key = p_tenant and o.tombstone_id = p_tombstone)
       and exists (select from demystify_memory.tombstone_item i
                    where i.tenant_key = p_tenant and i.item_id = p_id and i.tombstone_id = p_tombstone));
end
$$;
comment on function demystify_memory.is_open_item is 'Whether an erasure that is not yet destroyed covers this row.';

-- One DELETE a level, 64 sources a look at the index. No DISTINCT, no recursive query: an empty level ends it. The tenant
-- is a filter that no index can serve, so that the planner cannot prefer the primary key to the GIN index (65 times
-- slower with many tenants).
-- seqscan, hash and merge joins are off because the first transition table met would decide the plan for all later ones.
create or replace function demystify_memory.reach_derived() returns trigger
language plpgsql security definer  -- the deleter's own row-level security must not hide a derived row
set search_path = ''
set jit = off
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set plan_cache_mode = force_generic_plan
as $$
declare
  v_any        boolean;
  v_holds      boolean;
  v_held       text[] := '{}';
  v_destroying uuid := nullif(current_setting('demystify_memory.destroying', true), '')::uuid;
begin
  select exists (select from old_rows), v_destroying is not null and exists (select from demystify_memory.legal_hold)
    into v_any, v_holds;
  if not v_any then
    return null;
  end if;
  -- An erasure passes over held rows that it covers: they stay hidden in its work list until the hold is released. Any
  -- other delete that meets a held row fails, in the trigger of the row itself.
  if v_holds then
    select coalesce(array_agg(h), '{}') into v_held
      from (select distinct o.tenant_key from old_rows o) t, unnest(demystify_memory.held_subjects(t.tenant_key)) h;
  end if;
  if tg_table_name = 'memory' then
    delete from demystify_memory.derived d
      using (select n.tenant_key, array_agg(n.memory_id) as ids
               from (select o.tenant_key, o.memory_id, row_number() over () as at from old_rows o) n
              group by n.tenant_key, n.at / 64) o
      where d.source_memories && o.ids and d.tenant_key || '' = o.tenant_key
        and not (d.subject_hashes && v_held and demystify_memory.is_open_item(d.tenant_key, v_destroying, d.derived_id));
  else
    delete from demystify_memory.derived d
      using (select n.tenant_key, array_agg(n.derived_id) as ids
               from (select o.tenant_key, o.derived_id, row_number() over () as at from old_rows o) n
              group by n.tenant_key, n.at / 64) o
      where d.source_derived && o.ids and d.tenant_key || '' = o.tenant_key
        and not (d.subject_hashes && v_held and demystify_memory.is_open_item(d.tenant_key, v_destroying, d.derived_id));
  end if;
  return null;
end
$$;
comment on function demystify_memory.reach_derived is 'Deletes what was derived from the deleted rows.';

-- The third trigger of a delete, and the three put in place.

-- Closes the record of a direct delete once the cascade has ended. Nothing of it was visible before.
create or replace function demystify_memory.settle_direct_delete() returns trigger
language plpgsql security definer  -- writes evidence for whoever deletes
set search_path = ''
set jit = off
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  v_left       boolean;
  v_tombstones uuid[];
  v_tenants    text[];
begin
  if not exists (select from demystify_memory.tombstone t
                  where t.opened_xid = pg_current_xact_id() and t.origin = 'direct_delete' offset 0) then
    return null;
  end if;

  -- Counted again before it is certified: a row trigger or a rule of the host may have swallowed the cascade, or put a
  -- row back before its item was there.
  if tg_table_name = 'memory' then
    v_left := exists (select from old_rows o
                       where exists (select from demystify_memory.memory m
                                      where m.tenant_key = o.tenant_key and m.memory_id = o.memory_id offset 0))
      or exists (select from old_rows o
                  join demystify_memory.derived d on d.source_memories @> array[o.memory_id] and d.tenant_key || '' = o.tenant_key);
  else
    v_left := exists (select from old_rows o
                       where exists (select from demystify_memory.derived d
                                      where d.tenant_key = o.tenant_key and d.derived_id = o.derived_id offset 0))
      or exists (select from old_rows o
                  join demystify_memory.derived d on d.source_derived @> array[o.derived_id] and d.tenant_key || '' = o.tenant_key);
  end if;
  if v_left then
    raise exception 'rows that were deleted are still there'
      using errcode = 'ME018', hint = 'A rule, trigger or policy of the host swallows deletes: run verify_install().';
  end if;

  if tg_table_name = 'memory' then
    select array_agg(x.tombstone_id), array_agg(x.tenant_key) into v_tombstones, v_tenants
      from (select distinct o.tenant_key, i.tombstone_id
              from old_rows o
              join demystify_memory.tombstone_item i on i.tenant_key = o.tenant_key and i.item_id = o.memory_id) x
      join demystify_memory.tombstone t on t.tenant_key = x.tenant_key and t.tombstone_id = x.tombstone_id
     where t.opened_xid = pg_current_xact_id() and t.origin = 'direct_delete' and t.scope = 'memories';
  else
    select array_agg(x.tombstone_id), array_agg(x.tenant_key) into v_tombstones, v_tenants
      from (select distinct o.tenant_key, i.tombstone_id
              from old_rows o
              join demystify_memory.tombstone_item i on i.tenant_key = o.tenant_key and i.item_id = o.derived_id
             where i.depth = 0) x
      join demystify_memory.tombstone t on t.tenant_key = x.tenant_key and t.tombstone_id = x.tombstone_id
     where t.opened_xid = pg_current_xact_id() and t.origin = 'direct_delete' and t.scope = 'derived';
  end if;
  if v_tombstones is not null then
    perform demystify_memory.settle(u.tenant_key, u.tombstone_id) from unnest(v_tenants, v_tombstones) u(tenant_key, tombstone_id);
  end if;
  return null;
end
$$;
comment on function demystify_memory.settle_direct_delete is
  'Records a direct delete as destroyed, and as complete unless something about it is still open.';

do $cascade$
declare
  v_table text;
  v_event text[];
begin
  foreach v_table in array array['memory', 'derived'] loop
    foreach v_event slice 1 in array array[
      ['_delete_1_is_recorded', format('record_%s_delete', v_table)],
      ['_delete_2_reaches_derived', 'reach_derived'],
      ['_delete_3_is_settled', 'settle_direct_delete']]
    loop
      execute format('drop trigger if exists %I on demystify_memory.%I', v_table || v_event[1], v_table);
      execute format(
        'create trigger %I after delete on demystify_memory.%I referencing old table as old_rows
           for each statement execute function demystify_memory.%I()', v_table || v_event[1], v_table, v_event[2]);
      execute format('alter table demystify_memory.%I enable always trigger %I', v_table, v_table || v_event[1]);
    end loop;
  end loop;
end
$cascade$;

-- What may be entered as evidence, and when.

-- A tombstone carries the transaction and the time it was really opened in; a forged stamp is refused, not corrected.
create or replace function demystify_memory.check_tombstones() returns trigger
language plpgsql security definer  -- reads settings for whoever inserts
set search_path = ''
set jit = off
as $$
begin
  if exists (
    select from new_rows n
     where n.opened_xid <> pg_current_xact_id()
        or n.opened_at not between transaction_timestamp() and clock_timestamp()) then
    raise exception 'a tombstone is stamped by the database: its transaction and time cannot be given'
      using errcode = 'ME005', hint = 'Leave opened_xid and opened_at to their defaults.';
  end if;
  if exists (select from new_rows n where n.origin = 'direct_delete')
     and (select s.direct_delete from demystify_memory.settings s) = 'refuse' then
    raise exception 'direct deletes are refused here' using errcode = 'ME005';
  end if;
  return null;
end
$$;
comment on function demystify_memory.check_tombstones is 'Refuses (ME005) a tombstone with a forged stamp.';

drop trigger if exists tombstone_is_stamped_by_the_database on demystify_memory.tombstone;
create trigger tombstone_is_stamped_by_the_database after insert on demystify_memory.tombstone
  referencing new table as new_rows
  for each statement execute function demystify_memory.check_tombstones();
alter table demystify_memory.tombstone enable always trigger tombstone_is_stamped_by_the_database;

-- An item belongs to a tombstone that exists and is not yet destroyed: nothing is covered after the fact.
create or replace function demystify_memory.check_tombstone_items() returns trigger
language plpgsql security definer  -- reads evidence for whoever inserts
set search_path = ''
set jit = off
set enable_seqscan = off
as $$
begin
  if exists (
    select from (select distinct n.tenant_key, n.tombstone_id from new_rows n) x
     where not exists (
             select from demystify_memory.tombstone t
              where t.tenant_key = x.tenant_key and t.tombstone_id = x.tombstone_id offset 0)
        or exists (
             select from demystify_memory.erasure_event e
              where e.tenant_key = x.tenant_key and e.tombstone_id = x.tombstone_id and e.event = 'destroyed' offset 0)) then
    raise exception 'an item needs a tombstone that is open' using errcode = 'ME005';
  end if;
  return null;
end
$$;
comment on function demystify_memory.check_tombstone_items is
  'Refuses (ME005) an item without a tombstone, or of one whose rows are already destroyed.';

drop trigger if exists tombstone_item_has_an_open_tombstone on demystify_memory.tombstone_item;
create trigger tombstone_item_has_an_open_tombstone after insert on demystify_memory.tombstone_item
  referencing new table as new_rows
  for each statement execute function demystify_memory.check_tombstone_items();
alter table demystify_memory.tombstone_item enable always trigger tombstone_item_has_an_open_tombstone;

-- What an erasure must cover. One selector serves preview and erasure, so that what is shown is what goes.

-- Everything derived from these memories, and these derived rows themselves with what was derived from them, level by
-- level. Deepest first, so that it can be destroyed in that order. The index is asked for 64 sources at once: a row
-- with several of them is looked at once, and the cost of asking is shared.
create or replace function demystify_memory.closure_of(
  p_tenant text, p_memories uuid[], p_derived uuid[],
  out derived_ids uuid[], out depths smallint[], out cascade_depth int
)
language plpgsql stable security definer  -- no row-level security of the caller may hide a derived row
set search_path = ''
set jit = off
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set plan_cache_mode = force_generic_plan
as $$
declare
  v_next  uuid[];
  v_level uuid[];
begin
  derived_ids := '{}';
  depths := '{}';
  cascade_depth := 0;
  v_next := array(
    select d.derived_id
      from generate_series(1, cardinality(p_memories), 64) n
      join demystify_memory.derived d on d.source_memories && p_memories[n : n + 63] and d.tenant_key || '' = p_tenant
    union all
    select d.derived_id from (select found.* from unnest(p_derived) wanted(id),
        lateral (select one.* from demystify_memory.derived one where one.tenant_key = p_tenant and one.derived_id = wanted.id offset 0) found) d);
  loop
    -- Duplicates (diamonds) go here, over arrays: a DISTINCT over the index join is planned for half the table. In the
    -- order of ids, which is that of time: what was derived from neighbours is then met once, and not once for each.
    v_level := array(select x from unnest(v_next) x except select s from unnest(derived_ids) s order by 1);
    exit when v_level = '{}';
    cascade_depth := cascade_depth + 1;
    derived_ids := v_level || derived_ids;
    depths := array_fill(cascade_depth::smallint, array[cardinality(v_level)]) || depths;
    v_next := array(
      select d.derived_id
        from generate_series(1, cardinality(v_level), 64) n
        join demystify_memory.derived d on d.source_derived && v_level[n : n + 63] and d.tenant_key || '' = p_tenant);
  end loop;
end
$$;
comment on function demystify_memory.closure_of is 'The derived rows reachable from these memories, deepest first, with depths.';

-- Whom and which memories a request is about. p_request: {"scope", "subject": {"written", "known"}, "memoryIds"}.
-- p_persons_only: of a whole person's erasure the persons suffice, and no row is read.
create or replace function demystify_memory.erasure_target(
  p_tenant text, p_request jsonb, p_persons_only boolean default false,
  out hashes text[], out subject_hash text, out key_id text, out memory_ids uuid[], out derived_ids uuid[],
  out already_erased int, out never_seen int
)
language plpgsql stable security definer  -- reads across the tenant for the caller
set search_path = ''
set jit = off
set enable_seqscan = off
as $$
declare
  v_ids     uuid[];
  v_persons uuid[];
begin
  already_erased := 0;
  never_seen := 0;
  derived_ids := '{}';
  hashes := array(select h.value ->> 'hash'
    from jsonb_array_elements(coalesce(p_request #> '{subject,known}', p_request #> '{subject,replayed}')) h);
  hashes := array(
    select h from unnest(hashes) h
    union
    select p.subject_hash from (select linked.subject_hash from unnest(hashes) wanted(hash),
        lateral (select one.person_id from demystify_memory.subject one
                  where one.tenant_key = p_tenant and one.subject_hash = wanted.hash offset 0) person,
        lateral (select one.subject_hash from demystify_memory.subject one
                  where one.tenant_key = p_tenant and one.person_id = person.person_id offset 0) linked) p);
  subject_hash := p_request #>> '{subject,written,hash}';
  key_id := p_request #>> '{subject,written,keyId}';

  v_ids := array(select value::uuid from jsonb_array_elements_text(coalesce(nullif(p_request -> 'memoryIds', 'null'), '[]')));
  if p_request ->> 'origin' = 'replay' or p_request ->> 'scope' = 'derived' then
    -- By id, whoever they are of; of a whole person also what was stored not later than the original erasure.
    memory_ids := array(
      select m.memory_id from (select found.* from unnest(v_ids) wanted(id),
          lateral (select one.* from demystify_memory.memory one where one.tenant_key = p_tenant and one.memory_id = wanted.id offset 0) found) m
      union
      select m.memory_id from ((select one.* from demystify_memory.memory one where one.tenant_key = p_tenant and one.subject_hash = any(hashes) offset 0)
          union all
          (select one.* from demystify_memory.memory one
            where one.tenant_key || '' = p_tenant and one.also_hashes <> '{}' and one.also_hashes && hashes and one.subject_hash <> all(hashes) offset 0)) m
       where p_request ->> 'scope' = 'subject' and m.created_at <= (p_request ->> 'replaysOpenedAt')::timestamptz
      order by 1);
    derived_ids := array(select value::uuid from jsonb_array_elements_text(coalesce(p_request -> 'derivedIds', '[]')));
    derived_ids := array(select distinct d.derived_id from (select found.* from unnest(derived_ids) wanted(id),
        lateral (select one.* from demystify_memory.derived one where one.tenant_key = p_tenant and one.derived_id = wanted.id offset 0) found) d order by 1);
    return;
  end if;

  if p_request ->> 'scope' = 'subject' then
    if p_persons_only then
      return;
    end if;
    memory_ids := array(select m.memory_id from ((select one.* from demystify_memory.memory one where one.tenant_key = p_tenant and one.subject_hash = any(hashes) offset 0)
        union all
        (select one.* from demystify_memory.memory one
          where one.tenant_key || '' = p_tenant and one.also_hashes <> '{}' and one.also_hashes && hashes and one.subject_hash <> all(hashes) offset 0)) m order by 1);
    return;
  end if;

  memory_ids := array(
    select distinct m.memory_id from (select found.* from unnest(v_ids) wanted(id),
        lateral (select one.* from demystify_memory.memory one where one.tenant_key = p_tenant and one.memory_id = wanted.id offset 0) found) m order by 1);
  select count(*) filter (where i.erased), count(*) filter (where not i.erased) into already_erased, never_seen
    from (
      select exists (select from demystify_memory.tombstone_item t
                      where t.tenant_key = p_tenant and t.item_id = u.id offset 0) as erased
        from unnest(v_ids) u(id)
       where u.id not in (select unnest(memory_ids))) i;
  if memory_ids = '{}' then
    return;
  end if;

  if p_request ->> 'origin' = 'expiry' then
    -- Nobody asked for it: the evidence names the person the rows are filed under first.
    select m.subject_hash, m.key_id into subject_hash, key_id
      from (select found.* from unnest(memory_ids[1:1]) wanted(id),
          lateral (select one.* from demystify_memory.memory one where one.tenant_key = p_tenant and one.memory_id = wanted.id offset 0) found) m;
    hashes := array(select p.subject_hash from (select linked.subject_hash from unnest(array[erasure_target.subject_hash]) wanted(hash),
        lateral (select one.person_id from demystify_memory.subject one
                  where one.tenant_key = p_tenant and one.subject_hash = wanted.hash offset 0) person,
        lateral (select one.subject_hash from demystify_memory.subject one
                  where one.tenant_key = p_tenant and one.person_id = person.person_id offset 0) linked) p);
    return;
  end if;

  -- The persons that all the rows have in common, whatever key their hashes were made under.
  v_persons := array(
    select s.person_id
      from (select found.* from unnest(memory_ids) wanted(id),
          lateral (select one.* from demystify_memory.memory one where one.tenant_key = p_tenant and one.memory_id = wanted.id offset 0) found) m, unnest(m.subject_hash || m.also_hashes) h,
      lateral (select x.person_id from demystify_memory.subject x where x.tenant_key = p_tenant and x.subject_hash = h offset 0) s
     group by s.person_id
    having count(distinct m.memory_id) = cardinality(memory_ids));
  if hashes <> '{}' then
    if not exists (select from demystify_memory.subject s
                    where s.tenant_key = p_tenant and s.subject_hash = any(hashes) and s.person_id = any(v_persons)) then
      raise exception 'memoryIds: are not all filed under the person named' using errcode = 'ME001';
    end if;
    return;
  end if;
  if cardinality(v_persons) = 0 then
    raise exception 'memoryIds: belong to several persons; erase the rows of one person at a time' using errcode = 'ME001';
  end if;
  if cardinality(v_persons) > 1 then
    raise exception 'subjectKey: is required, because these rows are filed under several persons in common'
      using errcode = 'ME001';
  end if;
  select array_agg(s.subject_hash), (array_agg(s.subject_hash order by s.person_id, s.subject_hash))[1]
    into hashes, subject_hash
    from demystify_memory.subject s
   where s.tenant_key = p_tenant and s.person_id = v_persons[1];
  select m.subject_hash, m.key_id into subject_hash, key_id
    from (select found.* from unnest(memory_ids) wanted(id),
        lateral (select one.* from demystify_memory.memory one where one.tenant_key = p_tenant and one.memory_id = wanted.id offset 0) found) m
   where m.subject_hash = any(hashes)
   order by m.memory_id limit 1;
  if subject_hash is null then
    subject_hash := hashes[1];
    select s.key_id into key_id from demystify_memory.subject s
     where s.tenant_key = p_tenant and s.subject_hash = erasure_target.subject_hash;
  end if;
end
$$;
comment on function demystify_memory.erasure_target is 'The persons and memories a request to erase is about (ME001 if ambiguous).';

-- The copies of a closure that are not known to be gone; for a whole person also those an earlier erasure still waits
-- for, so that a second request cannot succeed past the first.
create or replace function demystify_memory.placements_of(
  p_tenant text, p_scope text, p_hashes text[], p_memories uuid[], p_derived uuid[]
) returns uuid[]
language plpgsql stable security definer  -- placements are not the caller's to read
set search_path = ''
set jit = off
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set plan_cache_mode = force_generic_plan
as $$
begin
  return (
    select coalesce(array_agg(x.placement_id order by x.placement_id), '{}')
      from (
        select p.placement_id
          from generate_series(1, cardinality(p_memories), 64) n
          join demystify_memory.placement p on p.source_memories && p_memories[n : n + 63] and p.tenant_key || '' = p_tenant
         where p.gone_at is null
        union
        select p.placement_id
          from generate_series(1, cardinality(p_derived), 64) n
          join demystify_memory.placement p on p.source_derived && p_derived[n : n + 63] and p.tenant_key || '' = p_tenant
         where p.gone_at is null
        union
        select p.placement_id
          from demystify_memory.placement p
         where p_scope = 'subject' and p.subject_hashes && p_hashes and p.tenant_key || '' = p_tenant and p.gone_at is null
      ) x);
end
$$;
comment on function demystify_memory.placements_of is 'The placements an erasure of this closure has to see confirmed.';

-- Says whether a closure is still the one that was previewed.
create or replace function demystify_memory.preview_token(p_tenant text, p_memories uuid[], p_derived uuid[], p_placements uuid[]) returns text
language plpgsql stable
set search_path = ''
as $$
begin
  return (
    select encode(sha256(convert_to(coalesce(string_agg(u.id::text, ',' order by u.id), ''), 'UTF8')), 'hex')
      from unnest(p_memories || p_derived || p_placements) u(id)
     where u.id not in (select demystify_memory.open_items(p_tenant)));
end
$$;
comment on function demystify_memory.preview_token is 'A digest of the ids of a closure, those already being erased left out.';

-- What is said of a closure besides its ids, in one look at each row: its edges, everybody it is about, how many other
-- persons lose a shared row, and whether all that was derived from it is on record.
create or replace function demystify_memory.closure_facts(
  p_tenant text, p_hashes text[], p_memories uuid[], p_derived uuid[],
  out edges bigint, out subject_hashes text[], out other_subjects int, out closure_known boolean
)
language plpgsql stable security definer  -- counts persons the caller may not read
set search_path = ''
set jit = off
set enable_seqscan = off
as $$
declare
  v_others text[];
begin
  with memories as materialized (
    select m.provenance_known, m.others
      from unnest(p_memories) u(id),
      lateral (select x.provenance_known,
                      case when x.subject_hash <> all(p_hashes) or not x.also_hashes <@ p_hashes
                           then x.subject_hash || x.also_hashes end as others
                 from demystify_memory.memory x
                where x.tenant_key = p_tenant and x.memory_id = u.id offset 0) m
  ), deriveds as materialized (
    select d.edges, d.others
      from unnest(p_derived) u(id),
      lateral (select cardinality(x.source_memories) + cardinality(x.source_derived) as edges,
                      case when not x.subject_hashes <@ p_hashes then x.subject_hashes end as others
                 from demystify_memory.derived x
                where x.tenant_key = p_tenant and x.derived_id = u.id offset 0) d
  )
  select (select coalesce(sum(d.edges), 0) from deriveds d),
         (select coalesce(bool_and(m.provenance_known), true) from memories m),
         array(select unnest(m.others) from memories m where m.others is not null
               union
               select unnest(d.others) from deriveds d where d.others is not null)
    into edges, closure_known, v_others;
  subject_hashes := array(select unnest(p_hashes) union select unnest(v_others) order by 1);
  other_subjects := 0;
  if v_others <> '{}' then
    select count(distinct s.person_id) into other_subjects
      from unnest(v_others) u(h),
      lateral (select y.person_id from demystify_memory.subject y
                where y.tenant_key = p_tenant and y.subject_hash = u.h offset 0) s
     where s.person_id not in (
       select o.person_id from demystify_memory.subject o where o.tenant_key = p_tenant and o.subject_hash = any(p_hashes));
  end if;
end
$$;
comment on function demystify_memory.closure_facts is
  'Edges of a closure, everybody filed on or summarised in it, and whether everything derived from it is on record.';

-- Of each derived row that goes although some of its direct sources stay: which stay.
create or replace function demystify_memory.rebuildable_of(p_tenant text, p_memories uuid[], p_derived uuid[])
returns table (derived_id uuid, kind text, surviving_memories uuid[], surviving_derived uuid[])
language plpgsql stable security definer  -- reads across the tenant for the caller
set search_path = ''
set jit = off
set enable_seqscan = off
as $$
#variable_conflict use_column
begin
  return query
  select d.derived_id, min(d.kind),
         coalesce(array_agg(s.id order by s.id) filter (where s.kind = 'memory'), '{}'),
         coalesce(array_agg(s.id order by s.id) filter (where s.kind = 'derived'), '{}')
    from (select found.* from unnest(p_derived) wanted(id),
        lateral (select one.* from demystify_memory.derived one where one.tenant_key = p_tenant and one.derived_id = wanted.id offset 0) found) d,
    lateral (select 'memory' as kind, unnest(d.source_memories) as id
             union all
             select 'derived', unnest(d.source_derived)) s
   where s.id not in (select unnest(p_memories || p_derived))
     and s.id not in (select demystify_memory.open_items(p_tenant))
   group by d.derived_id;
end
$$;
comment on function demystify_memory.rebuildable_of is 'Over-erased derived rows with the direct sources that survive.';

create or replace function demystify_memory.preview_erasure(p_tenant text, p_request text) returns text
language plpgsql stable security definer  -- reads across the tenant for the caller
set search_path = ''
set jit = off
set enable_seqscan = off
as $$
declare
  v_target  record;
  v_closure record;
  v_memories uuid[];
  v_derived  uuid[];
  v_placements uuid[];
  v_facts      record;
begin
  perform demystify_memory.assert_tenant(p_tenant, true);
  perform demystify_memory.assert_keys(p_tenant, p_request::jsonb #> '{subject,known}');
  v_target := demystify_memory.erasure_target(p_tenant, p_request::jsonb);
  v_closure := demystify_memory.closure_of(p_tenant, v_target.memory_ids, v_target.derived_ids);
  v_memories := array(select u from unnest(v_target.memory_ids) u
                       where u not in (select demystify_memory.open_items(p_tenant)) order by u);
  v_derived := array(select u from unnest(v_closure.derived_ids) u
                      where u not in (select demystify_memory.open_items(p_tenant)) order by u);
  v_placements := demystify_memory.placements_of(
    p_tenant, p_request::jsonb ->> 'scope', v_target.hashes, v_target.memory_ids, v_closure.derived_ids);
  v_facts := demystify_memory.closure_facts(p_tenant, v_target.hashes, v_memories, v_derived);
  return json_build_object(
    'ids', json_build_object('memories', v_memories, 'derived', v_derived, 'placements', v_placements),
    'counts', json_build_object(
      'memories', cardinality(v_memories), 'derived', cardinality(v_derived),
      'provenanceEdges', v_facts.edges,
      'placements', cardinality(v_placements)),
    'cascadeDepth', (
      select coalesce(max(u.depth), 0) from unnest(v_closure.derived_ids, v_closure.depths) u(id, depth)
       where u.id = any(v_derived)),
    'otherSubjects', v_facts.other_subjects,
    'sinks', (
      select coalesce(json_agg(json_build_object('sink', x.sink, 'placements', x.n) order by x.sink), '[]')
        from (select p.sink, count(*) as n from demystify_memory.placement p
               where p.tenant_key = p_tenant and p.placement_id = any(v_placements) group by p.sink) x),
    'rebuildable', (
      select coalesce(json_agg(json_build_object('derivedKind', r.kind, 'survivingSources',
               demystify_memory.sources_json(r.surviving_memories, r.surviving_derived)) order by r.derived_id), '[]')
        from demystify_memory.rebuildable_of(p_tenant, v_memories, v_derived) r),
    'token', demystify_memory.preview_token(p_tenant, v_target.memory_ids, v_closure.derived_ids, v_placements))::text;
end
$$;
comment on function demystify_memory.preview_erasure is 'What an erasure would cover, without opening it.';

-- The receipt and the state are computed from what was inserted; nothing stores them.

create or replace view demystify_memory.erasure_state as
  select t.tenant_key, t.tombstone_id,
         case when e.completed_at is not null then 'complete'
              when e.escalated_at is not null then 'escalated'
              else 'in_progress' end as state,
         e.destroyed_at, e.completed_at, e.escalated_at, e.escalation_code,
         e.memories, e.derived, e.edges, greatest(t.cascade_depth, e.depth) as cascade_depth, e.attested
    from demystify_memory.tombstone t,
    lateral (
      select min(e.at) filter (where e.event = 'destroyed') as destroyed_at,
             min(e.at) filter (where e.event = 'completed') as completed_at,
             max(e.at) filter (where e.event = 'escalated') as escalated_at,
             (array_agg(e.code order by e.at desc) filter (where e.event = 'escalated'))[1] as escalation_code,
             coalesce(sum(e.memories), 0) as memories,
             coalesce(sum(e.derived), 0) as derived,
             coalesce(sum(e.edges), 0) as edges,
             coalesce(max(e.depth), 0) as depth,
             coalesce(bool_or(e.event in ('attested', 'closure_attested')), false) as attested
        from demystify_memory.erasure_event e
       where e.tenant_key = t.tenant_key and e.tombstone_id = t.tombstone_id) e;
comment on view demystify_memory.erasure_state is 'Where each erasure stands, computed from its events. Not granted to anybody.';

-- The placements of an erasure with what is known of each. A write reported after the fact makes a copy outstanding
-- again, so what counts is what came after the last of those.
create or replace function demystify_memory.erasure_placements(p_tenant text, p_tombstone uuid)
returns table (placement_id uuid, sink text, confirmed boolean, attested boolean)
language plpgsql stable security definer  -- evidence is not the caller's to read
set search_path = ''
set jit = off
set enable_seqscan = off
as $$
#variable_conflict use_column
begin
  return query
  select i.item_id, p.sink,
         coalesce(bool_or(e.event = 'confirmed' and e.at > coalesce(l.at, '-infinity')), false),
         coalesce(bool_or(e.event = 'attested' and e.at > coalesce(l.at, '-infinity')), false)
    from demystify_memory.tombstone_item i
    left join demystify_memory.placement p on p.tenant_key = i.tenant_key and p.placement_id = i.item_id
    left join lateral (
      select max(w.at) as at from demystify_memory.erasure_event w
       where w.tenant_key = p_tenant and w.tombstone_id = p_tombstone and w.placement_id = i.item_id and w.event = 'late_write') l on true
    left join demystify_memory.erasure_event e
      on e.tenant_key = p_tenant and e.tombstone_id = p_tombstone and e.placement_id = i.item_id
     and e.event in ('confirmed', 'attested')
   where i.tenant_key = p_tenant and i.tombstone_id = p_tombstone and i.kind = 'placement'
   group by i.item_id, p.sink;
end
$$;
comment on function demystify_memory.erasure_placements is 'The copies an erasure covers, and whether each is known to be gone.';

-- What was planned until the rows are destroyed, and what was destroyed from then on.
create or replace function demystify_memory.counts_json(p_tenant text, p_tombstone uuid) returns json
language plpgsql stable security definer  -- evidence is not the caller's to read
set search_path = ''
set jit = off
set enable_seqscan = off
as $$
begin
  return (
    select json_build_object(
      'memories', case when s.destroyed_at is null then t.planned_memories else s.memories end,
      'derived', case when s.destroyed_at is null then t.planned_derived else s.derived end,
      'provenanceEdges', case when s.destroyed_at is null then t.planned_edges else s.edges end,
      'placements', (
        select json_build_object(
                 'total', count(*),
                 'confirmed', count(*) filter (where x.confirmed),
                 'attested', count(*) filter (where x.attested and not x.confirmed),
                 'outstanding', count(*) filter (where not x.attested and not x.confirmed))
          from demystify_memory.erasure_placements(p_tenant, p_tombstone) x))
      from demystify_memory.tombstone t
      join demystify_memory.erasure_state s on s.tenant_key = t.tenant_key and s.tombstone_id = t.tombstone_id
     where t.tenant_key = p_tenant and t.tombstone_id = p_tombstone);
end
$$;
comment on function demystify_memory.counts_json is 'The counts of an erasure, as its receipt and its tombstone show them.';

create or replace function demystify_memory.receipt_json(p_tenant text, p_tombstone uuid) returns json
language plpgsql stable security definer  -- evidence is not the caller's to read
set search_path = ''
set jit = off
set enable_seqscan = off
as $$
begin
  return (
    select json_build_object(
      'tombstoneId', t.tombstone_id,
      'tenantKey', t.tenant_key,
      'scope', t.scope,
      'subjectHash', t.subject_hash,
      'subjectHashKeyed', t.subject_key_id is not null,
      'reason', t.reason,
      'legalBasis', t.legal_basis,
      'origin', t.origin,
      'requestedBy', json_build_object('role', t.requested_by_role, 'idHash', t.requested_by_hash),
      'state', s.state,
      'closure', case when s.state = 'complete' then case when s.attested then 'attested' else 'confirmed' end end,
      'owner', case when s.state = 'escalated' or s.state = 'complete' and s.attested then 'person'
                    when s.destroyed_at is not null and p.total > 0 then 'worker'
                    else 'library' end,
      'escalation', case when s.escalated_at is not null then
        json_build_object('code', s.escalation_code, 'at', demystify_memory.iso(s.escalated_at)) end,
      'openedAt', demystify_memory.iso(t.opened_at),
      'destroyedAt', demystify_memory.iso(s.destroyed_at),
      'completedAt', demystify_memory.iso(s.completed_at),
      'counts', demystify_memory.counts_json(p_tenant, p_tombstone),
      'cascadeDepth', s.cascade_depth,
      'matched', t.matched,
      'unknownIds', json_build_object('alreadyErased', t.already_erased, 'neverSeen', t.never_seen),
      'rebuildable', (
        select coalesce(json_agg(json_build_object('derivedKind', r.derived_kind, 'survivingSources',
                 demystify_memory.sources_json(r.memories, r.deriveds)) order by r.item_id), '[]')
          from (
            select i.item_id, i.derived_kind,
                   array(select u from unnest(i.surviving_memories) u where not exists (
                     select from demystify_memory.tombstone_item x
                       join demystify_memory.tombstone y on y.tenant_key = x.tenant_key and y.tombstone_id = x.tombstone_id
                      where x.tenant_key = p_tenant and x.item_id = u and y.opened_xid = t.opened_xid offset 0)) as memories,
                   array(select u from unnest(i.surviving_derived) u where not exists (
                     select from demystify_memory.tombstone_item x
                       join demystify_memory.tombstone y on y.tenant_key = x.tenant_key and y.tombstone_id = x.tombstone_id
                      where x.tenant_key = p_tenant and x.item_id = u and y.opened_xid = t.opened_xid offset 0)) as deriveds
              from demystify_memory.tombstone_item i
             where i.tenant_key = p_tenant and i.tombstone_id = p_tombstone and i.derived_kind is not null) r
         where r.memories <> '{}' or r.deriveds <> '{}'),
      'otherSubjects', t.other_subjects,
      'outstanding', p.outstanding,
      'notCovered', json_build_array(
        'backups', 'wal_archive', 'replicas', 'logical_sinks', 'server_logs', 'dead_tuples', 'unrecorded_copies'))
      from demystify_memory.tombstone t
      join demystify_memory.erasure_state s on s.tenant_key = t.tenant_key and s.tombstone_id = t.tombstone_id,
      lateral (
        select count(*) as total,
               coalesce(json_agg(json_build_object('placementId', x.placement_id, 'sink', x.sink) order by x.placement_id)
                          filter (where not x.confirmed and not x.attested), '[]') as outstanding
          from demystify_memory.erasure_placements(p_tenant, p_tombstone) x) p
     where t.tenant_key = p_tenant and t.tombstone_id = p_tombstone);
end
$$;
comment on function demystify_memory.receipt_json is 'The receipt of an erasure: ids, counts and codes.';

create or replace function demystify_memory.erasure_receipt(p_tenant text, p_tombstone uuid) returns text
language plpgsql stable security definer  -- evidence is not the caller's to read
set search_path = ''
as $$
begin
  perform demystify_memory.assert_tenant(p_tenant, false);
  return demystify_memory.receipt_json(p_tenant, p_tombstone)::text;
end
$$;
comment on function demystify_memory.erasure_receipt is 'The receipt of one erasure of this tenant, or null.';

create or replace function demystify_memory.list_erasures(
  p_tenant text, p_state text, p_older_than timestamptz, p_limit int, p_after_at timestamptz, p_after_id uuid
) returns text
language plpgsql stable security definer  -- evidence is not the caller's to read
set search_path = ''
set jit = off
set enable_seqscan = off
as $$
declare
  v_rows json;
begin
  perform demystify_memory.assert_tenant(p_tenant, false);
  select json_agg(json_build_object(
           'receipt', demystify_memory.receipt_json(x.tenant_key, x.tombstone_id),
           'at', x.opened_at, 'id', x.tombstone_id) order by x.opened_at desc, x.tombstone_id desc)
    into v_rows
    from (
      select t.tenant_key, t.tombstone_id, t.opened_at
        from demystify_memory.tombstone t
        join demystify_memory.erasure_state s on s.tenant_key = t.tenant_key and s.tombstone_id = t.tombstone_id
       where t.tenant_key = p_tenant
         and (p_state is null or s.state = p_state)
         and (p_older_than is null or t.opened_at < p_older_than)
         and (p_after_at is null or (t.opened_at, t.tombstone_id) < (p_after_at, p_after_id))
       order by t.opened_at desc, t.tombstone_id desc
       limit p_limit + 1) x;
  return coalesce(v_rows, '[]')::text;
end
$$;
comment on function demystify_memory.list_erasures is 'Receipts, newest first; one more than asked for tells that there is a next page.';

create or replace function demystify_memory.erasure_history(p_tenant text, p_hashes text[], p_keys jsonb, p_limit int, p_before uuid) returns text
language plpgsql stable security definer  -- evidence is not the caller's to read
set search_path = ''
set jit = off
set enable_seqscan = off
as $$
declare
  v_rows   json;
  v_hashes text[];
begin
  perform demystify_memory.assert_tenant(p_tenant, false);
  perform demystify_memory.assert_keys(p_tenant, p_keys);
  v_hashes := array(
    select h from unnest(p_hashes) h
    union
    select p.subject_hash from (select linked.subject_hash from unnest(p_hashes) wanted(hash),
        lateral (select one.person_id from demystify_memory.subject one
                  where one.tenant_key = p_tenant and one.subject_hash = wanted.hash offset 0) person,
        lateral (select one.subject_hash from demystify_memory.subject one
                  where one.tenant_key = p_tenant and one.person_id = person.person_id offset 0) linked) p);
  select json_agg(json_build_object(
           'tombstoneId', x.tombstone_id,
           'tenantKey', x.tenant_key,
           'scope', x.scope,
           'subjectHash', x.subject_hash,
           'subjectHashKeyed', x.subject_key_id is not null,
           'reason', x.reason,
           'legalBasis', x.legal_basis,
           'origin', x.origin,
           'requestedBy', json_build_object('role', x.requested_by_role, 'idHash', x.requested_by_hash),
           'openedAt', demystify_memory.iso(x.opened_at),
           'counts', demystify_memory.counts_json(p_tenant, x.tombstone_id),
           'cascadeDepth', x.reached_depth,
           'matched', x.matched,
           'unknownIds', json_build_object('alreadyErased', x.already_erased, 'neverSeen', x.never_seen),
           'otherSubjects', x.other_subjects,
           'state', x.state) order by x.opened_at desc, x.tombstone_id desc)
    into v_rows
    from (
      select t.*, s.state, s.cascade_depth as reached_depth
        from demystify_memory.tombstone t
        join demystify_memory.erasure_state s on s.tenant_key = t.tenant_key and s.tombstone_id = t.tombstone_id
       where t.tenant_key = p_tenant
         and (p_hashes is null or t.subject_hash = any(v_hashes))
         and (p_before is null or (t.opened_at, t.tombstone_id) < (
           select b.opened_at, b.tombstone_id from demystify_memory.tombstone b
            where b.tenant_key = p_tenant and b.tombstone_id = p_before))
       order by t.opened_at desc, t.tombstone_id desc
       limit p_limit) x;
  return coalesce(v_rows, '[]')::text;
end
$$;
comment on function demystify_memory.erasure_history is 'The tombstones of a tenant, or of one person in it, newest first.';

create or replace function demystify_memory.tombstone_covering(p_tenant text, p_kind text, p_id uuid) returns uuid
language plpgsql stable security definer  -- evidence is not the caller's to read
set search_path = ''
set jit = off
set enable_seqscan = off
as $$
begin
  perform demystify_memory.assert_tenant(p_tenant, false);
  return (
    select t.tombstone_id
      from demystify_memory.tombstone_item i
      join demystify_memory.tombstone t on t.tenant_key = i.tenant_key and t.tombstone_id = i.tombstone_id
     where i.tenant_key = p_tenant and i.item_id = p_id and i.kind = p_kind
     order by t.opened_at desc, t.tombstone_id desc
     limit 1);
end
$$;
comment on function demystify_memory.tombstone_covering is 'The newest tombstone that has an item for this row, or null.';

-- The three steps. opened: a durable tombstone, and the closure is invisible. destroyed: the rows are gone and counted
-- again. complete: nothing is outstanding. Each is its own commit; whoever comes next goes on from what is inserted.

-- Step 1. p_request: {"tombstoneId", "scope", "subject", "memoryIds", "reason", "legalBasis", "origin",
-- "requestedBy": {"role", "idHash"}, "requestHash", "previewToken"}. Answers the receipt.
create or replace function demystify_memory.open_erasure_step(p_tenant text, p_request jsonb) returns uuid
language plpgsql security definer  -- writes evidence for the caller
set search_path = ''
set jit = off
set enable_seqscan = off
as $$
declare
  v_id      uuid := (p_request ->> 'tombstoneId')::uuid;
  v_target  record;
  v_closure record;
  v_facts   record;
  v_joined  uuid;
  v_known   jsonb := p_request #> '{subject,known}';
  v_held    text[];
  v_placements uuid[];
begin
  perform demystify_memory.assert_tenant(p_tenant, true);
  perform demystify_memory.assert_read_committed();
  perform demystify_memory.assert_keys(p_tenant, v_known);
  -- Whatever the host's default: the tombstone is on disk before anybody can act on it.
  perform set_config('synchronous_commit', 'on', true);

  if exists (select from demystify_memory.tombstone t where t.tenant_key = p_tenant and t.tombstone_id = v_id) then
    return v_id;
  end if;
  if not exists (select from demystify_memory.legal_basis b where b.code = p_request ->> 'legalBasis') then
    raise exception 'legalBasis: is not a code of the table legal_basis' using errcode = 'ME001';
  end if;

  -- The lock comes first: from here on no writer can slip in, and those that were faster are seen below.
  if v_known is not null then
    perform demystify_memory.register_key(p_tenant, v_known);
    if jsonb_array_length(v_known) > 1 then
      perform demystify_memory.link_subjects(p_tenant, jsonb_build_array(v_known));
    end if;
    insert into demystify_memory.subject (tenant_key, subject_hash, key_id)
      select p_tenant, h.value ->> 'hash', h.value ->> 'keyId' from jsonb_array_elements(v_known) h
      order by 2
      on conflict do nothing;
  end if;
  -- A request for chosen memories that was answered before is known by its id alone: half destroyed, what is left of them
  -- need not say whose they were.
  if p_request ->> 'scope' = 'memories' then
    v_joined := demystify_memory.erasure_to_join(p_tenant, p_request, '{}', '{}');
    if v_joined is not null then
      return v_joined;
    end if;
  end if;
  v_target := demystify_memory.erasure_target(p_tenant, p_request, true);
  perform 1 from demystify_memory.subject s
    where s.tenant_key = p_tenant and s.subject_hash = any(v_target.hashes)
    order by s.subject_hash for no key update;
  update demystify_memory.subject s set last_erased_at = clock_timestamp()
    where s.tenant_key = p_tenant and s.subject_hash = any(v_target.hashes);
  v_target := demystify_memory.erasure_target(p_tenant, p_request);

  v_joined := demystify_memory.erasure_to_join(p_tenant, p_request, v_target.hashes, v_target.memory_ids);
  if v_joined is not null then
    -- Asked again with this request id, also once it is complete, it is still this erasure.
    if p_request ->> 'requestHash' is not null and not exists (
         select from demystify_memory.tombstone t
          where t.tenant_key = p_tenant and t.request_hash = p_request ->> 'requestHash') then
      insert into demystify_memory.erasure_event (tenant_key, tombstone_id, event, request_hash)
        values (p_tenant, v_joined, 'joined', p_request ->> 'requestHash')
        on conflict (tenant_key, request_hash) where request_hash is not null do nothing;
    end if;
    return v_joined;
  end if;

  v_held := demystify_memory.held_subjects(p_tenant);
  if v_target.hashes && v_held then
    -- No tombstone. The refusal is recorded, and the caller told, without aborting the transaction that records it.
    insert into demystify_memory.legal_hold_refusal (tenant_key, hold_id)
      select h.tenant_key, h.hold_id from demystify_memory.legal_hold h
       where h.tenant_key = p_tenant and h.releases is null and h.subject_hash = any(v_target.hashes)
         and (h.until is null or h.until > statement_timestamp())
         and not exists (select from demystify_memory.legal_hold r where r.tenant_key = h.tenant_key and r.releases = h.hold_id);
    return null;
  end if;

  v_closure := demystify_memory.closure_of(p_tenant, v_target.memory_ids, v_target.derived_ids);
  v_placements := demystify_memory.placements_of(
    p_tenant, case when p_request ->> 'origin' <> 'replay' then p_request ->> 'scope' end, v_target.hashes,
    v_target.memory_ids, v_closure.derived_ids);
  v_placements := v_placements || array(
    select p.placement_id
      from jsonb_array_elements_text(coalesce(p_request -> 'placementIds', '[]')) u
      cross join lateral (select x.* from demystify_memory.placement x
                           where x.tenant_key = p_tenant and x.placement_id = u.value::uuid offset 0) p
     where p.gone_at is null and p.placement_id <> all(v_placements));
  if p_request ->> 'previewToken' is not null
     and p_request ->> 'previewToken' <> demystify_memory.preview_token(
       p_tenant, v_target.memory_ids, v_closure.derived_ids, v_placements) then
    raise exception 'the closure has changed since the preview' using errcode = 'ME009';
  end if;

  v_facts := demystify_memory.closure_facts(p_tenant, v_target.hashes, v_target.memory_ids, v_closure.derived_ids);
  insert into demystify_memory.tombstone (
    tenant_key, tombstone_id, scope, subject_hash, subject_key_id, reason, legal_basis, origin, requested_by_role,
    requested_by_hash, request_hash, planned_memories, planned_derived, planned_edges, planned_placements, cascade_depth, other_subjects,
    already_erased, never_seen, matched, closure_known, replays, replays_opened_at)
  values (
    p_tenant, v_id, p_request ->> 'scope', v_target.subject_hash, v_target.key_id, p_request ->> 'reason',
    p_request ->> 'legalBasis', p_request ->> 'origin', p_request #>> '{requestedBy,role}',
    p_request #>> '{requestedBy,idHash}', p_request ->> 'requestHash', cardinality(v_target.memory_ids),
    cardinality(v_closure.derived_ids), v_facts.edges, cardinality(v_placements), v_closure.cascade_depth,
    v_facts.other_subjects, v_target.already_erased, v_target.never_seen,
    v_target.memory_ids <> '{}' or v_closure.derived_ids <> '{}' or v_placements <> '{}', v_facts.closure_known,
    (p_request ->> 'replays')::uuid, (p_request ->> 'replaysOpenedAt')::timestamptz);

  insert into demystify_memory.tombstone_item (tenant_key, item_id, tombstone_id, kind)
    select p_tenant, u, v_id, 'placement' from unnest(v_placements) u;

  if v_target.memory_ids <> '{}' or v_closure.derived_ids <> '{}' then
    insert into demystify_memory.tombstone_item (
      tenant_key, item_id, tombstone_id, kind, depth, content_tags, derived_kind, surviving_memories, surviving_derived)
    with going as materialized (
      select unnest(v_target.memory_ids || v_closure.derived_ids) as id
      union all
      select o from demystify_memory.open_items(p_tenant) o
    ), closing as materialized (
      select u.id, u.depth, d.*
        from unnest(v_closure.derived_ids, v_closure.depths) u(id, depth),
        lateral (select x.kind, x.content_tags, x.source_memories, x.source_derived
                   from demystify_memory.derived x
                  where x.tenant_key = p_tenant and x.derived_id = u.id offset 0) d
    ), staying as materialized (
      select c.id,
             coalesce(array_agg(s order by s) filter (where s = any(c.source_memories)), '{}') as memories,
             coalesce(array_agg(s order by s) filter (where s = any(c.source_derived)), '{}') as deriveds
        from closing c, unnest(c.source_memories || c.source_derived) s
       where s not in (select g.id from going g)
       group by c.id
    )
    select p_tenant, u.id, v_id, 'memory', 0, m.content_tags, null, null::uuid[], null::uuid[]
      from unnest(v_target.memory_ids) u(id),
      lateral (select x.content_tags from demystify_memory.memory x
                where x.tenant_key = p_tenant and x.memory_id = u.id offset 0) m
    union all
    select p_tenant, c.id, v_id, 'derived', c.depth, c.content_tags, case when s.id is not null then c.kind end,
           s.memories, s.deriveds
      from closing c left join staying s on s.id = c.id;

    insert into demystify_memory.open_erasure (tenant_key, tombstone_id, memory_ids, derived_ids, subject_hashes)
      values (p_tenant, v_id, v_target.memory_ids, v_closure.derived_ids, v_facts.subject_hashes);

    if exists (select from demystify_memory.idempotency_key k where k.tenant_key = p_tenant) then
      delete from demystify_memory.idempotency_key k
        using unnest(v_target.memory_ids) u(id),
        lateral (select x.idempotency_hash from demystify_memory.memory x
                  where x.tenant_key = p_tenant and x.memory_id = u.id and x.idempotency_hash is not null offset 0) m
        where k.tenant_key = p_tenant and k.idempotency_hash = m.idempotency_hash and k.memory_id = u.id;
    end if;
  end if;
  return v_id;
end
$$;
comment on function demystify_memory.open_erasure_step is
  'Step 1: locks the person, computes the closure, writes the tombstone and its items. Answers the tombstone''s id.';

-- The open erasure that this request is already part of, if there is one.
create or replace function demystify_memory.erasure_to_join(p_tenant text, p_request jsonb, p_hashes text[], p_memories uuid[])
returns uuid
language plpgsql stable security definer  -- evidence is not the caller's to read
set search_path = ''
set jit = off
set enable_seqscan = off
as $$
declare
  v_earlier demystify_memory.tombstone;
  v_asked   int := coalesce(jsonb_array_length(nullif(p_request -> 'memoryIds', 'null')), 0);
begin
  if p_request ->> 'requestHash' is not null then
    select * into v_earlier from demystify_memory.tombstone t
      where t.tenant_key = p_tenant and t.request_hash = p_request ->> 'requestHash';
    if found then
      if v_earlier.scope is distinct from p_request ->> 'scope'
         or (v_earlier.scope = 'subject' and v_earlier.subject_hash <> all(p_hashes))
         or (v_earlier.scope = 'memories' and (
              v_asked <> v_earlier.planned_memories + v_earlier.already_erased + v_earlier.never_seen
              or v_earlier.planned_memories <> (
                select count(*) from jsonb_array_elements_text(p_request -> 'memoryIds') u
                 where exists (select from demystify_memory.tombstone_item i
                                where i.tenant_key = p_tenant and i.item_id = u.value::uuid
                                  and i.tombstone_id = v_earlier.tombstone_id offset 0)))) then
        raise exception 'requestId: was used before for another scope' using errcode = 'ME001';
      end if;
      return v_earlier.tombstone_id;
    end if;
    select t.* into v_earlier
      from demystify_memory.erasure_event e
      join demystify_memory.tombstone t on t.tenant_key = e.tenant_key and t.tombstone_id = e.tombstone_id
     where e.tenant_key = p_tenant and e.request_hash = p_request ->> 'requestHash';
    if found then
      -- Only a request for a whole person joins.
      if p_request ->> 'scope' <> 'subject' or v_earlier.subject_hash <> all(p_hashes) then
        raise exception 'requestId: was used before for another scope' using errcode = 'ME001';
      end if;
      return v_earlier.tombstone_id;
    end if;
  end if;

  if p_request ->> 'scope' <> 'subject' or p_request ->> 'origin' = 'replay' then
    return null;
  end if;
  return (
    select t.tombstone_id
      from demystify_memory.tombstone t
     where t.tenant_key = p_tenant and t.scope = 'subject' and t.subject_hash = any(p_hashes)
       and not exists (select from demystify_memory.erasure_event e
                        where e.tenant_key = p_tenant and e.tombstone_id = t.tombstone_id and e.event = 'completed')
       and not exists (select from unnest(p_memories) u(id)
                        where not exists (select from demystify_memory.tombstone_item i
                                           where i.tenant_key = p_tenant and i.item_id = u.id
                                             and i.tombstone_id = t.tombstone_id offset 0))
     order by t.opened_at desc limit 1);
end
$$;
comment on function demystify_memory.erasure_to_join is
  'The erasure with the same request id, or an open one of the same person that covers all there is; else null.';

-- Step 2, one chunk of it; false if nothing could be done. Up to p_chunk rows at once: memories go and the cascade takes
-- what was derived. Above it the derived rows go first, deepest first, a chunk a transaction. Rows under a legal hold of
-- somebody else stay, hidden by the work list, and the erasure escalates until the hold is released.
create or replace function demystify_memory.destroy_step(p_tenant text, p_tombstone uuid, p_chunk int) returns boolean
language plpgsql security definer  -- the caller holds no DELETE
set search_path = ''
set jit = off
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  v_open     demystify_memory.open_erasure;
  v_held     text[];
  v_batch    uuid[];
  v_more     uuid[];
  v_deleted  int := 0;
  v_count    int;
  v_last     boolean;
begin
  select * into v_open from demystify_memory.open_erasure o
    where o.tenant_key = p_tenant and o.tombstone_id = p_tombstone for update;
  if not found then
    -- Nothing to destroy, or another process has just finished; a second 'destroyed' would be a second claim.
    if not exists (select from demystify_memory.erasure_event e
                    where e.tenant_key = p_tenant and e.tombstone_id = p_tombstone and e.event = 'destroyed') then
      insert into demystify_memory.erasure_event (tenant_key, tombstone_id, event) values (p_tenant, p_tombstone, 'destroyed');
    end if;
    return true;
  end if;
  perform pg_advisory_xact_lock_shared(demystify_memory.hold_lock(p_tenant));
  v_held := demystify_memory.held_subjects(p_tenant);
  perform set_config('demystify_memory.destroying', p_tombstone::text, true);

  v_last := cardinality(v_open.derived_ids) - v_open.destroyed_derived
          + cardinality(v_open.memory_ids) - v_open.destroyed_memories <= p_chunk;
  if v_last then
    v_more := v_open.memory_ids[v_open.destroyed_memories + 1 :];
    v_batch := v_open.derived_ids[v_open.destroyed_derived + 1 :];
  elsif v_open.destroyed_derived < cardinality(v_open.derived_ids) then
    v_batch := v_open.derived_ids[v_open.destroyed_derived + 1 : v_open.destroyed_derived + p_chunk];
    v_more := '{}';
  else
    v_batch := '{}';
    v_more := v_open.memory_ids[v_open.destroyed_memories + 1 : v_open.destroyed_memories + p_chunk];
  end if;

  -- The persons before their rows, as writers do; so no writer, and no other erasure of shared rows, holds one of these
  -- rows while it waits for another. Memories before derived rows, as a direct delete takes them.
  perform 1 from demystify_memory.subject s
    where s.tenant_key = p_tenant and s.subject_hash = any(v_open.subject_hashes)
    order by s.subject_hash for no key update;
  -- The tenant comes from the list, not from the call: then a plan by the tenant's own index is no plan at all, where
  -- without statistics it would look cheap and compare each row that goes with each that there is.
  if v_more <> '{}' then
    delete from demystify_memory.memory m
      using (select p_tenant as tenant_key, u.id from unnest(v_more) u(id) offset 0) u
      where m.tenant_key = u.tenant_key and m.memory_id = u.id
        and m.subject_hash <> all(v_held) and not m.also_hashes && v_held;
    get diagnostics v_deleted = row_count;
  end if;
  if v_batch <> '{}' then
    delete from demystify_memory.derived d
      using (select p_tenant as tenant_key, u.id from unnest(v_batch) u(id) offset 0) u
      where d.tenant_key = u.tenant_key and d.derived_id = u.id and not d.subject_hashes && v_held;
    get diagnostics v_count = row_count;
    v_deleted := v_deleted + v_count;
  end if;
  perform set_config('demystify_memory.destroying', '', true);

  if not v_last then
    update demystify_memory.open_erasure o
       set destroyed_derived = o.destroyed_derived + cardinality(v_batch),
           destroyed_memories = o.destroyed_memories + cardinality(v_more)
     where o.tenant_key = p_tenant and o.tombstone_id = p_tombstone;
    return true;
  end if;

  if v_held <> '{}' and (
       exists (select from (select found.* from unnest(v_open.memory_ids) wanted(id),
           lateral (select one.* from demystify_memory.memory one where one.tenant_key = p_tenant and one.memory_id = wanted.id offset 0) found) m
                where (m.subject_hash = any(v_held) or m.also_hashes && v_held))
       or exists (select from (select found.* from unnest(v_open.derived_ids) wanted(id),
           lateral (select one.* from demystify_memory.derived one where one.tenant_key = p_tenant and one.derived_id = wanted.id offset 0) found) d
                   where d.subject_hashes && v_held)) then
    -- From the beginning next time: the held rows are somewhere in it.
    update demystify_memory.open_erasure o set destroyed_derived = 0, destroyed_memories = 0
      where o.tenant_key = p_tenant and o.tombstone_id = p_tombstone;
    if not exists (select from demystify_memory.erasure_event e
                    where e.tenant_key = p_tenant and e.tombstone_id = p_tombstone
                      and e.event = 'escalated' and e.code = 'hold_conflict') then
      insert into demystify_memory.erasure_event (tenant_key, tombstone_id, event, code)
        values (p_tenant, p_tombstone, 'escalated', 'hold_conflict');
      return true;
    end if;
    return v_deleted > 0;
  end if;

  perform demystify_memory.recount(p_tenant, v_open.memory_ids, v_open.derived_ids);
  insert into demystify_memory.erasure_event (tenant_key, tombstone_id, event) values (p_tenant, p_tombstone, 'destroyed');
  delete from demystify_memory.open_erasure o where o.tenant_key = p_tenant and o.tombstone_id = p_tombstone;
  return true;
end
$$;
comment on function demystify_memory.destroy_step is 'Step 2: destroys one chunk; the last one recounts and records it.';

-- Counts again what should be gone, by other queries than those that destroyed it: a rule, a trigger or a policy that
-- swallowed the delete turns into an error here, never into a receipt.
create or replace function demystify_memory.recount(p_tenant text, p_memories uuid[], p_derived uuid[]) returns void
language plpgsql security definer  -- no row-level security of the caller may hide a survivor
set search_path = ''
set jit = off
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set plan_cache_mode = force_generic_plan
as $$
begin
  if exists (select from unnest(p_memories) u(id)
              where exists (select from demystify_memory.memory m
                             where m.tenant_key = p_tenant and m.memory_id = u.id offset 0))
     or exists (select from unnest(p_derived) u(id)
                 where exists (select from demystify_memory.derived d
                                where d.tenant_key = p_tenant and d.derived_id = u.id offset 0))
     or exists (select from generate_series(1, cardinality(p_memories), 64) n
                 join demystify_memory.derived d on d.source_memories && p_memories[n : n + 63] and d.tenant_key || '' = p_tenant)
     or exists (select from generate_series(1, cardinality(p_derived), 64) n
                 join demystify_memory.derived d on d.source_derived && p_derived[n : n + 63] and d.tenant_key || '' = p_tenant) then
    raise exception 'rows that were destroyed are still there'
      using errcode = 'ME018', hint = 'A rule, trigger or policy of the host swallows deletes: run verify_install().';
  end if;
end
$$;
comment on function demystify_memory.recount is 'Raises ME018 if anything of a destroyed closure is left.';

-- Step 3 for whoever got here: complete if nothing is outstanding, escalated if nobody can know what is.
create or replace function demystify_memory.settle(p_tenant text, p_tombstone uuid) returns boolean
language plpgsql security definer  -- writes evidence for the caller
set search_path = ''
set jit = off
set enable_seqscan = off
as $$
declare
  v_tombstone demystify_memory.tombstone;
  v_state     demystify_memory.erasure_state;
begin
  select * into v_tombstone from demystify_memory.tombstone t where t.tenant_key = p_tenant and t.tombstone_id = p_tombstone;
  select * into v_state from demystify_memory.erasure_state s where s.tenant_key = p_tenant and s.tombstone_id = p_tombstone;
  if v_state.completed_at is not null then
    return false;
  end if;
  if v_state.destroyed_at is null then
    insert into demystify_memory.erasure_event (tenant_key, tombstone_id, event) values (p_tenant, p_tombstone, 'destroyed');
  end if;
  if not v_tombstone.closure_known and not exists (
       select from demystify_memory.erasure_event e
        where e.tenant_key = p_tenant and e.tombstone_id = p_tombstone and e.event = 'closure_attested') then
    if v_state.escalated_at is not null then
      return false;
    end if;
    insert into demystify_memory.erasure_event (tenant_key, tombstone_id, event, code)
      values (p_tenant, p_tombstone, 'escalated', 'closure_unknown');
    return true;
  end if;
  if exists (select from demystify_memory.erasure_placements(p_tenant, p_tombstone) p where not p.confirmed and not p.attested) then
    return false;
  end if;
  insert into demystify_memory.erasure_event (tenant_key, tombstone_id, event) values (p_tenant, p_tombstone, 'completed');
  return true;
end
$$;
comment on function demystify_memory.settle is 'Records destroyed, and then completed or escalated; false if nothing could be recorded.';

-- The steps in their order, one at a time or all in one call.

-- One step further: a chunk destroyed, or the completion recorded. False when there is nothing more to do now.
create or replace function demystify_memory.advance_step(p_tenant text, p_tombstone uuid, p_chunk int) returns boolean
language plpgsql security definer  -- the caller holds no DELETE and no INSERT on evidence
set search_path = ''
set jit = off
set enable_seqscan = off
as $$
declare
  v_opened_xid xid8;
begin
  perform demystify_memory.assert_tenant(p_tenant, true);
  perform demystify_memory.assert_read_committed();
  if p_chunk < 1 then
    raise exception 'destroyChunkRows: must be at least 1' using errcode = 'ME001';
  end if;
  perform set_config('synchronous_commit', 'on', true);

  select t.opened_xid into v_opened_xid from demystify_memory.tombstone t
    where t.tenant_key = p_tenant and t.tombstone_id = p_tombstone;
  if not found then
    raise exception 'no such erasure' using errcode = 'ME012', detail = '{"what": "erasure"}';
  end if;
  if v_opened_xid = pg_current_xact_id() then
    raise exception 'the tombstone was opened by this transaction: nothing may be destroyed before it is durable'
      using errcode = 'ME005', hint = 'Commit, then resume in a transaction of its own.';
  end if;
  -- One process at a time: the others wait here, and then find it done.
  perform pg_advisory_xact_lock(hashtextextended(p_tombstone::text, 0));

  if not exists (select from demystify_memory.erasure_event e
                  where e.tenant_key = p_tenant and e.tombstone_id = p_tombstone and e.event = 'destroyed') then
    return demystify_memory.destroy_step(p_tenant, p_tombstone, p_chunk);
  end if;
  return demystify_memory.settle(p_tenant, p_tombstone);
end
$$;
comment on function demystify_memory.advance_step is
  'One chunk destroyed, or the completion recorded. False when it waits for somebody else, or is done.';

create or replace function demystify_memory.advance_erasure(p_tenant text, p_tombstone uuid, p_chunk int) returns text
language plpgsql security definer  -- the caller holds no DELETE and no INSERT on evidence
set search_path = ''
as $$
declare
  v_advanced boolean := demystify_memory.advance_step(p_tenant, p_tombstone, p_chunk);
begin
  return json_build_object('advanced', v_advanced, 'receipt', demystify_memory.receipt_json(p_tenant, p_tombstone))::text;
end
$$;
comment on function demystify_memory.advance_erasure is 'One step further, with the receipt as it then is: {"advanced", "receipt"}.';

create or replace function demystify_memory.open_erasure(p_tenant text, p_request text) returns text
language plpgsql security definer  -- evidence is not the caller's to write
set search_path = ''
as $$
declare
  v_tombstone uuid := demystify_memory.open_erasure_step(p_tenant, p_request::jsonb);
begin
  if v_tombstone is null then
    return '{"held": true}';
  end if;
  -- A statement of its own: a stable function does not see what its own statement has just written.
  return demystify_memory.receipt_json(p_tenant, v_tombstone)::text;
end
$$;
comment on function demystify_memory.open_erasure is 'Step 1 alone. Answers the receipt, in progress.';

-- All three steps in one round trip. SECURITY INVOKER and without SET clauses, because only such a procedure may
-- commit; so every name and operator is qualified. The first COMMIT is how a host's open transaction is detected,
-- exactly and before anything happened (2D000).
create or replace procedure demystify_memory.forget(p_tenant text, p_request text, p_chunk int, inout receipt text default null)
language plpgsql
as $$
declare
  v_tombstone pg_catalog.uuid;
  v_advanced  boolean;
begin
  commit;
  set transaction isolation level read committed;
  v_tombstone := demystify_memory.open_erasure_step(p_tenant, p_request::pg_catalog.jsonb);
  if v_tombstone is null then
    receipt := '{"held": true}';
    commit;
    return;
  end if;
  -- Nothing is evaluated between a COMMIT and its SET: an expression takes a snapshot, and then the level is fixed.
  loop
    commit;
    set transaction isolation level read committed;
    v_advanced := demystify_memory.advance_step(p_tenant, v_tombstone, p_chunk);
    exit when not v_advanced;
  end loop;
  receipt := demystify_memory.erasure_receipt(p_tenant, v_tombstone);
end
$$;
comment on procedure demystify_memory.forget is
  'Opens, destroys and completes, each its own commit. Refused inside a transaction (2D000).';

-- The same from step 2 on, for sessions whose default isolation level is not READ COMMITTED.
create or replace procedure demystify_memory.resume(p_tenant text, p_tombstone uuid, p_chunk int, inout receipt text default null)
language plpgsql
as $$
declare
  v_advanced boolean;
begin
  loop
    commit;
    set transaction isolation level read committed;
    v_advanced := demystify_memory.advance_step(p_tenant, p_tombstone, p_chunk);
    exit when not v_advanced;
  end loop;
  receipt := demystify_memory.erasure_receipt(p_tenant, p_tombstone);
end
$$;
comment on procedure demystify_memory.resume is 'Destroys and completes what is open. Refused inside a transaction (2D000).';

-- Reads by id and by list. Hidden from all of them: rows of open erasures, and rows past their expiry.

create or replace function demystify_memory.get_memory(p_tenant text, p_id uuid) returns text
language plpgsql stable security definer  -- the caller reads no base table
set search_path = ''
set jit = off
set enable_seqscan = off
as $$
begin
  perform demystify_memory.assert_tenant(p_tenant, false);
  return (
    select demystify_memory.memory_json(m)
      from demystify_memory.memory m
     where m.tenant_key = p_tenant and m.memory_id = p_id
       and ((m.expires_at is null or m.expires_at > statement_timestamp())
           and m.memory_id not in (select h.id from demystify_memory.hidden_items(p_tenant) h(id))
           and m.subject_hash not in (select demystify_memory.restricted_subjects(p_tenant))
           and (m.also_hashes = '{}' or not m.also_hashes && array(select demystify_memory.restricted_subjects(p_tenant)))))::text;
end
$$;
comment on function demystify_memory.get_memory is 'One memory, or null.';

create or replace function demystify_memory.get_derived(p_tenant text, p_id uuid) returns text
language plpgsql stable security definer  -- the caller reads no base table
set search_path = ''
set jit = off
set enable_seqscan = off
as $$
begin
  perform demystify_memory.assert_tenant(p_tenant, false);
  return (
    select demystify_memory.derived_json(d)
      from demystify_memory.derived d
     where d.tenant_key = p_tenant and d.derived_id = p_id
       and ((d.expires_at is null or d.expires_at > statement_timestamp())
           and d.derived_id not in (select h.id from demystify_memory.hidden_items(p_tenant) h(id))
           and not d.subject_hashes && array(select demystify_memory.restricted_subjects(p_tenant))))::text;
end
$$;
comment on function demystify_memory.get_derived is 'One derived row, or null.';

-- Up to how many rows all of them are looked at. Read from the session, so that a host (or a test) may move the line.
create or replace function demystify_memory.few_rows() returns int
language plpgsql stable
set search_path = ''
as $$
begin
  return coalesce(nullif(current_setting('demystify_memory.few_rows', true), '')::int, 5000);
end
$$;
comment on function demystify_memory.few_rows is 'Up to how many rows a search looks at all of them.';

-- Whether so few rows of one table are about these persons that they are better found by person than by time or words.
create or replace function demystify_memory.are_few(p_tenant text, p_table text, p_hashes text[]) returns boolean
language plpgsql stable security definer  -- the caller reads no base table
set search_path = ''
set jit = off
set enable_seqscan = off
as $$
declare
  v_few constant int := demystify_memory.few_rows();
begin
  return case p_table
    when 'memory' then (select count(*) from (select from ((select one.* from demystify_memory.memory one where one.tenant_key = p_tenant and one.subject_hash = any(p_hashes) offset 0)
        union all
        (select one.* from demystify_memory.memory one
          where one.tenant_key || '' = p_tenant and one.also_hashes <> '{}' and one.also_hashes && p_hashes and one.subject_hash <> all(p_hashes) offset 0)) m limit v_few + 1) x)
    else (select count(*) from (select from (select one.* from demystify_memory.derived one where one.tenant_key || '' = p_tenant and one.subject_hashes && p_hashes offset 0) d limit v_few + 1) x) end <= v_few;
end
$$;
comment on function demystify_memory.are_few is 'Whether few rows of one table are about these persons.';

-- p_missing: null all rows, 0 rows without a vector, n rows whose vector has another length or none.
create or replace function demystify_memory.list_memories(
  p_tenant text, p_hashes text[], p_keys jsonb, p_missing int, p_limit int, p_after_at timestamptz, p_after_id uuid, p_filter jsonb
) returns text
language plpgsql stable security definer  -- the caller reads no base table
set search_path = ''
set jit = off
set enable_seqscan = off
set plan_cache_mode = force_custom_plan
as $$
declare
  v_few boolean := p_hashes is not null and demystify_memory.are_few(p_tenant, 'memory', p_hashes);
begin
  perform demystify_memory.assert_tenant(p_tenant, false);
  perform demystify_memory.assert_keys(p_tenant, p_keys);
  return (
    select coalesce(json_agg(json_build_object('row', demystify_memory.memory_json(m), 'at', m.created_at, 'id', m.memory_id)
                             order by m.created_at desc, m.memory_id desc), '[]')
      from (
        select m.*
          from (select * from demystify_memory.memory w
                 where not v_few and w.tenant_key = p_tenant and (p_hashes is null or ((w.subject_hash = any(p_hashes) or (w.also_hashes <> '{}' and w.also_hashes && p_hashes))))
                union all
                select * from ((select one.* from demystify_memory.memory one where one.tenant_key = p_tenant and one.subject_hash = any(p_hashes) offset 0)
                    union all
                    (select one.* from demystify_memory.memory one
                      where one.tenant_key || '' = p_tenant and one.also_hashes <> '{}' and one.also_hashes && p_hashes and one.subject_hash <> all(p_hashes) offset 0)) f where v_few) m
         where (p_missing is null or m.dimensions is null or (p_missing > 0 and m.dimensions <> p_missing))
           and (p_after_at is null or (m.created_at, m.memory_id) < (p_after_at, p_after_id))
           and ((p_filter->'kinds' is null or m.kind = any(array(select jsonb_array_elements_text(p_filter->'kinds'))))
               and (p_filter->'metadata' is null or m.metadata @> (p_filter->'metadata'))
               and (p_filter->'where' is null or demystify_memory.metadata_matches(m.metadata, p_filter->'where'))
               and (p_filter->'createdFrom' is null or m.created_at >= (p_filter->>'createdFrom')::timestamptz)
               and (p_filter->'createdTo' is null or m.created_at < (p_filter->>'createdTo')::timestamptz)) and ((p_filter->'capturedFrom' is null or m.captured_at >= (p_filter->>'capturedFrom')::timestamptz)
               and (p_filter->'capturedTo' is null or m.captured_at < (p_filter->>'capturedTo')::timestamptz))
           and ((m.expires_at is null or m.expires_at > statement_timestamp())
               and m.memory_id not in (select h.id from demystify_memory.hidden_items(p_tenant) h(id))
               and m.subject_hash not in (select demystify_memory.restricted_subjects(p_tenant))
               and (m.also_hashes = '{}' or not m.also_hashes && array(select demystify_memory.restricted_subjects(p_tenant))))
         order by m.created_at desc, m.memory_id desc
         limit p_limit + 1) m)::text;
end
$$;
comment on function demystify_memory.list_memories is 'Memories, newest first; one more than asked for tells that there is a next page.';

create or replace function demystify_memory.list_derived(
  p_tenant text, p_hashes text[], p_keys jsonb, p_missing int, p_limit int, p_after_at timestamptz, p_after_id uuid, p_filter jsonb
) returns text
language plpgsql stable security definer  -- the caller reads no base table
set search_path = ''
set jit = off
set enable_seqscan = off
set plan_cache_mode = force_custom_plan
as $$
declare
  v_few boolean := p_hashes is not null and demystify_memory.are_few(p_tenant, 'derived', p_hashes);
begin
  perform demystify_memory.assert_tenant(p_tenant, false);
  perform demystify_memory.assert_keys(p_tenant, p_keys);
  return (
    select coalesce(json_agg(json_build_object('row', demystify_memory.derived_json(d), 'at', d.created_at, 'id', d.derived_id)
                             order by d.created_at desc, d.derived_id desc), '[]')
      from (
        select d.*
          from (select * from demystify_memory.derived w
                 where not v_few and w.tenant_key = p_tenant and (p_hashes is null or w.subject_hashes && p_hashes)
                union all
                select * from (select one.* from demystify_memory.derived one where one.tenant_key || '' = p_tenant and one.subject_hashes && p_hashes offset 0) f where v_few) d
         where (p_missing is null or d.dimensions is null or (p_missing > 0 and d.dimensions <> p_missing))
           and (p_after_at is null or (d.created_at, d.derived_id) < (p_after_at, p_after_id))
           and ((p_filter->'kinds' is null or d.kind = any(array(select jsonb_array_elements_text(p_filter->'kinds'))))
               and (p_filter->'metadata' is null or d.metadata @> (p_filter->'metadata'))
               and (p_filter->'where' is null or demystify_memory.metadata_matches(d.metadata, p_filter->'where'))
               and (p_filter->'createdFrom' is null or d.created_at >= (p_filter->>'createdFrom')::timestamptz)
               and (p_filter->'createdTo' is null or d.created_at < (p_filter->>'createdTo')::timestamptz)) and ((d.derived_id is not null and p_filter->'capturedFrom' is null and p_filter->'capturedTo' is null))
           and ((d.expires_at is null or d.expires_at > statement_timestamp())
               and d.derived_id not in (select h.id from demystify_memory.hidden_items(p_tenant) h(id))
               and not d.subject_hashes && array(select demystify_memory.restricted_subjects(p_tenant)))
         order by d.created_at desc, d.derived_id desc
         limit p_limit + 1) d)::text;
end
$$;
comment on function demystify_memory.list_derived is 'Derived rows, newest first; one more than asked for tells that there is a next page.';

-- Everything derived from a set, with shortest distances; sources the same way up. Hidden rows are left out, and so is
-- what can only be reached through them.
create or replace function demystify_memory.lineage(p_tenant text, p_kind text, p_id uuid) returns text
language plpgsql stable security definer  -- the caller reads no base table
set search_path = ''
set jit = off
set enable_seqscan = off
as $$
declare
  v_seen        uuid[];
  v_level       uuid[];
  v_memories    uuid[];
  v_depth       int := 0;
  v_ancestors   jsonb := '[]';
  v_descendants jsonb := '[]';
begin
  perform demystify_memory.assert_tenant(p_tenant, false);
  if p_kind = 'memory' and demystify_memory.get_memory(p_tenant, p_id) is null
     or p_kind = 'derived' and demystify_memory.get_derived(p_tenant, p_id) is null then
    return null;
  end if;
  v_level := case when p_kind = 'derived' then array[p_id] else '{}' end;
  v_seen := v_level;
  while v_level <> '{}' loop
    v_depth := v_depth + 1;
    v_memories := array(
      select f.memory_id
        from (select distinct s.id
                from (select found.* from unnest(v_level) wanted(id),
                    lateral (select one.* from demystify_memory.derived one where one.tenant_key = p_tenant and one.derived_id = wanted.id offset 0) found) d, unnest(d.source_memories) s(id)) s,
        lateral (select m.memory_id from demystify_memory.memory m
                  where m.tenant_key = p_tenant and m.memory_id = s.id
                    and ((m.expires_at is null or m.expires_at > statement_timestamp())
                        and m.memory_id not in (select h.id from demystify_memory.hidden_items(p_tenant) h(id))
                        and m.subject_hash not in (select demystify_memory.restricted_subjects(p_tenant))
                        and (m.also_hashes = '{}' or not m.also_hashes && array(select demystify_memory.restricted_subjects(p_tenant)))) offset 0) f
       where f.memory_id <> all(v_seen));
    v_level := array(
      select f.derived_id
        from (select distinct s.id
                from (select found.* from unnest(v_level) wanted(id),
                    lateral (select one.* from demystify_memory.derived one where one.tenant_key = p_tenant and one.derived_id = wanted.id offset 0) found) d, unnest(d.source_derived) s(id)) s,
        lateral (select a.derived_id from demystify_memory.derived a
                  where a.tenant_key = p_tenant and a.derived_id = s.id
                    and ((a.expires_at is null or a.expires_at > statement_timestamp())
                        and a.derived_id not in (select h.id from demystify_memory.hidden_items(p_tenant) h(id))
                        and not a.subject_hashes && array(select demystify_memory.restricted_subjects(p_tenant))) offset 0) f
       where f.derived_id <> all(v_seen));
    v_seen := v_seen || v_level || v_memories;
    v_ancestors := v_ancestors
      || coalesce((select jsonb_agg(jsonb_build_object('kind', 'memory', 'id', u, 'depth', v_depth) order by u) from unnest(v_memories) u), '[]')
      || coalesce((select jsonb_agg(jsonb_build_object('kind', 'derived', 'id', u, 'depth', v_depth) order by u) from unnest(v_level) u), '[]');
  end loop;

  v_depth := 0;
  v_seen := array[p_id];
  v_level := array[p_id];
  while v_level <> '{}' loop
    v_depth := v_depth + 1;
    if p_kind = 'memory' and v_depth = 1 then
      v_level := array(
        select distinct d.derived_id
          from demystify_memory.derived d
         where d.source_memories @> v_level and d.tenant_key || '' = p_tenant
           and ((d.expires_at is null or d.expires_at > statement_timestamp())
               and d.derived_id not in (select h.id from demystify_memory.hidden_items(p_tenant) h(id))
               and not d.subject_hashes && array(select demystify_memory.restricted_subjects(p_tenant))));
    else
      v_level := array(
        select distinct d.derived_id
          from unnest(v_level) f(id)
          join demystify_memory.derived d on d.source_derived @> array[f.id]
         where d.tenant_key || '' = p_tenant and d.derived_id <> all(v_seen)
           and ((d.expires_at is null or d.expires_at > statement_timestamp())
               and d.derived_id not in (select h.id from demystify_memory.hidden_items(p_tenant) h(id))
               and not d.subject_hashes && array(select demystify_memory.restricted_subjects(p_tenant))));
    end if;
    v_seen := v_seen || v_level;
    v_descendants := v_descendants
      || coalesce((select jsonb_agg(jsonb_build_object('kind', 'derived', 'id', u, 'depth', v_depth) order by u) from unnest(v_level) u), '[]');
  end loop;
  return jsonb_build_object(
    'ancestors', v_ancestors,
    'descendants', v_descendants,
    'placements', (
      select coalesce(jsonb_agg(jsonb_build_object('placementId', p.placement_id, 'sink', p.sink) order by p.placement_id), '[]')
        from demystify_memory.placement p
       where p.tenant_key || '' = p_tenant and p.gone_at is null
         and (p.source_memories @> array[p_id] or p.source_derived && v_seen)))::text;
end
$$;
comment on function demystify_memory.lineage is 'Ancestors and descendants of a row with shortest distances, or null if it cannot be seen.';

create or replace function demystify_memory.set_embeddings(p_tenant text, p_kinds text[], p_ids uuid[], p_embeddings text[]) returns int
language plpgsql security definer  -- the caller holds no UPDATE
set search_path = ''
set jit = off
set enable_seqscan = off
as $$
declare
  v_memories int;
  v_derived  int;
begin
  perform demystify_memory.assert_tenant(p_tenant, true);
  update demystify_memory.memory m set embedding = u.embedding::real[]
    from (select p_tenant as tenant_key, x.* from unnest(p_kinds, p_ids, p_embeddings) x(kind, id, embedding) offset 0) u
    where u.kind = 'memory' and m.tenant_key = u.tenant_key and m.memory_id = u.id
      and ((m.expires_at is null or m.expires_at > statement_timestamp())
          and m.memory_id not in (select h.id from demystify_memory.hidden_items(p_tenant) h(id))
          and m.subject_hash not in (select demystify_memory.restricted_subjects(p_tenant))
          and (m.also_hashes = '{}' or not m.also_hashes && array(select demystify_memory.restricted_subjects(p_tenant))));
  get diagnostics v_memories = row_count;
  update demystify_memory.derived d set embedding = u.embedding::real[]
    from (select p_tenant as tenant_key, x.* from unnest(p_kinds, p_ids, p_embeddings) x(kind, id, embedding) offset 0) u
    where u.kind = 'derived' and d.tenant_key = u.tenant_key and d.derived_id = u.id
      and ((d.expires_at is null or d.expires_at > statement_timestamp())
          and d.derived_id not in (select h.id from demystify_memory.hidden_items(p_tenant) h(id))
          and not d.subject_hashes && array(select demystify_memory.restricted_subjects(p_tenant)));
  get diagnostics v_derived = row_count;
  return v_memories + v_derived;
end
$$;
comment on function demystify_memory.set_embeddings is 'Stores new vectors; answers how many rows took one.';

create or replace function demystify_memory.rows_without_terms(p_tenant text, p_limit int) returns text
language plpgsql stable security definer  -- the caller reads no base table
set search_path = ''
set jit = off
set enable_seqscan = off
as $$
begin
  perform demystify_memory.assert_tenant(p_tenant, false);
  return (
    select coalesce(json_agg(json_build_object('kind', x.kind, 'id', x.id, 'text', x.text) order by x.created_at, x.id), '[]')
      from (
        select 'memory' as kind, m.memory_id as id, m.text, m.created_at
          from demystify_memory.memory m
         where m.tenant_key = p_tenant and m.term_hashes is null
           and m.memory_id not in (select demystify_memory.open_items(p_tenant))
        union all
        select 'derived', d.derived_id, d.text, d.created_at
          from demystify_memory.derived d
         where d.tenant_key = p_tenant and d.term_hashes is null
           and d.derived_id not in (select demystify_memory.open_items(p_tenant))
         order by created_at, id
         limit p_limit) x)::text;
end
$$;
comment on function demystify_memory.rows_without_terms is 'Rows that plain SQL inserted without terms, oldest first.';

create or replace function demystify_memory.set_terms(p_tenant text, p_kinds text[], p_ids uuid[], p_terms text[]) returns int
language plpgsql security definer  -- the caller holds no UPDATE
set search_path = ''
set jit = off
set enable_seqscan = off
as $$
declare
  v_memories int;
  v_derived  int;
begin
  perform demystify_memory.assert_tenant(p_tenant, true);
  update demystify_memory.memory m set term_hashes = u.terms::bigint[]
    from (select p_tenant as tenant_key, x.* from unnest(p_kinds, p_ids, p_terms) x(kind, id, terms) offset 0) u
    where u.kind = 'memory' and m.tenant_key = u.tenant_key and m.memory_id = u.id;
  get diagnostics v_memories = row_count;
  update demystify_memory.derived d set term_hashes = u.terms::bigint[]
    from (select p_tenant as tenant_key, x.* from unnest(p_kinds, p_ids, p_terms) x(kind, id, terms) offset 0) u
    where u.kind = 'derived' and d.tenant_key = u.tenant_key and d.derived_id = u.id;
  get diagnostics v_derived = row_count;
  return v_memories + v_derived;
end
$$;
comment on function demystify_memory.set_terms is 'Stores term hashes; answers how many rows took them.';

-- Recall: what all rankings share. The filters are the same in every one of them; what a ranking looked at is counted
-- and returned as coverage.
--
-- p_filter holds what the caller narrows the search to, each part only where it was asked for: kinds, include
-- (memories or derived), metadata (contained values), where (conditions on values), createdFrom, createdTo,
-- capturedFrom, capturedTo. A "from" is inclusive, a "to" is not.

create or replace function demystify_memory.json_order(p_left jsonb, p_right jsonb) returns int
language sql immutable parallel safe
set search_path = ''
as $$
  select case
    when jsonb_typeof(p_left) <> jsonb_typeof(p_right) then null
    when jsonb_typeof(p_left) = 'number' then sign((p_left #>> '{}')::numeric - (p_right #>> '{}')::numeric)::int
    when jsonb_typeof(p_left) = 'string' then
      case when (p_left #>> '{}') collate "C" < (p_right #>> '{}') collate "C" then -1
           when p_left = p_right then 0
           else 1 end
  end
$$;
comment on function demystify_memory.json_order is
  'Two numbers or two strings (by code point) compared: -1, 0 or 1; null for anything that has no order.';

create or replace function demystify_memory.metadata_matches(p_metadata jsonb, p_where jsonb) returns boolean
language sql immutable parallel safe
set search_path = ''
as $$
  select coalesce(bool_and(
           (c.value->'exists' is null or (p_metadata ? c.key) = (c.value->'exists')::boolean)
           and (c.value->'in' is null or coalesce(c.value->'in' @> jsonb_build_array(p_metadata->c.key)
                                                  and jsonb_typeof(p_metadata->c.key) not in ('array', 'object'), false))
           and (c.value->'gt' is null or coalesce(demystify_memory.json_order(p_metadata->c.key, c.value->'gt') > 0, false))
           and (c.value->'gte' is null or coalesce(demystify_memory.json_order(p_metadata->c.key, c.value->'gte') >= 0, false))
           and (c.value->'lt' is null or coalesce(demystify_memory.json_order(p_metadata->c.key, c.value->'lt') < 0, false))
           and (c.value->'lte' is null or coalesce(demystify_memory.json_order(p_metadata->c.key, c.value->'lte') <= 0, false))),
         true)
    from jsonb_each(p_where) c
$$;
comment on function demystify_memory.metadata_matches is
  'Whether top-level values meet conditions: exists, in, gt, gte, lt, lte. A range holds for values of its own type alone.';

-- Planned for each call: one plan for all of them would read the whole tenant where a person is asked for.
create or replace function demystify_memory.count_without_terms(p_tenant text, p_subjects text[], p_filter jsonb) returns int
language plpgsql stable security definer  -- the caller reads no base table
set search_path = ''
set jit = off
set enable_seqscan = off
set plan_cache_mode = force_custom_plan
as $$
declare
  v_few_memories boolean;
  v_few_derived  boolean;
begin
  v_few_memories := p_subjects is not null and demystify_memory.are_few(p_tenant, 'memory', p_subjects);
  v_few_derived := p_subjects is not null and demystify_memory.are_few(p_tenant, 'derived', p_subjects);
  return ((
    select count(*)
      from (select * from demystify_memory.memory w
             where not v_few_memories and w.tenant_key = p_tenant and w.term_hashes is null
               and (p_subjects is null or ((w.subject_hash = any(p_subjects) or (w.also_hashes <> '{}' and w.also_hashes && p_subjects))))
            union all
            select * from ((select one.* from demystify_memory.memory one where one.tenant_key = p_tenant and one.subject_hash = any(p_subjects) offset 0)
                union all
                (select one.* from demystify_memory.memory one
                  where one.tenant_key || '' = p_tenant and one.also_hashes <> '{}' and one.also_hashes && p_subjects and one.subject_hash <> all(p_subjects) offset 0)) f where v_few_memories and f.term_hashes is null) m
     where p_filter->>'include' is distinct from 'derived'
       and ((p_filter->'kinds' is null or m.kind = any(array(select jsonb_array_elements_text(p_filter->'kinds'))))
           and (p_filter->'metadata' is null or m.metadata @> (p_filter->'metadata'))
           and (p_filter->'where' is null or demystify_memory.metadata_matches(m.metadata, p_filter->'where'))
           and (p_filter->'createdFrom' is null or m.created_at >= (p_filter->>'createdFrom')::timestamptz)
           and (p_filter->'createdTo' is null or m.created_at < (p_filter->>'createdTo')::timestamptz)) and ((p_filter->'capturedFrom' is null or m.captured_at >= (p_filter->>'capturedFrom')::timestamptz)
           and (p_filter->'capturedTo' is null or m.captured_at < (p_filter->>'capturedTo')::timestamptz))
       and ((m.expires_at is null or m.expires_at > statement_timestamp())
           and m.memory_id not in (select h.id from demystify_memory.hidden_items(p_tenant) h(id))
           and m.subject_hash not in (select demystify_memory.restricted_subjects(p_tenant))
           and (m.also_hashes = '{}' or not m.also_hashes && array(select demystify_memory.restricted_subjects(p_tenant)))))
  + (
    select count(*)
      from (select * from demystify_memory.derived w
             where not v_few_derived and w.tenant_key = p_tenant and w.term_hashes is null
               and (p_subjects is null or w.subject_hashes && p_subjects)
            union all
            select * from (select one.* from demystify_memory.derived one where one.tenant_key || '' = p_tenant and one.subject_hashes && p_subjects offset 0) f where v_few_derived and f.term_hashes is null) d
     where p_filter->>'include' is distinct from 'memories'
       and ((p_filter->'kinds' is null or d.kind = any(array(select jsonb_array_elements_text(p_filter->'kinds'))))
           and (p_filter->'metadata' is null or d.metadata @> (p_filter->'metadata'))
           and (p_filter->'where' is null or demystify_memory.metadata_matches(d.metadata, p_filter->'where'))
           and (p_filter->'createdFrom' is null or d.created_at >= (p_filter->>'createdFrom')::timestamptz)
           and (p_filter->'createdTo' is null or d.created_at < (p_filter->>'createdTo')::timestamptz)) and ((d.derived_id is not null and p_filter->'capturedFrom' is null and p_filter->'capturedTo' is null))
       and ((d.expires_at is null or d.expires_at > statement_timestamp())
           and d.derived_id not in (select h.id from demystify_memory.hidden_items(p_tenant) h(id))
           and not d.subject_hashes && array(select demystify_memory.restricted_subjects(p_tenant)))))::int;
end
$$;
comment on function demystify_memory.count_without_terms is 'Rows a lexical recall could not look at, because plain SQL stored them without terms.';

-- In most tenants every row has terms. The indexes on rows without any tell that at once.
create or replace function demystify_memory.skipped_no_terms(p_tenant text, p_subjects text[], p_filter jsonb) returns int
language plpgsql stable security definer  -- the caller reads no base table
set search_path = ''
set jit = off
set enable_seqscan = off
as $$
begin
  if exists (select from demystify_memory.memory m where m.tenant_key = p_tenant and m.term_hashes is null)
     or exists (select from demystify_memory.derived d where d.tenant_key = p_tenant and d.term_hashes is null) then
    return demystify_memory.count_without_terms(p_tenant, p_subjects, p_filter);
  end if;
  return 0;
end
$$;
comment on function demystify_memory.skipped_no_terms is 'count_without_terms, but for the tenants all of whose rows have terms: there it counts nothing.';

-- Only the rows that are returned are read as JSON. The arrays run in parallel, best first.
create or replace function demystify_memory.hits_json(p_tenant text, p_kinds text[], p_ids uuid[], p_scores float8[]) returns json
language plpgsql stable security definer  -- the caller reads no base table
set search_path = ''
set jit = off
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
begin
  return (
    select coalesce(json_agg(json_build_object('kind', b.kind, 'score', b.score, 'row',
             case b.kind when 'memory' then demystify_memory.memory_json(m.found) else demystify_memory.derived_json(d.found) end)
             order by b.place), '[]')
      from unnest(p_kinds, p_ids, p_scores) with ordinality b(kind, id, score, place)
      left join lateral (select x from demystify_memory.memory x
                          where x.tenant_key = p_tenant and x.memory_id = b.id offset 0) m(found) on b.kind = 'memory'
      left join lateral (select x from demystify_memory.derived x
                          where x.tenant_key = p_tenant and x.derived_id = b.id offset 0) d(found) on b.kind = 'derived');
end
$$;
comment on function demystify_memory.hits_json is 'Ranked rows in the shape of the library''s hits.';

create or replace function demystify_memory.rows_by_id(p_tenant text, p_ids uuid[]) returns text
language plpgsql stable security definer  -- the caller reads no base table
set search_path = ''
set jit = off
set enable_seqscan = off
as $$
begin
  perform demystify_memory.assert_tenant(p_tenant, false);
  return (
    select coalesce(json_object_agg(x.id, x.row), '{}')
      from (
        select u.id, demystify_memory.memory_json(f.m) as row
          from (select distinct u.id from unnest(p_ids) u(id)) u,
          lateral (select m from demystify_memory.memory m
                    where m.tenant_key = p_tenant and m.memory_id = u.id
                      and ((m.expires_at is null or m.expires_at > statement_timestamp())
                          and m.memory_id not in (select h.id from demystify_memory.hidden_items(p_tenant) h(id))
                          and m.subject_hash not in (select demystify_memory.restricted_subjects(p_tenant))
                          and (m.also_hashes = '{}' or not m.also_hashes && array(select demystify_memory.restricted_subjects(p_tenant)))) offset 0) f
        union all
        select u.id, demystify_memory.derived_json(f.d)
          from (select distinct u.id from unnest(p_ids) u(id)) u,
          lateral (select d from demystify_memory.derived d
                    where d.tenant_key = p_tenant and d.derived_id = u.id
                      and ((d.expires_at is null or d.expires_at > statement_timestamp())
                          and d.derived_id not in (select h.id from demystify_memory.hidden_items(p_tenant) h(id))
                          and not d.subject_hashes && array(select demystify_memory.restricted_subjects(p_tenant))) offset 0) f) x)::text;
end
$$;
comment on function demystify_memory.rows_by_id is 'Visible rows of either kind by id, as an object keyed by id.';

-- What a person may read in plain SQL, within the tenant the session has set.

create or replace view demystify_memory.provenance with (security_barrier = true) as
  select d.tenant_key, d.derived_id, s.source_kind, s.source_id
    from demystify_memory.derived d,
    lateral (select 'memory' as source_kind, unnest(d.source_memories) as source_id
             union all
             select 'derived', unnest(d.source_derived)) s
   where d.tenant_key = (select nullif(current_setting('app.current_tenant', true), ''))
     and (d.expires_at is null or d.expires_at > statement_timestamp())
     and d.derived_id not in (
       select u.id from demystify_memory.open_erasure o, unnest(o.derived_ids) u(id)
        where o.tenant_key = (select nullif(current_setting('app.current_tenant', true), ''))
       union all
       select u.id from demystify_memory.restriction_in_force r, unnest(r.item_ids) u(id)
        where r.tenant_key = (select nullif(current_setting('app.current_tenant', true), '')))
     and not d.subject_hashes && array(
       select s.subject_hash
         from demystify_memory.restriction_in_force r
         join demystify_memory.subject s on s.tenant_key = r.tenant_key and s.person_id = r.person_id
        where r.tenant_key = (select nullif(current_setting('app.current_tenant', true), '')));
comment on view demystify_memory.provenance is 'The provenance edges of derived rows that can be seen, of the session''s tenant.';

create or replace view demystify_memory.live_memory with (security_barrier = true) as
  select m.tenant_key, m.memory_id, m.subject_key, m.subject_hash, m.also_keys, m.also_hashes, m.kind, m.text, m.metadata,
         m.embedding, m.captured_at, m.expires_at, m.created_at
    from demystify_memory.memory m
   where m.tenant_key = (select nullif(current_setting('app.current_tenant', true), ''))
     and (m.expires_at is null or m.expires_at > statement_timestamp())
     and m.memory_id not in (
       select u.id from demystify_memory.open_erasure o, unnest(o.memory_ids) u(id)
        where o.tenant_key = (select nullif(current_setting('app.current_tenant', true), ''))
       union all
       select u.id from demystify_memory.restriction_in_force r, unnest(r.item_ids) u(id)
        where r.tenant_key = (select nullif(current_setting('app.current_tenant', true), '')))
     and not (m.subject_hash || m.also_hashes) && array(
       select s.subject_hash
         from demystify_memory.restriction_in_force r
         join demystify_memory.subject s on s.tenant_key = r.tenant_key and s.person_id = r.person_id
        where r.tenant_key = (select nullif(current_setting('app.current_tenant', true), '')));
comment on view demystify_memory.live_memory is 'The memories that can be seen, of the session''s tenant.';

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
  ('uuid_v7', 'f', 'plpgsql', 'v', false, '{"search_path=\"\""}', 'e91d0f2ba81d79ef4b72f784b0bf63b2', true),
  ('partition_by_tenant', 'f', 'plpgsql', 'v', false, '{"search_path=\"\""}', 'd6fdc89dbee9864d5f784aec5671cf72', false),
  ('assert_tenant', 'f', 'plpgsql', 's', true, '{"search_path=\"\""}', '9942330de306fceba77cda70714ee592', false),
  ('host_tenant', 'f', 'plpgsql', 's', false, '{"search_path=\"\""}', '41bf12382e9981930351517032447935', true),
  ('configure', 'f', 'plpgsql', 'v', true, '{"search_path=\"\""}', '4d7ab9ab643dd47dde871e730e424d2c', true),
  ('refuse_change', 'f', 'plpgsql', 'v', false, '{"search_path=\"\""}', '075da1770b97b00404486e4fff5bfb36', false),
  ('refuse_payload_change', 'f', 'plpgsql', 'v', false, '{"search_path=\"\""}', '13cb871028c0fde742db11f3d3f06d84', false),
  ('lock_subjects', 'f', 'plpgsql', 'v', true, '{"search_path=\"\"","jit=off","enable_seqscan=off","plan_cache_mode=force_generic_plan"}', '91a62e6a1947bd42c7486ced5ff8eda7', false),
  ('link_subjects', 'f', 'plpgsql', 'v', true, '{"search_path=\"\"","jit=off","enable_seqscan=off"}', '5f7034cd5e301283313fe9171699bfbd', false),
  ('assert_keys', 'f', 'plpgsql', 's', true, '{"search_path=\"\"","jit=off","enable_seqscan=off","plan_cache_mode=force_generic_plan"}', '787e18ec5ade5d0024e430a4bae4ae47', false),
  ('register_key', 'f', 'plpgsql', 'v', true, '{"search_path=\"\"","jit=off","enable_seqscan=off"}', 'b8c251ecccc2b4f2f2a0d2236b8dc542', false),
  ('stamp_memory', 'f', 'plpgsql', 'v', true, '{"search_path=\"\""}', '39afc9b40f48773235ee5895eddb544a', false),
  ('gate_memory', 'f', 'plpgsql', 'v', true, '{"search_path=\"\"","jit=off","enable_seqscan=off","enable_hashjoin=off","enable_mergejoin=off"}', '8e796a7ed15bef74e9a8e23f17325a16', false),
  ('stamp_derived', 'f', 'plpgsql', 'v', true, '{"search_path=\"\"","jit=off","enable_seqscan=off","enable_hashjoin=off","enable_mergejoin=off"}', 'd7230ca6778996e570aa41445b2d471d', false),
  ('stamp_placement', 'f', 'plpgsql', 'v', true, '{"search_path=\"\"","jit=off","enable_seqscan=off","enable_hashjoin=off","enable_mergejoin=off"}', '83ab7a7c53b69a96496f0803a24cf50b', false),
  ('gate_sources', 'f', 'plpgsql', 'v', true, '{"search_path=\"\"","jit=off","enable_seqscan=off","enable_hashjoin=off","enable_mergejoin=off"}', 'be368c8fa4d8e689f68ec7cefe6c812d', false),
  ('memory_json', 'f', 'plpgsql', 's', false, '{"search_path=\"\""}', 'fff89f46b88a68ce8581e2f95ee9cc7c', false),
  ('derived_json', 'f', 'plpgsql', 's', false, '{"search_path=\"\""}', '916059a37e20b2ec1cae1d1036d934f4', false),
  ('iso', 'f', 'plpgsql', 's', false, '{"search_path=\"\""}', 'bac4d86182ebf8f88549b52844c6e30d', false),
  ('open_items', 'f', 'plpgsql', 's', true, '{"search_path=\"\"","jit=off","enable_seqscan=off"}', '32dcc780dae965b903bda559e96a6664', false),
  ('hidden_items', 'f', 'plpgsql', 's', true, '{"search_path=\"\"","jit=off","enable_seqscan=off"}', 'f3a2fceb505e5adcf5bb72fd313b4568', false),
  ('restricted_subjects', 'f', 'plpgsql', 's', true, '{"search_path=\"\"","jit=off","enable_seqscan=off"}', '16b69c5d8bad2415733dcd60a6cc3857', false),
  ('held_subjects', 'f', 'plpgsql', 's', true, '{"search_path=\"\"","jit=off","enable_seqscan=off"}', '2716651a8fbc4b2cae232cc4cc20b861', false),
  ('sources_json', 'f', 'plpgsql', 'i', false, '{"search_path=\"\""}', 'c78640c2fc2be96fc1cfa55170edf921', false),
  ('erased_content', 'f', 'plpgsql', 's', true, '{"search_path=\"\"","jit=off","enable_seqscan=off","plan_cache_mode=force_generic_plan"}', '5ffae66c1e2ca7ad9c98c869b5fdd375', false),
  ('remember_many', 'f', 'plpgsql', 'v', true, '{"search_path=\"\"","jit=off","enable_seqscan=off","plan_cache_mode=force_generic_plan"}', 'b88c7b8d1c7e8faeef884bb38eedf00d', true),
  ('derive_many', 'f', 'plpgsql', 'v', true, '{"search_path=\"\"","jit=off","enable_seqscan=off","plan_cache_mode=force_generic_plan"}', '194006b78642088a2543e4043b963246', true),
  ('own_tombstones', 'f', 'plpgsql', 's', true, '{"search_path=\"\"","jit=off","enable_seqscan=off"}', 'e34f4090c39104498cac85c768e7cd15', false),
  ('assert_read_committed', 'f', 'plpgsql', 's', false, '{"search_path=\"\""}', '4da5bd8545b0b391eea47b19a418dc06', false),
  ('direct_delete_reason', 'f', 'plpgsql', 's', false, '{"search_path=\"\""}', 'd8c0fffac97bbd6dbe58354e2a48c1ec', false),
  ('assert_direct_delete', 'f', 'plpgsql', 's', true, '{"search_path=\"\"","jit=off"}', 'b7e82a581047658b8a4f9d59638905d7', false),
  ('hold_lock', 'f', 'plpgsql', 'i', false, '{"search_path=\"\""}', 'e7ea57eb90953bbffea92fe18520b1f1', false),
  ('assert_not_held', 'f', 'plpgsql', 's', true, '{"search_path=\"\"","jit=off"}', '30a36fda9f2df39bc21a0f0eb51a3698', false),
  ('record_memory_delete', 'f', 'plpgsql', 'v', true, '{"search_path=\"\"","jit=off","enable_seqscan=off","enable_hashjoin=off","enable_mergejoin=off","plan_cache_mode=force_generic_plan"}', 'e54ac05ceda4ab86a324a029e186c416', false),
  ('record_derived_delete', 'f', 'plpgsql', 'v', true, '{"search_path=\"\"","jit=off","enable_seqscan=off","enable_hashjoin=off","enable_mergejoin=off","plan_cache_mode=force_generic_plan"}', '4505f54cd7acdb634791eebd614f8260', false),
  ('is_open_item', 'f', 'plpgsql', 's', true, '{"search_path=\"\"","jit=off","enable_seqscan=off"}', '0d09b87e29ad259ed342bc93c4010516', false),
  ('reach_derived', 'f', 'plpgsql', 'v', true, '{"search_path=\"\"","jit=off","enable_seqscan=off","enable_hashjoin=off","enable_mergejoin=off","plan_cache_mode=force_generic_plan"}', '7f33755ee3de7cde174dc4184e9ac365', false),
  ('settle_direct_delete', 'f', 'plpgsql', 'v', true, '{"search_path=\"\"","jit=off","enable_seqscan=off","enable_hashjoin=off","enable_mergejoin=off"}', 'c15ab91717d9210a4b24f45a2d7adaa5', false),
  ('check_tombstones', 'f', 'plpgsql', 'v', true, '{"search_path=\"\"","jit=off"}', '6545be7c94a6b1f525044a5f29737ef8', false),
  ('check_tombstone_items', 'f', 'plpgsql', 'v', true, '{"search_path=\"\"","jit=off","enable_seqscan=off"}', 'fa15dac040fe99cfc266104a3303c07f', false),
  ('closure_of', 'f', 'plpgsql', 's', true, '{"search_path=\"\"","jit=off","enable_seqscan=off","enable_hashjoin=off","enable_mergejoin=off","plan_cache_mode=force_generic_plan"}', 'c434f512c754b2b8d2a5156dd4bec1fd', false),
  ('erasure_target', 'f', 'plpgsql', 's', true, '{"search_path=\"\"","jit=off","enable_seqscan=off"}', 'ca1960f06f975096089beaba50d1bd87', false),
  ('placements_of', 'f', 'plpgsql', 's', true, '{"search_path=\"\"","jit=off","enable_seqscan=off","enable_hashjoin=off","enable_mergejoin=off","plan_cache_mode=force_generic_plan"}', 'e34a1e0c6b817adbc8c1b1896e01dc64', false),
  ('preview_token', 'f', 'plpgsql', 's', false, '{"search_path=\"\""}', 'cb710e4f299296e1c35b2d51a1ca6942', false),
  ('closure_facts', 'f', 'plpgsql', 's', true, '{"search_path=\"\"","jit=off","enable_seqscan=off"}', '7409a696c6073c0891dd885b0d7dc2a8', false),
  ('rebuildable_of', 'f', 'plpgsql', 's', true, '{"search_path=\"\"","jit=off","enable_seqscan=off"}', 'd145eb19f4308dce41c55bba9810e587', false),
  ('preview_erasure', 'f', 'plpgsql', 's', true, '{"search_path=\"\"","jit=off","enable_seqscan=off"}', 'd9105cbfc6114966ed4b1478fb967fb7', true),
  ('erasure_placements', 'f', 'plpgsql', 's', true, '{"search_path=\"\"","jit=off","enable_seqscan=off"}', 'd551ee60cf0aaa5ae6137e6d4df7bd47', false),
  ('counts_json', 'f', 'plpgsql', 's', true, '{"search_path=\"\"","jit=off","enable_seqscan=off"}', 'c64c44b7d7fab7251b288bf05856f6a7', false),
  ('receipt_json', 'f', 'plpgsql', 's', true, '{"search_path=\"\"","jit=off","enable_seqscan=off"}', 'e82c75828347e4466496b6d9ad8dad5c', false),
  ('erasure_receipt', 'f', 'plpgsql', 's', true, '{"search_path=\"\""}', 'b49304e956145591e37da2207dc46551', true),
  ('list_erasures', 'f', 'plpgsql', 's', true, '{"search_path=\"\"","jit=off","enable_seqscan=off"}', 'd8b45bece52d77f472b14594be8b7a52', true),
  ('erasure_history', 'f', 'plpgsql', 's', true, '{"search_path=\"\"","jit=off","enable_seqscan=off"}', '6037df050e54915e094e580987314b11', true),
  ('tombstone_covering', 'f', 'plpgsql', 's', true, '{"search_path=\"\"","jit=off","enable_seqscan=off"}', 'b575c14f183b1b0e9757433c54230f29', true),
  ('open_erasure_step', 'f', 'plpgsql', 'v', true, '{"search_path=\"\"","jit=off","enable_seqscan=off"}', 'd1dab754abb21baf589fc1eea4dbf393', true),
  ('erasure_to_join', 'f', 'plpgsql', 's', true, '{"search_path=\"\"","jit=off","enable_seqscan=off"}', 'e7f8f6e565a8e551c4aac769cef24101', false),
  ('destroy_step', 'f', 'plpgsql', 'v', true, '{"search_path=\"\"","jit=off","enable_seqscan=off","enable_hashjoin=off","enable_mergejoin=off"}', '23340012086ba7e6f233c0181286f52f', false),
  ('recount', 'f', 'plpgsql', 'v', true, '{"search_path=\"\"","jit=off","enable_seqscan=off","enable_hashjoin=off","enable_mergejoin=off","plan_cache_mode=force_generic_plan"}', 'fb799229ede3b4917948d43475396af1', false),
  ('settle', 'f', 'plpgsql', 'v', true, '{"search_path=\"\"","jit=off","enable_seqscan=off"}', 'c4960779d0bde869cff86d8156695c29', false),
  ('advance_step', 'f', 'plpgsql', 'v', true, '{"search_path=\"\"","jit=off","enable_seqscan=off"}', 'a46885a5051dfd73778d30bbdb87acd7', true),
  ('advance_erasure', 'f', 'plpgsql', 'v', true, '{"search_path=\"\""}', 'a461007e089975cc6b1022b9d75cd16b', true),
  ('open_erasure', 'f', 'plpgsql', 'v', true, '{"search_path=\"\""}', 'a209a726d89ffcb097a1dfa348430628', true),
  ('forget', 'p', 'plpgsql', 'v', false, '{}', '96ae73ae99fecb1c6e16e2e9b145710f', true),
  ('resume', 'p', 'plpgsql', 'v', false, '{}', '10bcc1242206da09b603d0a7ec954ac0', true),
  ('get_memory', 'f', 'plpgsql', 's', true, '{"search_path=\"\"","jit=off","enable_seqscan=off"}', '311680a46e412896273df69f21a3d97c', true),
  ('get_derived', 'f', 'plpgsql', 's', true, '{"search_path=\"\"","jit=off","enable_seqscan=off"}', '645bf1316d40ef86e0fd63f1bf935191', true),
  ('few_rows', 'f', 'plpgsql', 's', false, '{"search_path=\"\""}', 'afb0c4da96a543f518bd2b0e4ec207eb', false),
  ('are_few', 'f', 'plpgsql', 's', true, '{"search_path=\"\"","jit=off","enable_seqscan=off"}', '019114e11933c914e7557086042535a5', false),
  ('list_memories', 'f', 'plpgsql', 's', true, '{"search_path=\"\"","jit=off","enable_seqscan=off","plan_cache_mode=force_custom_plan"}', 'a34cedd44118a7b687b67fe5c6887f4e', true),
  ('list_derived', 'f', 'plpgsql', 's', true, '{"search_path=\"\"","jit=off","enable_seqscan=off","plan_cache_mode=force_custom_plan"}', '349f6e8975fc68b6777de070bf648036', true),
  ('lineage', 'f', 'plpgsql', 's', true, '{"search_path=\"\"","jit=off","enable_seqscan=off"}', 'd6c571d610c2bbd57e487eac2d42bec9', true),
  ('set_embeddings', 'f', 'plpgsql', 'v', true, '{"search_path=\"\"","jit=off","enable_seqscan=off"}', '66306bd9805715b7148557416b51c2e0', true),
  ('rows_without_terms', 'f', 'plpgsql', 's', true, '{"search_path=\"\"","jit=off","enable_seqscan=off"}', 'dd2e0370c93bd459d8c21e8517afeef5', true),
  ('set_terms', 'f', 'plpgsql', 'v', true, '{"search_path=\"\"","jit=off","enable_seqscan=off"}', '34328d70da4bc6916cf1f27d969dcc4e', true),
  ('json_order', 'f', 'sql', 'i', false, '{"search_path=\"\""}', 'd5855a578dfba018880ed9c7e7720f6d', false),
  ('metadata_matches', 'f', 'sql', 'i', false, '{"search_path=\"\""}', '5782549fdd49b943e1b1978c91e31d26', false),
  ('count_without_terms', 'f', 'plpgsql', 's', true, '{"search_path=\"\"","jit=off","enable_seqscan=off","plan_cache_mode=force_custom_plan"}', '285cc7ef305974c87d30839acc9950c2', false),
  ('skipped_no_terms', 'f', 'plpgsql', 's', true, '{"search_path=\"\"","jit=off","enable_seqscan=off"}', '880f651c6e5ec4a3d74552b64e59648c', false),
  ('hits_json', 'f', 'plpgsql', 's', true, '{"search_path=\"\"","jit=off","enable_seqscan=off","enable_hashjoin=off","enable_mergejoin=off"}', '2e6f9dbc1f296ea2247c083574ed9cfe', false),
  ('rows_by_id', 'f', 'plpgsql', 's', true, '{"search_path=\"\"","jit=off","enable_seqscan=off"}', '2a4fd8586b4d56fc47b867b3cb7b84d4', true),
  ('verify_install', 'f', 'sql', 's', true, '{"search_path=\"\"","jit=off"}', null, true),
  ('capabilities', 'f', 'plpgsql', 's', true, '{"search_path=\"\""}', 'cd4f735647a5b93bd9ce65076ff6009f', true),
  ('guard_placement', 'f', 'plpgsql', 'v', true, '{"search_path=\"\"","jit=off","enable_seqscan=off"}', 'ba22849ed70bd8fd4bfd20106316d226', false),
  ('placement_json', 'f', 'plpgsql', 's', false, '{"search_path=\"\""}', 'e696574dc1c5c045a8c04366fb2591a9', false),
  ('assert_usable_sources', 'f', 'plpgsql', 's', true, '{"search_path=\"\"","jit=off","enable_seqscan=off"}', '8a7c72c5115887d97bd51820f7add7f8', false),
  ('record_placement', 'f', 'plpgsql', 'v', true, '{"search_path=\"\"","jit=off","enable_seqscan=off"}', '30ced056bac177404004e7d8eb8b239d', true),
  ('placement_written', 'f', 'plpgsql', 'v', true, '{"search_path=\"\"","jit=off","enable_seqscan=off"}', '54038770df863966c222f1213740a686', true),
  ('placement_abandoned', 'f', 'plpgsql', 'v', true, '{"search_path=\"\"","jit=off","enable_seqscan=off"}', 'ad2a7b0056a2dfdda11a775e1d318824', true),
  ('placement_status', 'f', 'plpgsql', 's', true, '{"search_path=\"\"","jit=off","enable_seqscan=off"}', '9d49931346c7737bdaf35be65b08473c', true),
  ('register_sink', 'f', 'plpgsql', 'v', true, '{"search_path=\"\"","jit=off"}', '6022d51e8a13116f4ff9b290cb57c48e', true),
  ('list_sinks', 'f', 'plpgsql', 's', true, '{"search_path=\"\""}', '6c258b2a7b72a681bf21de5f79f181f4', true),
  ('assert_erasure', 'f', 'plpgsql', 's', true, '{"search_path=\"\"","jit=off","enable_seqscan=off"}', '269af59d78d56acf8b9c63b9ecb96cb8', false),
  ('outstanding', 'f', 'plpgsql', 'v', true, '{"search_path=\"\"","jit=off","enable_seqscan=off"}', '07ceb32164cdeb756dd6680445e3f888', true),
  ('assert_outstanding', 'f', 'plpgsql', 's', true, '{"search_path=\"\"","jit=off"}', '5e24080182b6c800e5d04dd87a9a9276', false),
  ('record_attempt', 'f', 'plpgsql', 'v', true, '{"search_path=\"\"","jit=off","enable_seqscan=off"}', '3321d139b9c9de2042617483fba09443', true),
  ('confirm_placement', 'f', 'plpgsql', 'v', true, '{"search_path=\"\"","jit=off","enable_seqscan=off"}', 'a4d9feb3020132b475c165d9710c0ece', true),
  ('release_ref', 'f', 'plpgsql', 'v', true, '{"search_path=\"\"","jit=off","enable_seqscan=off"}', '946289c42f31883c0f1871d1a56e423d', false),
  ('settle_if_destroyed', 'f', 'plpgsql', 'v', true, '{"search_path=\"\"","jit=off","enable_seqscan=off"}', '5a2dafaf9a146e409f460cd8c44191f9', false),
  ('attest', 'f', 'plpgsql', 'v', true, '{"search_path=\"\"","jit=off","enable_seqscan=off"}', 'a78ff68199144163be0c965f3c0b898a', true),
  ('escalate', 'f', 'plpgsql', 'v', true, '{"search_path=\"\"","jit=off","enable_seqscan=off"}', '3310da5e4350f7ea88f6c27dbf010b2b', true),
  ('person_of', 'f', 'plpgsql', 'v', true, '{"search_path=\"\"","jit=off","enable_seqscan=off"}', '60edce658037a99c2c42ef16ca8b9787', false),
  ('restrict', 'f', 'plpgsql', 'v', true, '{"search_path=\"\"","jit=off","enable_seqscan=off"}', '0f8ffc0da4a6e1fb2311a948da1fb29b', true),
  ('lift_restriction', 'f', 'plpgsql', 'v', true, '{"search_path=\"\"","jit=off","enable_seqscan=off"}', 'b5fab884d74dc25a8df9bf13395e06ae', true),
  ('place_hold', 'f', 'plpgsql', 'v', true, '{"search_path=\"\"","jit=off","enable_seqscan=off"}', '1971dc9bd5c68909b83dd13a2b6c5862', true),
  ('release_hold', 'f', 'plpgsql', 'v', true, '{"search_path=\"\"","jit=off","enable_seqscan=off"}', 'e90cf0c40e73f266d25a3b6b106cdb55', true),
  ('list_holds', 'f', 'plpgsql', 's', true, '{"search_path=\"\"","jit=off","enable_seqscan=off"}', '1d8b616263c8d6f71b1d6cdb5c787033', true),
  ('expired_memories', 'f', 'plpgsql', 's', true, '{"search_path=\"\"","jit=off","enable_seqscan=off"}', 'da5c40005e4822a55d63aca532e0c40a', true),
  ('subjects_with_rows', 'f', 'plpgsql', 's', true, '{"search_path=\"\"","jit=off","enable_seqscan=off"}', '52b2d100e1d56d54637b333b2f4af7e9', true),
  ('open_correction', 'f', 'plpgsql', 'v', true, '{"search_path=\"\"","jit=off","enable_seqscan=off"}', '57defe8f27ac6b4718c184560da55e44', true),
  ('correct', 'p', 'plpgsql', 'v', false, '{}', '67ab3d450f2402acf4d5fffc052b341e', true),
  ('keys_in_use', 'f', 'plpgsql', 's', true, '{"search_path=\"\"","jit=off","enable_seqscan=off"}', 'c8107781d03c4caf66d83cf98031df56', true),
  ('covered', 'f', 'plpgsql', 's', true, '{"search_path=\"\"","jit=off","enable_seqscan=off"}', 'fe6a7f2b7c63baca0555b71c8eec7c51', true),
  ('export_page', 'f', 'plpgsql', 's', true, '{"search_path=\"\"","jit=off"}', '19a76d38a9aba1db352bcc40b75ffe40', true),
  ('others_of', 'f', 'sql', 's', true, '{"search_path=\"\"","jit=off","enable_seqscan=off"}', '5d25044eebd7c9c09da526a47734bbd6', false),
  ('export_memory', 'f', 'sql', 's', true, '{"search_path=\"\"","jit=off","enable_seqscan=off"}', '82181ecd3f1db1d7eb58cc7761609b4a', false),
  ('export_derived', 'f', 'sql', 's', true, '{"search_path=\"\"","jit=off","enable_seqscan=off"}', 'c28d82fc93c97e1cf5f1a83f24c933c6', false),
  ('export_placement', 'f', 'sql', 's', true, '{"search_path=\"\"","jit=off","enable_seqscan=off"}', '1642376b1353052be9810a4215fdb760', false),
  ('reconcile_page', 'f', 'plpgsql', 's', true, '{"search_path=\"\"","jit=off","enable_seqscan=off"}', '6f1537f357ad2e55d3ad4fab951aa597', true),
  ('export_tombstones', 'f', 'plpgsql', 's', true, '{"search_path=\"\"","jit=off","enable_seqscan=off"}', '650ea16473754d958711393d9af06d13', true),
  ('missing_tombstones', 'f', 'plpgsql', 's', true, '{"search_path=\"\"","jit=off","enable_seqscan=off"}', '392694532345cbb44957e159774eacc5', true),
  ('open_replay', 'f', 'plpgsql', 'v', true, '{"search_path=\"\"","jit=off","enable_seqscan=off"}', '65fdcf917b2ae6452564381641d69920', true),
  ('found_expression', 'f', 'plpgsql', 'i', false, '{"search_path=\"\""}', 'dc75ca190225bd793fc41ed694fee95d', false),
  ('tier_plan', 'f', 'plpgsql', 'i', false, '{"search_path=\"\""}', 'a92f74a910142b7940e948745b32c156', false),
  ('tier_condition', 'f', 'plpgsql', 'i', false, '{"search_path=\"\""}', '84f264b171e8f9976d42e51b567afba5', false),
  ('hides_something', 'f', 'plpgsql', 's', true, '{"search_path=\"\"","jit=off","enable_seqscan=off"}', '4d6d59e39c9bddb92159a4f69a7bc9ac', false),
  ('recall_statement', 'f', 'plpgsql', 'i', false, '{"search_path=\"\""}', '6c91a0e27b01f997421db7060380e6cf', false),
  ('passes_expression', 'f', 'plpgsql', 's', false, '{"search_path=\"\""}', 'bfebc8cf288ee21e21553cba188db345', false),
  ('rows_of', 'f', 'sql', 's', false, '{"search_path=\"\""}', 'dd08c54687b9630c97704681b9479bf2', false),
  ('recall_way', 'f', 'plpgsql', 's', true, '{"search_path=\"\"","jit=off","enable_seqscan=off"}', 'a5124a8fc6b4516343af2544390eea11', false),
  ('recall_tier', 'f', 'plpgsql', 's', true, '{"search_path=\"\"","jit=off","enable_seqscan=off"}', '59272a6f49e4b3c6e470805904caa9bb', false),
  ('recall_known', 'f', 'plpgsql', 's', true, '{"search_path=\"\"","jit=off","enable_seqscan=off"}', '89b95425d0ce897d9c07f3aec26ca14d', false),
  ('recall_lexical', 'f', 'plpgsql', 's', true, '{"search_path=\"\"","jit=off","enable_seqscan=off"}', 'e1ebe2eb9449b26063fa6423a022a272', true),
  ('recall_bm25', 'f', 'plpgsql', 's', true, '{"search_path=\"\"","jit=off","enable_seqscan=off"}', '21c47ab6c9dec57e12da494fed11246e', true),
  ('vector_schema', 'f', 'sql', 's', false, '{"search_path=\"\""}', '12b2c65afd5baf4b582e9e1911fd4163', true),
  ('vector_index_name', 'f', 'plpgsql', 'i', false, '{"search_path=\"\""}', '7791988e65c04a35f7dc338478f8c5b6', true),
  ('vector_indexes', 'f', 'sql', 's', true, '{"search_path=\"\""}', '9fd623fa13234b57aa7f9a6cb593fa99', true),
  ('list_vector_indexes', 'f', 'sql', 's', false, '{"search_path=\"\""}', '8d1b55d328c95a907d758bf0a867b384', true),
  ('table_of_tenant', 'f', 'sql', 's', false, '{"search_path=\"\""}', 'd832f6741a0f198b10a368ab27ed8eff', true),
  ('vector_statement', 'f', 'plpgsql', 's', false, '{"search_path=\"\""}', '7cd20493c59bbae8698a8dd79dbaf18c', false),
  ('search_far', 'f', 'plpgsql', 's', false, '{"search_path=\"\""}', '8ea0e5b4fb6bc8a6d74bcf63cc80f685', false),
  ('compare_vectors', 'f', 'plpgsql', 's', true, '{"search_path=\"\"","jit=off","enable_seqscan=off","enable_sort=off"}', 'c205dd34f7a551d3a68ea8a478e87fca', false),
  ('recall_vector', 'f', 'plpgsql', 's', true, '{"search_path=\"\"","jit=off"}', 'cba4c2ad194a196b1834f1c6b4095e84', true),
  ('vector_window', 'f', 'plpgsql', 's', true, '{"search_path=\"\"","jit=off","enable_seqscan=off"}', '4a579ecbf750e062659ba6ce86b429ed', true),
  ('grant_to', 'f', 'plpgsql', 'v', true, '{"search_path=\"\""}', '4e41c525113d8663cae0a13fd1867b95', true)
), column_pins (relation, name, type, required, generated) as (values
  ('schema_migration', 'version', 'int', true, false),
  ('schema_migration', 'name', 'text', true, false),
  ('schema_migration', 'applied_at', 'timestamptz', true, false),
  ('settings', 'only_row', 'boolean', true, false),
  ('settings', 'direct_delete', 'text', true, false),
  ('settings', 'tenant_scope', 'text', true, false),
  ('legal_basis', 'code', 'text', true, false),
  ('subject', 'tenant_key', 'text', true, false),
  ('subject', 'subject_hash', 'text', true, false),
  ('subject', 'key_id', 'text', false, false),
  ('subject', 'person_id', 'uuid', true, false),
  ('subject', 'last_erased_at', 'timestamptz', false, false),
  ('memory', 'tenant_key', 'text', true, false),
  ('memory', 'memory_id', 'uuid', true, false),
  ('memory', 'subject_key', 'text', false, false),
  ('memory', 'subject_hash', 'text', true, false),
  ('memory', 'also_keys', 'text[]', false, false),
  ('memory', 'also_hashes', 'text[]', true, false),
  ('memory', 'key_id', 'text', false, false),
  ('memory', 'kind', 'text', true, false),
  ('memory', 'text', 'text', true, false),
  ('memory', 'metadata', 'jsonb', true, false),
  ('memory', 'embedding', 'real[]', false, false),
  ('memory', 'dimensions', 'int', false, true),
  ('memory', 'term_hashes', 'bigint[]', false, false),
  ('memory', 'content_tags', 'text[]', true, false),
  ('memory', 'provenance_known', 'boolean', true, false),
  ('memory', 'idempotency_hash', 'text', false, false),
  ('memory', 'captured_at', 'timestamptz', false, false),
  ('memory', 'expires_at', 'timestamptz', false, false),
  ('memory', 'created_at', 'timestamptz', true, false),
  ('derived', 'tenant_key', 'text', true, false),
  ('derived', 'derived_id', 'uuid', true, false),
  ('derived', 'kind', 'text', true, false),
  ('derived', 'text', 'text', true, false),
  ('derived', 'metadata', 'jsonb', true, false),
  ('derived', 'embedding', 'real[]', false, false),
  ('derived', 'dimensions', 'int', false, true),
  ('derived', 'term_hashes', 'bigint[]', false, false),
  ('derived', 'content_tags', 'text[]', true, false),
  ('derived', 'source_memories', 'uuid[]', true, false),
  ('derived', 'source_derived', 'uuid[]', true, false),
  ('derived', 'subject_hashes', 'text[]', true, false),
  ('derived', 'expires_at', 'timestamptz', false, false),
  ('derived', 'created_at', 'timestamptz', true, false),
  ('idempotency_key', 'tenant_key', 'text', true, false),
  ('idempotency_key', 'idempotency_hash', 'text', true, false),
  ('idempotency_key', 'memory_id', 'uuid', true, false),
  ('tombstone', 'tenant_key', 'text', true, false),
  ('tombstone', 'tombstone_id', 'uuid', true, false),
  ('tombstone', 'scope', 'text', true, false),
  ('tombstone', 'subject_hash', 'text', false, false),
  ('tombstone', 'subject_key_id', 'text', false, false),
  ('tombstone', 'reason', 'text', true, false),
  ('tombstone', 'legal_basis', 'text', true, false),
  ('tombstone', 'origin', 'text', true, false),
  ('tombstone', 'requested_by_role', 'text', true, false),
  ('tombstone', 'requested_by_hash', 'text', false, false),
  ('tombstone', 'request_hash', 'text', false, false),
  ('tombstone', 'planned_memories', 'int', true, false),
  ('tombstone', 'planned_derived', 'int', true, false),
  ('tombstone', 'planned_edges', 'int', true, false),
  ('tombstone', 'planned_placements', 'int', true, false),
  ('tombstone', 'cascade_depth', 'int', true, false),
  ('tombstone', 'other_subjects', 'int', true, false),
  ('tombstone', 'already_erased', 'int', true, false),
  ('tombstone', 'never_seen', 'int', true, false),
  ('tombstone', 'matched', 'boolean', true, false),
  ('tombstone', 'closure_known', 'boolean', true, false),
  ('tombstone', 'replays', 'uuid', false, false),
  ('tombstone', 'replays_opened_at', 'timestamptz', false, false),
  ('tombstone', 'opened_at', 'timestamptz', true, false),
  ('tombstone', 'opened_xid', 'xid8', true, false),
  ('tombstone_item', 'tenant_key', 'text', true, false),
  ('tombstone_item', 'item_id', 'uuid', true, false),
  ('tombstone_item', 'tombstone_id', 'uuid', true, false),
  ('tombstone_item', 'kind', 'text', true, false),
  ('tombstone_item', 'depth', 'smallint', true, false),
  ('tombstone_item', 'content_tags', 'text[]', true, false),
  ('tombstone_item', 'derived_kind', 'text', false, false),
  ('tombstone_item', 'surviving_memories', 'uuid[]', false, false),
  ('tombstone_item', 'surviving_derived', 'uuid[]', false, false),
  ('erasure_event', 'tenant_key', 'text', true, false),
  ('erasure_event', 'tombstone_id', 'uuid', true, false),
  ('erasure_event', 'event_id', 'uuid', true, false),
  ('erasure_event', 'event', 'text', true, false),
  ('erasure_event', 'memories', 'int', true, false),
  ('erasure_event', 'derived', 'int', true, false),
  ('erasure_event', 'edges', 'int', true, false),
  ('erasure_event', 'depth', 'int', true, false),
  ('erasure_event', 'placement_id', 'uuid', false, false),
  ('erasure_event', 'proof', 'text', false, false),
  ('erasure_event', 'code', 'text', false, false),
  ('erasure_event', 'actor', 'text', false, false),
  ('erasure_event', 'reference', 'text', false, false),
  ('erasure_event', 'request_hash', 'text', false, false),
  ('erasure_event', 'at', 'timestamptz', true, false),
  ('open_erasure', 'tenant_key', 'text', true, false),
  ('open_erasure', 'tombstone_id', 'uuid', true, false),
  ('open_erasure', 'memory_ids', 'uuid[]', true, false),
  ('open_erasure', 'derived_ids', 'uuid[]', true, false),
  ('open_erasure', 'subject_hashes', 'text[]', true, false),
  ('open_erasure', 'destroyed_derived', 'int', true, false),
  ('open_erasure', 'destroyed_memories', 'int', true, false),
  ('sink', 'tenant_key', 'text', true, false),
  ('sink', 'sink', 'text', true, false),
  ('sink', 'required_proof', 'text', true, false),
  ('sink', 'registered', 'text', true, false),
  ('sink', 'registered_at', 'timestamptz', true, false),
  ('placement', 'tenant_key', 'text', true, false),
  ('placement', 'placement_id', 'uuid', true, false),
  ('placement', 'sink', 'text', true, false),
  ('placement', 'ref', 'text', false, false),
  ('placement', 'kind', 'text', true, false),
  ('placement', 'source_memories', 'uuid[]', true, false),
  ('placement', 'source_derived', 'uuid[]', true, false),
  ('placement', 'subject_hashes', 'text[]', true, false),
  ('placement', 'fingerprint', 'text', false, false),
  ('placement', 'write_deadline', 'timestamptz', false, false),
  ('placement', 'written_at', 'timestamptz', false, false),
  ('placement', 'gone_at', 'timestamptz', false, false),
  ('placement', 'created_at', 'timestamptz', true, false),
  ('placement_lease', 'tenant_key', 'text', true, false),
  ('placement_lease', 'tombstone_id', 'uuid', true, false),
  ('placement_lease', 'placement_id', 'uuid', true, false),
  ('placement_lease', 'owner', 'text', true, false),
  ('placement_lease', 'leased_until', 'timestamptz', true, false),
  ('placement_lease', 'idle', 'boolean', true, false),
  ('restriction', 'tenant_key', 'text', true, false),
  ('restriction', 'restriction_id', 'uuid', true, false),
  ('restriction', 'lifts', 'uuid', false, false),
  ('restriction', 'scope', 'text', true, false),
  ('restriction', 'subject_hash', 'text', false, false),
  ('restriction', 'memory_ids', 'uuid[]', true, false),
  ('restriction', 'basis', 'text', true, false),
  ('restriction', 'at', 'timestamptz', true, false),
  ('legal_hold', 'tenant_key', 'text', true, false),
  ('legal_hold', 'hold_id', 'uuid', true, false),
  ('legal_hold', 'releases', 'uuid', false, false),
  ('legal_hold', 'subject_hash', 'text', true, false),
  ('legal_hold', 'code', 'text', true, false),
  ('legal_hold', 'until', 'timestamptz', false, false),
  ('legal_hold', 'at', 'timestamptz', true, false),
  ('legal_hold_refusal', 'tenant_key', 'text', true, false),
  ('legal_hold_refusal', 'hold_id', 'uuid', true, false),
  ('legal_hold_refusal', 'refusal_id', 'uuid', true, false),
  ('legal_hold_refusal', 'at', 'timestamptz', true, false),
  ('restriction_in_force', 'tenant_key', 'text', true, false),
  ('restriction_in_force', 'restriction_id', 'uuid', true, false),
  ('restriction_in_force', 'person_id', 'uuid', false, false),
  ('restriction_in_force', 'item_ids', 'uuid[]', true, false),
  ('subject_key', 'tenant_key', 'text', true, false),
  ('subject_key', 'key_id', 'text', true, false),
  ('subject_key', 'check_value', 'text', false, false)
), constraint_pins (relation, name, type, definition) as (values
  ('settings', 'settings_is_one_row', 'c', 'only_row'),
  ('settings', 'direct_delete_is_known', 'c', 'direct_delete=ANYARRAY[''record'',''refuse'']'),
  ('settings', 'tenant_scope_is_known', 'c', 'tenant_scope=ANYARRAY[''per-call'',''host'']'),
  ('legal_basis', 'legal_basis_is_a_code', 'c', 'code~''^[a-z][a-z0-9_]{0,63}$''ANDcode!~''[0-9]{5}'''),
  ('subject', 'subject_is_a_hash', 'c', 'subject_hash~''^[0-9a-f]{64}$'''),
  ('subject', 'subject_key_id_is_a_code', 'c', 'key_id~''^[a-z][a-z0-9_.:-]{0,63}$'''),
  ('memory', 'memory_has_a_tenant', 'c', 'tenant_key~''\S'''),
  ('memory', 'memory_is_filed_under_a_hash', 'c', 'subject_hash~''^[0-9a-f]{64}$'''),
  ('memory', 'memory_also_hashes_are_hashes', 'c', 'cardinalityalso_hashes<=32ANDarray_to_stringalso_hashes,''''~''^[0-9a-f]{64}*$'''),
  ('memory', 'memory_kind_is_a_code', 'c', 'kind~''^[a-z][a-z0-9_.:-]{0,63}$''ANDkind!~''[0-9]{5}'''),
  ('memory', 'memory_metadata_is_an_object', 'c', 'jsonb_typeofmetadata=''object'''),
  ('memory', 'memory_vector_is_not_empty', 'c', 'cardinalityembedding>0'),
  ('derived', 'derived_requires_provenance', 'c', 'cardinalitysource_memories+cardinalitysource_derived>0'),
  ('derived', 'derived_has_at_most_4096_sources', 'c', 'cardinalitysource_memories+cardinalitysource_derived<=4096'),
  ('derived', 'derived_sources_are_ids', 'c', 'array_positionsource_memories,NULLISNULLANDarray_positionsource_derived,NULLISNULL'),
  ('derived', 'derived_has_a_tenant', 'c', 'tenant_key~''\S'''),
  ('derived', 'derived_kind_is_a_code', 'c', 'kind~''^[a-z][a-z0-9_.:-]{0,63}$''ANDkind!~''[0-9]{5}'''),
  ('derived', 'derived_metadata_is_an_object', 'c', 'jsonb_typeofmetadata=''object'''),
  ('derived', 'derived_vector_is_not_empty', 'c', 'cardinalityembedding>0'),
  ('idempotency_key', 'idempotency_key_is_a_hash', 'c', 'idempotency_hash~''^[0-9a-f]{64}$'''),
  ('tombstone', 'tombstone_has_no_raw_identifier', 'c', 'subject_hash~''^[0-9a-f]{64}$'''),
  ('tombstone', 'tombstone_key_id_is_a_code', 'c', 'subject_key_id~''^[a-z][a-z0-9_.:-]{0,63}$'''),
  ('tombstone', 'tombstone_scope_is_known', 'c', 'scope=ANYARRAY[''subject'',''memories'',''derived'']'),
  ('tombstone', 'tombstone_of_a_subject_names_it', 'c', 'scope<>''subject''ORsubject_hashISNOTNULL'),
  ('tombstone', 'tombstone_reason_is_a_code', 'c', 'reason=ANYARRAY[''subject_request'',''retention_policy'',''operator'']'),
  ('tombstone', 'tombstone_origin_is_a_code', 'c', 'origin=ANYARRAY[''forget'',''direct_delete'',''expiry'',''correction'',''replay'',''late_write'']'),
  ('tombstone', 'tombstone_requester_is_a_role', 'c', 'requested_by_role=ANYARRAY[''data_principal'',''controller'',''operator'',''system'',''unspecified'']'),
  ('tombstone', 'tombstone_requester_is_a_hash', 'c', 'requested_by_hash~''^[0-9a-f]{64}$'''),
  ('tombstone', 'tombstone_request_is_a_hash', 'c', 'request_hash~''^[0-9a-f]{64}$'''),
  ('tombstone', 'tombstone_legal_basis_is_known', 'f', 'FOREIGNKEYlegal_basisREFERENCESdemystify_memory.legal_basiscode'),
  ('tombstone_item', 'tombstone_item_kind_is_known', 'c', 'kind=ANYARRAY[''memory'',''derived'',''placement'']'),
  ('tombstone_item', 'tombstone_item_derived_kind_is_a_code', 'c', 'derived_kind~''^[a-z][a-z0-9_.:-]{0,63}$''ANDderived_kind!~''[0-9]{5}'''),
  ('erasure_event', 'erasure_event_is_known', 'c', 'event=ANYARRAY[''rows_destroyed'',''destroyed'',''completed'',''escalated'',''attempt'',''confirmed'',''attested'',''closure_attested'',''late_write'',''joined'']'),
  ('erasure_event', 'erasure_event_proof_is_known', 'c', 'proof=ANYARRAY[''requested'',''acknowledged'',''absent'',''unfindable'',''purged'']'),
  ('erasure_event', 'erasure_event_code_is_a_code', 'c', 'code~''^[a-z][a-z_]{0,63}$'''),
  ('erasure_event', 'erasure_event_actor_is_a_code', 'c', 'actor~''^[a-z][a-z0-9_.:-]{0,63}$''ANDactor!~''[0-9]{5}'''),
  ('erasure_event', 'erasure_event_request_is_a_hash', 'c', 'request_hash~''^[0-9a-f]{64}$'''),
  ('erasure_event', 'erasure_event_reference_is_a_ticket', 'c', 'reference~''^[A-Z]{2,8}-[0-9]{1,8}$'''),
  ('sink', 'sink_is_a_code', 'c', 'sink~''^[a-z][a-z0-9_.:-]{0,63}$''ANDsink!~''[0-9]{5}'''),
  ('sink', 'sink_proof_is_at_least_a_read_back', 'c', 'required_proof=ANYARRAY[''absent'',''unfindable'',''purged'']'),
  ('sink', 'sink_registered_is_known', 'c', 'registered=ANYARRAY[''explicit'',''automatic'']'),
  ('placement', 'placement_requires_provenance', 'c', 'cardinalitysource_memories+cardinalitysource_derived>0'),
  ('placement', 'placement_has_at_most_4096_sources', 'c', 'cardinalitysource_memories+cardinalitysource_derived<=4096'),
  ('placement', 'placement_fingerprint_is_a_hash', 'c', 'fingerprint~''^[0-9a-f]{64}$'''),
  ('placement', 'placement_kind_is_a_code', 'c', 'kind~''^[a-z][a-z0-9_.:-]{0,63}$''ANDkind!~''[0-9]{5}'''),
  ('placement', 'placement_sink_is_registered', 'f', 'FOREIGNKEYtenant_key,sinkREFERENCESdemystify_memory.sinktenant_key,sink'),
  ('placement_lease', 'placement_lease_owner_is_a_code', 'c', 'owner~''^[a-z][a-z0-9_.:-]{0,63}$''ANDowner!~''[0-9]{5}'''),
  ('restriction', 'restriction_scope_is_known', 'c', 'scope=ANYARRAY[''subject'',''memories'']'),
  ('restriction', 'restriction_has_no_raw_identifier', 'c', 'subject_hash~''^[0-9a-f]{64}$'''),
  ('restriction', 'restriction_basis_is_a_code', 'c', 'basis=ANYARRAY[''gdpr_18_1_a'',''gdpr_18_1_b'',''gdpr_18_1_c'',''gdpr_18_1_d'',''retention_floor'',''operator'']'),
  ('legal_hold', 'legal_hold_has_no_raw_identifier', 'c', 'subject_hash~''^[0-9a-f]{64}$'''),
  ('legal_hold', 'legal_hold_code_is_known', 'c', 'code=ANYARRAY[''litigation'',''regulatory'',''investigation'',''contract'']'),
  ('subject_key', 'subject_key_check_is_a_hash', 'c', 'check_value~''^[0-9a-f]{64}$''')
), index_pins (relation, name, method, is_unique) as (values
  ('subject', 'subject_by_person', 'btree', false),
  ('memory', 'memory_by_subject', 'btree', false),
  ('memory', 'memory_by_also', 'gin', false),
  ('memory', 'memory_by_time', 'btree', false),
  ('memory', 'memory_by_term', 'gin', false),
  ('memory', 'memory_without_terms', 'btree', false),
  ('memory', 'memory_by_expiry', 'btree', false),
  ('derived', 'derived_by_source_memory', 'gin', false),
  ('derived', 'derived_by_source_derived', 'gin', false),
  ('derived', 'derived_by_subject', 'gin', false),
  ('derived', 'derived_by_time', 'btree', false),
  ('derived', 'derived_by_term', 'gin', false),
  ('derived', 'derived_without_terms', 'btree', false),
  ('tombstone', 'tombstone_by_subject', 'btree', false),
  ('tombstone', 'tombstone_by_transaction', 'btree', false),
  ('tombstone', 'tombstone_by_replayed', 'btree', false),
  ('tombstone', 'tombstone_by_request', 'btree', true),
  ('tombstone_item', 'tombstone_item_rebuildable', 'btree', false),
  ('tombstone_item', 'tombstone_item_by_content', 'gin', false),
  ('tombstone_item', 'tombstone_item_placements', 'btree', false),
  ('erasure_event', 'erasure_event_by_request', 'btree', true),
  ('placement', 'placement_by_source_memory', 'gin', false),
  ('placement', 'placement_by_source_derived', 'gin', false),
  ('placement', 'placement_by_subject', 'gin', false),
  ('placement', 'placement_by_fingerprint', 'btree', true),
  ('restriction', 'restriction_lifts', 'btree', true),
  ('legal_hold', 'legal_hold_releases', 'btree', true)
),
columns as materialized (
-- The columns of the tables. statistics: how many values ANALYZE keeps; -1 is the server's default.
select c.relname::text as relation, a.attname::text as name, format_type(a.atttypid, a.atttypmod) as type,
       a.attnotnull as required, a.attgenerated <> '' as generated, coalesce(a.attstattarget, -1)::int as statistics,
       a.attstorage::text as storage
  from pg_catalog.pg_class c
  join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
 where c.relnamespace = 'demystify_memory'::regnamespace and c.relkind in ('r', 'p')
),
constraints as materialized (
-- Checks, keys and foreign keys of the tables. Of NOT NULL the columns tell: not every version lists it here.
select c.relname::text as relation, k.conname::text as name, k.contype::text as type,
       pg_get_constraintdef(k.oid) as definition, k.convalidated as validated
  from pg_catalog.pg_constraint k
  join pg_catalog.pg_class c on c.oid = k.conrelid
 where c.relnamespace = 'demystify_memory'::regnamespace and k.contype <> 'n'
),
grants as materialized (
-- Who was given what, apart from the owner of each thing. The grantee 'public' is everybody.
select x.object, x.name, case when a.grantee = 0 then 'public' else pg_get_userbyid(a.grantee)::text end as grantee,
       lower(a.privilege_type) as privilege, a.is_grantable as grantable
  from (
    select 'schema' as object, n.nspname::text as name, n.nspacl as acl, n.nspowner as owner
      from pg_catalog.pg_namespace n
     where n.oid = 'demystify_memory'::regnamespace
    union all
    select 'relation', c.relname::text, c.relacl, c.relowner
      from pg_catalog.pg_class c
     where c.relnamespace = 'demystify_memory'::regnamespace
    union all
    select 'column', c.relname || '.' || k.attname, k.attacl, c.relowner
      from pg_catalog.pg_class c
      join pg_catalog.pg_attribute k on k.attrelid = c.oid and k.attacl is not null
     where c.relnamespace = 'demystify_memory'::regnamespace
    union all
    select 'routine', f.proname::text, coalesce(f.proacl, acldefault('f', f.proowner)), f.proowner
      from pg_catalog.pg_proc f
     where f.pronamespace = 'demystify_memory'::regnamespace) x,
  aclexplode(x.acl) a
 where a.grantee <> x.owner
),
indexes as materialized (
-- The indexes of the tables. columns: which of the table's columns they hold, by name or inside an expression.
select c.relname::text as relation, i.relname::text as name, m.amname::text as method, x.indisunique as is_unique,
       x.indisvalid and x.indisready as valid,
       coalesce(i.reloptions, '{}') as options, pg_get_indexdef(i.oid) as definition,
       array(select distinct a.attname::text
               from pg_catalog.pg_depend d
               join pg_catalog.pg_attribute a on a.attrelid = d.refobjid and a.attnum = d.refobjsubid
              where d.classid = 'pg_catalog.pg_class'::regclass and d.objid = i.oid
                and d.refclassid = 'pg_catalog.pg_class'::regclass and d.refobjid = c.oid and d.refobjsubid > 0
              order by 1) as columns,
       exists (select from pg_catalog.pg_attribute a
                where a.attrelid = i.oid and a.attnum > 0 and x.indkey[a.attnum - 1] = 0
                  and coalesce(a.attstattarget, -1) <> 0) as has_expression_statistics
  from pg_catalog.pg_index x
  join pg_catalog.pg_class i on i.oid = x.indexrelid
  join pg_catalog.pg_class c on c.oid = x.indrelid
  join pg_catalog.pg_am m on m.oid = i.relam
 where c.relnamespace = 'demystify_memory'::regnamespace and c.relkind in ('r', 'p')
),
policies as materialized (
-- The row-level security policies.
select c.relname::text as relation, p.polname::text as name, p.polpermissive as permissive, p.polcmd::text as command,
       array(select case when r = 0 then 'public' else pg_get_userbyid(r)::text end from unnest(p.polroles) r) as roles,
       pg_get_expr(p.polqual, p.polrelid) as condition, pg_get_expr(p.polwithcheck, p.polrelid) as check_condition
  from pg_catalog.pg_policy p
  join pg_catalog.pg_class c on c.oid = p.polrelid
 where c.relnamespace = 'demystify_memory'::regnamespace
),
relations as materialized (
-- Tables, views and whatever else of that sort is in the schema.
select c.oid, c.relname::text as name, c.relkind::text as kind, pg_get_userbyid(c.relowner)::text as owner,
       c.relpersistence::text as persistence, c.relrowsecurity as row_security, c.relforcerowsecurity as forced,
       c.relreplident::text as replica_identity, c.relispartition as is_partition,
       coalesce(c.reloptions, '{}') as options
  from pg_catalog.pg_class c
 where c.relnamespace = 'demystify_memory'::regnamespace and c.relkind not in ('i', 'I', 'c', 't')
),
routines as materialized (
-- Functions and procedures. body is a hash of the source text.
select f.proname::text as name, pg_get_function_identity_arguments(f.oid) as arguments, f.prokind::text as kind,
       l.lanname::text as language, f.provolatile::text as volatility, f.prosecdef as definer,
       coalesce(f.proconfig, '{}') as settings, md5(f.prosrc) as body, pg_get_userbyid(f.proowner)::text as owner
  from pg_catalog.pg_proc f
  join pg_catalog.pg_language l on l.oid = f.prolang
 where f.pronamespace = 'demystify_memory'::regnamespace
),
triggers as materialized (
-- The triggers of the tables, without those that Postgres makes for foreign keys.
select c.relname::text as relation, t.tgname::text as name, n.nspname::text as function_schema,
       f.proname::text as function, t.tgenabled::text as enabled, t.tgqual is not null as conditional,
       case when (t.tgtype & 2) <> 0 then 'before' when (t.tgtype & 64) <> 0 then 'instead of' else 'after' end as timing,
       case when (t.tgtype & 1) <> 0 then 'row' else 'statement' end as level,
       array_remove(array[case when (t.tgtype & 4) <> 0 then 'insert' end, case when (t.tgtype & 8) <> 0 then 'delete' end,
                          case when (t.tgtype & 16) <> 0 then 'update' end,
                          case when (t.tgtype & 32) <> 0 then 'truncate' end], null) as events,
       array(select a.attname::text from pg_catalog.pg_attribute a
              where a.attrelid = c.oid and a.attnum = any(t.tgattr::int2[]) order by a.attnum) as columns,
       pg_get_triggerdef(t.oid) as definition
  from pg_catalog.pg_trigger t
  join pg_catalog.pg_class c on c.oid = t.tgrelid
  join pg_catalog.pg_proc f on f.oid = t.tgfoid
  join pg_catalog.pg_namespace n on n.oid = f.pronamespace
 where c.relnamespace = 'demystify_memory'::regnamespace and not t.tgisinternal
),
view_sources as materialized (
-- What is built on the tables: each view, materialised view and rule, with the columns that it reads. An empty list is
-- the table as a whole.
select n.nspname::text as schema, v.relname::text as name, v.relkind::text as kind, c.relname::text as relation,
       array_remove(array_agg(distinct a.attname::text order by a.attname::text), null) as columns
  from pg_catalog.pg_depend d
  join pg_catalog.pg_rewrite r on r.oid = d.objid
  join pg_catalog.pg_class v on v.oid = r.ev_class
  join pg_catalog.pg_namespace n on n.oid = v.relnamespace
  join pg_catalog.pg_class c on c.oid = d.refobjid and c.oid <> v.oid
  left join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum = d.refobjsubid and d.refobjsubid > 0
 where d.classid = 'pg_catalog.pg_rewrite'::regclass and d.refclassid = 'pg_catalog.pg_class'::regclass
   and c.relnamespace = 'demystify_memory'::regnamespace
 group by n.nspname, v.relname, v.relkind, c.relname
)
, engine as (
  -- Who owns the tables, and who may extend legal_basis: the installer, who is the owner where he could make no role.
  select (select r.owner from relations r where r.name = 'settings') as owner,
         (select p.roles[1] from policies p where p.name = 'legal_basis_is_extended_by_the_installer') as installer
)
-- A missing table is a missing rule: everything else here is about tables that are there.
select 'all_tables_exist' as check_name,
       not exists (
         select from column_pins p
          where not exists (select from relations r where r.name = p.relation and r.kind in ('r', 'p'))) as ok,
       'critical' as severity,
       'every table of the schema is there' as detail,
       'Run the migration again; if a table was dropped, restore it from backup and replay the tombstones.' as remediation

union all

-- Whoever may set session_replication_role can switch off the checks of foreign keys, and triggers that are not ENABLE
-- ALWAYS. The application never has to.
select 'app_cannot_skip_triggers' as check_name,
       not exists (
         select from (select distinct g.grantee from grants g where g.object = 'routine' and g.grantee <> 'public') a
           join pg_catalog.pg_roles r on r.rolname = a.grantee and not r.rolsuper
          where a.grantee is distinct from (select e.installer from engine e)
            and pg_catalog.has_parameter_privilege(a.grantee, 'session_replication_role', 'set')) as ok,
       'critical' as severity,
       'no role that was granted this schema may set session_replication_role' as detail,
       'revoke set on parameter session_replication_role from …' as remediation

union all

-- A column that was dropped or given another type took its content along, without a tombstone.
select 'columns_are_unchanged' as check_name,
       not exists (
         select from column_pins p
           join relations r on r.name = p.relation
          where not exists (
            select from columns c
             where c.relation = p.relation and c.name = p.name and c.type = format_type(to_regtype(p.type), -1)
               and c.required = p.required and c.generated = p.generated)) as ok,
       'critical' as severity,
       'every column is there, with its type' as detail,
       'Restore the column from a backup, then replay the tombstones.' as remediation

union all

-- A constraint that is gone, weakened or never validated lets in what the rest relies on not being there.
select 'constraints_are_unchanged' as check_name,
       not exists (
         select from constraint_pins p
           join relations r on r.name = p.relation
          where p.name not in ('derived_requires_provenance', 'tombstone_has_no_raw_identifier')  -- each a check of its own
            and not exists (
              select from constraints k
               where k.relation = p.relation and k.name = p.name and k.type = p.type and k.validated
                 and regexp_replace(k.definition, '^CHECK|::(text|uuid|integer|bigint|smallint)(\[\])?|[\s()]', '', 'g') = p.definition)) as ok,
       'critical' as severity,
       'every constraint says what it was installed with, and is validated' as detail,
       'Drop what took its place and add the constraint of the migration again; validate it.' as remediation

union all

-- A placement is the only handle to a copy outside: deleted too early, the copy can never be found.
select 'copies_are_kept' as check_name,
       not exists (
         select from (values
                    ('placement', 'placement_is_kept_until_gone', 'guard_placement')) w(relation, name, function)
           join relations r on r.name = w.relation
          where not exists (
            select from triggers t
             where t.relation = w.relation and t.name = w.name and t.function = w.function
               and t.function_schema = 'demystify_memory'
               and t.timing = 'before' and t.level = 'row' and t.events @> array['update', 'delete'] and t.columns = '{}' and not t.conditional)) as ok,
       'critical' as severity,
       'placements cannot be deleted or changed before the copy is gone' as detail,
       'Run the migration again.' as remediation

union all

-- What a later migration creates must not be open to anybody by default. Functions are, to PUBLIC, unless that is taken
-- back.
select 'default_privileges_give_nothing' as check_name,
       not exists (
           select from pg_catalog.pg_default_acl d, aclexplode(d.defaclacl) a
            where (d.defaclnamespace = 'demystify_memory'::regnamespace
                   or d.defaclnamespace = 0 and pg_get_userbyid(d.defaclrole) = (select e.owner from engine e))
              and a.grantee <> d.defaclrole)
         and (exists (select from engine e where e.owner = e.installer)
              or exists (select from pg_catalog.pg_default_acl d
                          where d.defaclnamespace = 0 and d.defaclobjtype = 'f'
                            and pg_get_userbyid(d.defaclrole) = (select e.owner from engine e))) as ok,
       'critical' as severity,
       'default privileges open nothing in this schema' as detail,
       'Take them back with alter default privileges … revoke …; or run the migration again.' as remediation

union all

-- A routine runs with the engine's rights only where the sources give a reason for it.
select 'definers_are_known' as check_name,
       not exists (
         select from routines f
           join routine_pins p on p.name = f.name and p.kind = f.kind
          group by f.name, f.kind
         having bool_or(f.definer) <> bool_or(p.definer) or bool_and(f.definer) <> bool_and(p.definer)) as ok,
       'critical' as severity,
       'exactly the routines that have to are SECURITY DEFINER' as detail,
       'Run the migration again.' as remediation

union all

-- A definer function of another owner runs with other rights and under other policies.
select 'definers_belong_to_the_engine' as check_name,
       not exists (select from routines f where f.owner <> (select e.owner from engine e)) as ok,
       'critical' as severity,
       'every routine belongs to the owner of the tables' as detail,
       'Run the migration again as the role that installed it.' as remediation

union all

-- Without these a deleted memory leaves its summaries behind.
select 'delete_cascades' as check_name,
       not exists (
         select from (values
                    ('memory', 'memory_delete_1_is_recorded', 'record_memory_delete'),
                    ('memory', 'memory_delete_2_reaches_derived', 'reach_derived'),
                    ('memory', 'memory_delete_3_is_settled', 'settle_direct_delete'),
                    ('derived', 'derived_delete_1_is_recorded', 'record_derived_delete'),
                    ('derived', 'derived_delete_2_reaches_derived', 'reach_derived'),
                    ('derived', 'derived_delete_3_is_settled', 'settle_direct_delete')) w(relation, name, function)
           join relations r on r.name = w.relation
          where not exists (
            select from triggers t
             where t.relation = w.relation and t.name = w.name and t.function = w.function
               and t.function_schema = 'demystify_memory'
               and t.timing = 'after' and t.level = 'statement' and t.events = array['delete'] and not t.conditional)) as ok,
       'critical' as severity,
       'the delete triggers of memory and derived are there' as detail,
       'Run the migration again.' as remediation

union all

-- The cascade runs as the owner. If the owner's policy is for somebody else, it silently skips rows.
select 'engine_policies_name_the_owner' as check_name,
       not exists (
         select from (select distinct p.relation, bool_or(p.name = 'tenant_key') as of_a_tenant from column_pins p group by 1) w
           join relations r on r.name = w.relation
          where not exists (
            select from policies p
             where p.relation = w.relation
               and p.name = w.relation || case when w.of_a_tenant then '_is_seen_by_the_engine' else '_is_written_by_the_engine' end
               and p.permissive and p.command = '*' and p.condition = 'true' and p.check_condition = 'true'
               and p.roles = (select array[e.owner] from engine e))) as ok,
       'critical' as severity,
       'the engine policy of every table is for its owner alone' as detail,
       'Run the migration again as the role that installed it.' as remediation

union all

-- The steps inside an erasure are safe in the order the public routines take them, and not one by one.
select 'engine_routines_are_its_own' as check_name,
       not exists (
         select from grants g
          where g.object = 'routine' and g.grantee <> 'public'
            and not exists (select from routine_pins p where p.name = g.name and p.granted)) as ok,
       'critical' as severity,
       'no role was granted a routine that is the engine''s own' as detail,
       'revoke execute on … from …; grant_to() gives a role what it needs.' as remediation

union all

-- Nowhere to write prose: a column that the schema does not know could hold any.
select 'evidence_has_no_content_column' as check_name,
       not exists (
         select from columns c
          where c.relation in ('tombstone', 'tombstone_item', 'erasure_event', 'restriction', 'legal_hold', 'legal_hold_refusal')
            and not exists (select from column_pins p where p.relation = c.relation and p.name = c.name)) as ok,
       'critical' as severity,
       'no evidence table has a column that the schema does not know' as detail,
       'Drop the column after checking what it holds.' as remediation

union all

-- Evidence that can be edited is not evidence. The trigger names every column, so that none can be rewritten by a
-- change of its type either.
select 'evidence_is_append_only' as check_name,
       not exists (
         select from unnest(array['tombstone', 'tombstone_item', 'erasure_event', 'restriction', 'legal_hold', 'legal_hold_refusal',
                                  'schema_migration']) w(relation)
           join relations r on r.name = w.relation
          where not exists (
            select from triggers t
             where t.relation = w.relation and t.name = w.relation || '_is_append_only' and t.function = 'refuse_change'
               and t.function_schema = 'demystify_memory' and t.timing = 'before' and t.level = 'statement'
               and t.events = array['delete', 'update', 'truncate'] and not t.conditional
               and t.columns @> array(select p.name from column_pins p where p.relation = w.relation))) as ok,
       'critical' as severity,
       'evidence tables refuse update, delete and truncate' as detail,
       'Run the migration again.' as remediation

union all

-- A tombstone with a forged transaction or time, or an item added after the fact, would cover what nobody erased.
select 'evidence_is_stamped' as check_name,
       not exists (
         select from (values
                    ('tombstone', 'tombstone_is_stamped_by_the_database', 'check_tombstones'),
                    ('tombstone_item', 'tombstone_item_has_an_open_tombstone', 'check_tombstone_items')) w(relation, name, function)
           join relations r on r.name = w.relation
          where not exists (
            select from triggers t
             where t.relation = w.relation and t.name = w.name and t.function = w.function
               and t.function_schema = 'demystify_memory'
               and t.timing = 'after' and t.level = 'statement' and t.events = array['insert'] and not t.conditional)) as ok,
       'critical' as severity,
       'tombstones and items are checked when they are inserted' as detail,
       'Run the migration again.' as remediation

union all

-- Statistics on an index expression keep values even where its column has none.
select 'expression_indexes_have_no_statistics' as check_name,
       not exists (select from indexes i where i.has_expression_statistics) as ok,
       'critical' as severity,
       'no statistics are collected on an index expression' as detail,
       'alter index … alter column … set statistics 0; a superuser removes what is in pg_statistic.' as remediation

union all

-- A definer function with the caller's search_path runs the caller's code.
select 'functions_pin_their_search_path' as check_name,
       not exists (select from routines f where f.kind <> 'p' and not f.settings @> array['search_path=""']) as ok,
       'critical' as severity,
       'every function pins an empty search_path' as detail,
       'Run the migration again.' as remediation

union all

-- Unique indexes keep a request, a release and a copy from counting twice; the others keep an erasure from reading
-- everything.
select 'indexes_stand' as check_name,
       not exists (
         select from index_pins p
           join relations r on r.name = p.relation
          where not exists (
            select from indexes i
             where i.relation = p.relation and i.name = p.name and i.method = p.method and i.is_unique = p.is_unique and i.valid)) as ok,
       'critical' as severity,
       'every index is there and valid' as detail,
       'Run the migration again; rebuild an invalid one with reindex.' as remediation

union all

-- Extended statistics keep values too.
select 'no_extended_statistics' as check_name,
       not exists (
         select from pg_catalog.pg_statistic_ext e
           join relations r on r.oid = e.stxrelid) as ok,
       'critical' as severity,
       'no extended statistics on any table' as detail,
       'drop statistics …' as remediation

union all

-- A column that the schema does not know can be updated, is analysed, and no erasure counts it.
select 'no_foreign_columns' as check_name,
       not exists (
         select from columns c
          where c.relation not in ('tombstone', 'tombstone_item', 'erasure_event', 'restriction', 'legal_hold', 'legal_hold_refusal')
            and exists (select from column_pins p where p.relation = c.relation)
            and not exists (select from column_pins p where p.relation = c.relation and p.name = c.name)) as ok,
       'critical' as severity,
       'no table has a column that the schema does not know' as detail,
       'Move what it holds to metadata or to a table of your own, and drop the column.' as remediation

union all

-- A further permissive policy widens what every role can see.
select 'no_foreign_policies' as check_name,
       not exists (
         select from policies p
          where p.name not in (
            p.relation || '_is_seen_by_its_tenant', p.relation || '_is_seen_by_the_engine', p.relation || '_is_seen_by_all',
            p.relation || '_is_written_by_the_engine', 'legal_basis_is_extended_by_the_installer')) as ok,
       'critical' as severity,
       'no policy that this schema does not know' as detail,
       'Drop the policies that the migration did not create.' as remediation

union all

-- A routine in this schema is trusted as one of its own: a trigger may call it, and it may be definer.
select 'no_foreign_routines' as check_name,
       not exists (
         select from (select f.name, f.kind, count(*) as n from routines f group by 1, 2) f
          where f.n > (select count(*) from routine_pins p where p.name = f.name and p.kind = f.kind)) as ok,
       'critical' as severity,
       'no routine that this schema does not know' as detail,
       'Move it to a schema of your own: alter routine … set schema …' as remediation

union all

-- A trigger of the host can swallow a delete or copy the payload away.
select 'no_foreign_triggers' as check_name,
       not exists (select from triggers t where t.function_schema <> 'demystify_memory') as ok,
       'critical' as severity,
       'no trigger calls a function from outside this schema' as detail,
       'Drop the triggers that the migration did not create.' as remediation

union all

-- A view reads with the rights of its owner, past the tenant policy and past what hides erased and restricted rows.
select 'no_foreign_views' as check_name,
       not exists (
         select from view_sources v
           join relations r on r.name = v.relation and r.kind in ('r', 'p')
          where v.kind = 'v'
            and (v.schema, v.name) not in (
              ('demystify_memory', 'live_memory'), ('demystify_memory', 'provenance'), ('demystify_memory', 'erasure_state'))) as ok,
       'critical' as severity,
       'no view but those of this schema is built on its tables' as detail,
       'Build it on live_memory or provenance instead.' as remediation

union all

-- An index keeps its keys after the rows are gone, until it is rebuilt.
select 'no_index_holds_payload' as check_name,
       not exists (
         select from indexes i
          where i.columns && array['text', 'metadata', 'subject_key', 'also_keys', 'ref']) as ok,
       'critical' as severity,
       'no index holds texts, metadata, keys of persons or refs' as detail,
       'Drop the index; recall works with keyed hashes of terms.' as remediation

union all

-- A statement trigger fires for the table that is named. A delete on a parent, or on a child that inherits, steps over
-- the rules.
select 'no_inheritance' as check_name,
       not exists (
         select from pg_catalog.pg_inherits i
           join pg_catalog.pg_class child on child.oid = i.inhrelid
           join pg_catalog.pg_class parent on parent.oid = i.inhparent
          where 'demystify_memory'::regnamespace in (child.relnamespace, parent.relnamespace)
            and child.relkind not in ('i', 'I')
            and not (child.relispartition and child.relnamespace = parent.relnamespace)) as ok,
       'critical' as severity,
       'no table inherits, is inherited from, or is a partition of a table elsewhere' as detail,
       'alter table … no inherit …, or detach the partition; then reconcile every tenant.' as remediation

union all

-- A rule can turn a delete into nothing and still report success.
select 'no_rules' as check_name,
       not exists (
         select from pg_catalog.pg_rewrite w
           join relations r on r.oid = w.ev_class and r.kind in ('r', 'p')) as ok,
       'critical' as severity,
       'no rewrite rule on any table' as detail,
       'Drop the rule: drop rule … on demystify_memory.…' as remediation

union all

-- A materialised view keeps serving erased text.
select 'no_view_copies_payload' as check_name,
       not exists (select from view_sources v where v.kind = 'm') as ok,
       'critical' as severity,
       'no materialised view is built on these tables' as detail,
       'Drop it, or record it as a sink with placements.' as remediation

union all

-- A member of the owning role can become it, and switch off the rules that it is held to.
select 'nobody_becomes_the_owner' as check_name,
       not exists (
         select from pg_catalog.pg_auth_members m
           join engine e on e.owner <> e.installer and pg_get_userbyid(m.roleid) = e.owner
          where coalesce((to_jsonb(m) ->> 'set_option')::boolean, true)
             or coalesce((to_jsonb(m) ->> 'inherit_option')::boolean, true)) as ok,
       'critical' as severity,
       'no role is a member of the owner of the tables' as detail,
       'revoke … from …: who migrates is a member for the length of the migration.' as remediation

union all

-- What is created here is found by name and trusted.
select 'nobody_creates_in_the_schema' as check_name,
       not exists (select from grants g where g.object = 'schema' and g.privilege = 'create' and g.grantee <> 'public') as ok,
       'critical' as severity,
       'no role but its owner may create in the schema' as detail,
       'revoke create on schema demystify_memory from …' as remediation

union all

-- TRIGGER lets a role put its own code on a table, REFERENCES makes its deletes depend on others, TRUNCATE empties it.
select 'nobody_may_attach_or_truncate' as check_name,
       not exists (
         select from grants g
          where g.object in ('relation', 'column') and g.privilege in ('trigger', 'references', 'truncate')
            and g.grantee <> 'public') as ok,
       'critical' as severity,
       'no role was granted TRIGGER, REFERENCES or TRUNCATE' as detail,
       'revoke trigger, references, truncate on … from …' as remediation

union all

-- What PUBLIC may do, every role may do.
select 'nothing_is_granted_to_public' as check_name,
       not exists (select from grants g where g.grantee = 'public') as ok,
       'critical' as severity,
       'PUBLIC has no right on the schema, its tables or its routines' as detail,
       'revoke all on … from public; or run the migration again.' as remediation

union all

-- Where a web gateway serves the database, anon and authenticated are whoever calls it.
select 'nothing_is_granted_to_web_roles' as check_name,
       not exists (select from grants g where g.grantee in ('anon', 'authenticated')) as ok,
       'critical' as severity,
       'anon and authenticated have no right on the schema, its tables or its routines' as detail,
       'Run the migration again, and give the rights to a role of your own server.' as remediation

union all

-- Whoever logs in as the owner of the tables can switch their rules off. Where the installer may not create roles, he
-- is the owner: then everything works, and this is what is weaker.
select 'owner_cannot_log_in' as check_name,
       (select e.owner = e.installer
               or not (r.rolcanlogin or r.rolsuper or r.rolbypassrls or r.rolcreaterole or r.rolreplication)
          from engine e
          join pg_catalog.pg_roles r on r.rolname = e.owner) as ok,
       case when (select e.owner = e.installer from engine e) then 'warning' else 'critical' end as severity,
       case when (select e.owner = e.installer from engine e)
            then 'weaker here: the login role that installed owns the tables, so it could switch their rules off'
            else 'nobody can log in as the owner of the tables' end as detail,
       'alter role … nologin nosuperuser nobypassrls nocreaterole noreplication; or install as a role that may create roles.' as remediation

union all

-- A statement that names a partition fires none of its table's statement triggers, so each partition refuses them all. And
-- a partition that was taken away took its rows along, out of reach of every erasure.
select 'partitions_are_not_named' as check_name,
       not exists (
         select from pg_catalog.pg_inherits i
           join relations child on child.oid = i.inhrelid
           join relations parent on parent.oid = i.inhparent
          where child.is_partition
            and not exists (
              select from triggers t
               where t.relation = child.name and t.function = 'refuse_change' and t.function_schema = 'demystify_memory'
                 and t.timing = 'before' and t.level = 'statement' and t.columns = '{}' and not t.conditional
                 and t.events @> array['insert', 'delete', 'update', 'truncate']))
       and not exists (
         select from relations parent
          where parent.kind = 'p'
            and (select count(*) from pg_catalog.pg_inherits i where i.inhparent = parent.oid) is distinct from (
              select max(substring(pg_get_expr(c.relpartbound, c.oid) from 'modulus (\d+)')::int)
                from pg_catalog.pg_inherits i join pg_catalog.pg_class c on c.oid = i.inhrelid
               where i.inhparent = parent.oid)) as ok,
       'critical' as severity,
       'every partition is there, and refuses statements that name it' as detail,
       'Attach the partition again, then reconcile every tenant; or run the migration again.' as remediation

union all

-- Planner statistics keep values after the rows are gone, readable with plain SQL.
select 'payload_has_no_statistics' as check_name,
       not exists (
         select from columns c
           left join relations r on r.name = c.relation
           left join pg_catalog.pg_inherits i on i.inhrelid = r.oid
           left join relations parent on parent.oid = i.inhparent
          where c.statistics <> 0 and (coalesce(parent.name, c.relation), c.name) in (
            ('memory', 'subject_key'), ('memory', 'also_keys'), ('memory', 'also_hashes'), ('memory', 'text'), ('memory', 'metadata'),
            ('memory', 'embedding'), ('memory', 'term_hashes'), ('memory', 'content_tags'), ('memory', 'idempotency_hash'),
            ('derived', 'text'), ('derived', 'metadata'), ('derived', 'embedding'), ('derived', 'term_hashes'),
            ('derived', 'content_tags'), ('derived', 'subject_hashes'), ('derived', 'source_memories'), ('derived', 'source_derived'),
            ('tombstone_item', 'content_tags'), ('placement', 'ref'), ('placement', 'fingerprint'), ('placement', 'source_memories'),
            ('placement', 'source_derived'), ('placement', 'subject_hashes'))) as ok,
       'critical' as severity,
       'no statistics are collected on payload columns' as detail,
       'alter table … alter column … set statistics 0; what was collected before stays until a superuser removes it from pg_statistic.' as remediation

union all

-- An UPDATE of text destroys without a tombstone; one of a key hides a row from its erasure.
select 'payload_is_immutable' as check_name,
       not exists (
         select from (values
                    ('memory', 'memory_payload_is_immutable', 'refuse_payload_change'),
                    ('derived', 'derived_payload_is_immutable', 'refuse_payload_change')) w(relation, name, function)
           join relations r on r.name = w.relation
          where not exists (
            select from triggers t
             where t.relation = w.relation and t.name = w.name and t.function = w.function
               and t.function_schema = 'demystify_memory'
               and t.timing = 'before' and t.level = 'row' and t.events = array['update'] and t.columns = '{}' and not t.conditional)) as ok,
       'critical' as severity,
       'updates of text, sources and identity are refused' as detail,
       'Run the migration again.' as remediation

union all

-- ALTER COLUMN … TYPE … USING replaces a content and fires no trigger; a trigger that names the column makes it refuse.
select 'payload_is_never_rewritten' as check_name,
       not exists (
         select from unnest(array['memory', 'derived']) w(relation)
           join relations r on r.name = w.relation
          where not exists (
            select from triggers t
             where t.relation = w.relation and t.name = w.relation || '_is_never_rewritten' and t.function = 'refuse_change'
               and t.function_schema = 'demystify_memory' and t.timing = 'before' and t.level = 'statement'
               and t.events = array['update'] and not t.conditional
               and t.columns @> array(select p.name from column_pins p
                                       where p.relation = w.relation and p.name not in ('embedding', 'dimensions', 'term_hashes')))) as ok,
       'critical' as severity,
       'no column of payload or identity can be given another type' as detail,
       'Run the migration again.' as remediation

union all

-- Without its settings a trigger keeps the plan of the first batch it met, and one statement may take minutes.
select 'plans_stay_pinned' as check_name,
       not exists (
         select from routines f
           join routine_pins p on p.name = f.name and p.kind = f.kind
          group by f.name, f.kind
         having not bool_or(array(select unnest(f.settings) except select 'search_path=""' order by 1)
                            = array(select unnest(p.settings::text[]) except select 'search_path=""' order by 1))) as ok,
       'critical' as severity,
       'every routine has the planner settings it was installed with' as detail,
       'Run the migration again.' as remediation

union all

-- Every look-up by id, of a row or of the evidence that covers it, goes by the primary key, tenant first.
select 'primary_keys_stand' as check_name,
       not exists (
         select from (select p.relation, bool_or(p.name = 'tenant_key') as of_a_tenant from column_pins p group by 1) w
           join relations r on r.name = w.relation
          where not exists (
            select from constraints k
             where k.relation = w.relation and k.type = 'p'
               and (not w.of_a_tenant or k.definition like 'PRIMARY KEY (tenant_key,%'))) as ok,
       'critical' as severity,
       'every table has its primary key' as detail,
       'Add the primary key of the migration again, after looking for duplicates.' as remediation

union all

-- With a pending list a delete takes 200 times as long until the next vacuum.
select 'provenance_indexes_are_immediate' as check_name,
       not exists (select from indexes i where i.method = 'gin' and not i.options @> array['fastupdate=off']) as ok,
       'critical' as severity,
       'every GIN index has fastupdate off' as detail,
       'alter index … set (fastupdate = off); then vacuum the table once.' as remediation

union all

-- A derived row without a source could never be found by an erasure.
select 'provenance_is_required' as check_name,
       exists (
         select from constraint_pins p
           join constraints k on k.relation = p.relation and k.name = p.name and k.type = p.type and k.validated
          where p.name = 'derived_requires_provenance'
            and regexp_replace(k.definition, '^CHECK|::(text|uuid|integer|bigint|smallint)(\[\])?|[\s()]', '', 'g') = p.definition) as ok,
       'critical' as severity,
       'the constraint derived_requires_provenance is there and validated' as detail,
       'Run the migration again; if the constraint was dropped, look for derived rows without sources first.' as remediation

union all

-- A publication without deletes leaves erased rows on the subscriber.
select 'publications_carry_deletes' as check_name,
       not exists (
         select from pg_catalog.pg_publication_tables t
           join pg_catalog.pg_publication p on p.pubname = t.pubname
          where t.schemaname = 'demystify_memory' and not (p.pubdelete and p.pubtruncate)) as ok,
       'critical' as severity,
       'every publication of these tables carries deletes and truncates' as detail,
       'alter publication … set (publish = …) with delete and truncate in the list.' as remediation

union all

-- A delete that a filter does not let through leaves the row on the subscriber.
select 'publications_have_no_row_filter' as check_name,
       not exists (
         select from pg_catalog.pg_publication_rel p
           join relations r on r.oid = p.prrelid
          where p.prqual is not null) as ok,
       'critical' as severity,
       'no publication filters the rows of these tables' as detail,
       'alter publication … set table … without where.' as remediation

union all

-- REPLICA IDENTITY FULL sends the erased row to every subscriber.
select 'replica_identity_is_the_key' as check_name,
       not exists (select from relations r where r.kind in ('r', 'p') and r.replica_identity <> 'd') as ok,
       'critical' as severity,
       'no table publishes whole rows on delete' as detail,
       'alter table … replica identity default.' as remediation

union all

-- A rule whose body was replaced is there, enabled, and does nothing.
select 'routines_are_unchanged' as check_name,
       not exists (
         select from routine_pins p
          where not exists (
            select from routines f
             where f.name = p.name and f.kind = p.kind and f.language = p.language and f.volatility = p.volatility
               and (p.body is null or f.body = p.body))) as ok,
       'critical' as severity,
       'every routine has the body it was installed with' as detail,
       'Run the migration again.' as remediation

union all

-- Row-level security that is not forced does not hold for the owner.
select 'row_security_is_forced' as check_name,
       not exists (select from relations r where r.kind in ('r', 'p') and not (r.row_security and r.forced)) as ok,
       'critical' as severity,
       'row-level security is enabled and forced on every table' as detail,
       'alter table … enable row level security; alter table … force row level security; or run the migration again.' as remediation

union all

-- Functions read the settings at every call.
select 'settings_have_one_row' as check_name,
       (select count(*) = 1 from demystify_memory.settings) as ok,
       'critical' as severity,
       'settings has exactly one row' as detail,
       'Run the migration again.' as remediation

union all

-- A foreign key that cascades removes provenance before the cascade has read it.
select 'source_has_no_cascading_key' as check_name,
       not exists (
         select from pg_catalog.pg_constraint k
           join relations r on r.oid = k.confrelid
          where k.contype = 'f' and k.confdeltype in ('c', 'n', 'd')) as ok,
       'critical' as severity,
       'no foreign key into this schema cascades on delete' as detail,
       'Recreate it with on delete no action.' as remediation

union all

-- An unlogged table is empty after a crash, tombstones included.
select 'tables_are_logged' as check_name,
       not exists (select from relations r where r.kind in ('r', 'p') and r.persistence <> 'p') as ok,
       'critical' as severity,
       'every table is logged' as detail,
       'alter table … set logged.' as remediation

union all

-- Every write goes through a function that checks it. A host's own job may insert and delete memories and derived rows:
-- triggers see to those.
select 'tables_are_written_by_the_engine' as check_name,
       not exists (
         select from grants g
          where g.object in ('relation', 'column') and g.privilege in ('insert', 'update', 'delete') and g.grantee <> 'public'
            and not (g.name in ('memory', 'derived') and g.privilege in ('insert', 'delete'))
            and not (g.name = 'legal_basis' and g.privilege = 'insert')) as ok,
       'critical' as severity,
       'no role may write evidence, settings or work lists directly' as detail,
       'revoke insert, update, delete on … from …' as remediation

union all

-- The engine policy of a table is for its owner: of two owners, each sees half of the graph.
select 'tables_have_one_owner' as check_name,
       not exists (select from relations r where r.owner <> (select e.owner from engine e)) as ok,
       'critical' as severity,
       'every table and view belongs to the same role' as detail,
       'alter table … owner to … the owner of the others.' as remediation

union all

-- A table made a partition or child of another is deleted from without its own statement triggers. A row trigger with a
-- transition table makes Postgres refuse to attach it.
select 'tables_join_no_hierarchy' as check_name,
       not exists (
         select from (values
                    ('memory', 'memory_joins_no_hierarchy', 'refuse_change'),
                    ('derived', 'derived_joins_no_hierarchy', 'refuse_change')) w(relation, name, function)
           join relations r on r.name = w.relation and r.kind = 'r'
          where not exists (
            select from triggers t
             where t.relation = w.relation and t.name = w.name and t.function = w.function
               and t.function_schema = 'demystify_memory'
               and t.timing = 'after' and t.level = 'row' and t.definition like '%REFERENCING OLD TABLE AS %')) as ok,
       'critical' as severity,
       'memory and derived cannot be attached to another table' as detail,
       'Run the migration again.' as remediation

union all

-- A table without the tenant policy denies everybody or, with another policy, shows everything.
select 'tenant_policies_exist' as check_name,
       not exists (
         select from column_pins w
           join relations r on r.name = w.relation
          where w.name = 'tenant_key' and not exists (
            select from policies p
             where p.relation = w.relation and p.name = w.relation || '_is_seen_by_its_tenant'
               and p.permissive and p.command = '*' and p.roles = array['public']
               and p.check_condition = p.condition
               and p.condition = '(tenant_key = ( SELECT NULLIF(current_setting(''app.current_tenant''::text, true), ''''::text) AS "nullif"))')) as ok,
       'critical' as severity,
       'every tenant table has its tenant policy' as detail,
       'Run the migration again: it recreates the policies.' as remediation

union all

-- A raw identifier in the evidence would outlive the erasure.
select 'tombstones_hold_hashes_only' as check_name,
       exists (
         select from constraint_pins p
           join constraints k on k.relation = p.relation and k.name = p.name and k.type = p.type and k.validated
          where p.name = 'tombstone_has_no_raw_identifier'
            and regexp_replace(k.definition, '^CHECK|::(text|uuid|integer|bigint|smallint)(\[\])?|[\s()]', '', 'g') = p.definition) as ok,
       'critical' as severity,
       'subject_hash of a tombstone is checked to be a hash' as detail,
       'Add the constraint again; a value that violates it is a raw identifier and must be erased by hand.' as remediation

union all

-- A trigger that is disabled, or fires for origin sessions only, is a rule that can be stepped over.
select 'triggers_fire_always' as check_name,
       not exists (select from triggers t where t.enabled <> 'A') as ok,
       'critical' as severity,
       'every trigger is ENABLE ALWAYS' as detail,
       'alter table … enable always trigger …; or run the migration again.' as remediation

union all

-- TRUNCATE fires no delete trigger: nothing is recorded, nothing derived is reached.
select 'truncate_is_refused' as check_name,
       not exists (
         select from (select distinct p.relation from column_pins p) w
           join relations r on r.name = w.relation
          where w.relation not in ('tombstone', 'tombstone_item', 'erasure_event', 'restriction', 'legal_hold', 'legal_hold_refusal',
                                   'schema_migration')  -- these refuse every change, in a check of its own
            and not exists (
              select from triggers t
               where t.relation = w.relation and t.name = w.relation || '_is_never_truncated' and t.function = 'refuse_change'
                 and t.function_schema = 'demystify_memory' and t.timing = 'before' and t.events = array['truncate']
                 and not t.conditional)) as ok,
       'critical' as severity,
       'every table refuses truncate' as detail,
       'Run the migration again.' as remediation

union all

-- The two views are the application's only way to the tables: what is forgotten, restricted or expired must not be in
-- them.
select 'views_hide_what_is_hidden' as check_name,
       not exists (
         select from (values ('live_memory', 'memory'), ('provenance', 'derived')) w(name, relation)
          where not exists (
                  select from relations r
                   where r.name = w.name and r.kind = 'v' and r.options @> array['security_barrier=true'])
             or (select count(*) from view_sources v
                  where v.schema = 'demystify_memory' and v.name = w.name
                    and (v.relation in ('open_erasure', 'restriction_in_force') or v.relation = w.relation and v.columns @> array['expires_at']))
                <> 3) as ok,
       'critical' as severity,
       'live_memory and provenance leave out what is hidden' as detail,
       'Run the migration again.' as remediation

union all

-- Without these what was forgotten can be written back. A stamp may be left out for the owner alone, whose functions
-- stamp a whole batch at once.
select 'write_gate_stands' as check_name,
       not exists (
         select from (values
                    ('memory', 'memory_respects_tombstones', 'gate_memory'),
                    ('derived', 'derived_sources_are_live', 'gate_sources'),
                    ('placement', 'placement_sources_are_live', 'gate_sources'),
                    ('placement', 'placement_persons_come_from_its_sources', 'stamp_placement'),
                    ('memory', 'memory_is_stamped_after_the_lock', 'stamp_memory'),
                    ('derived', 'derived_persons_come_from_its_sources', 'stamp_derived')) w(relation, name, function)
           join relations r on r.name = w.relation
          where not exists (
            select from triggers t
             where t.relation = w.relation and t.name = w.name and t.function = w.function
               and t.function_schema = 'demystify_memory'
               and t.events = array['insert']
               and (not t.conditional
                    or t.function like 'stamp%'
                       and position(format('WHEN ((CURRENT_USER <> %L', (select e.owner from engine e)) in t.definition) > 0))) as ok,
       'critical' as severity,
       'the triggers of the write gate are there' as detail,
       'Run the migration again.' as remediation
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

-- Copies outside these tables. Recorded before they are made; followed until each is known to be gone.

-- A placement is the only handle to its copy: it is not deleted before the copy is gone, and what it says does not
-- change. gone_at is set only on evidence, or by a writer who never wrote.
create or replace function demystify_memory.guard_placement() returns trigger
language plpgsql security definer  -- reads evidence for whoever writes
set search_path = ''
set jit = off
set enable_seqscan = off
as $$
begin
  if tg_op = 'DELETE' then
    if old.gone_at is null then
      raise exception 'a placement whose copy is not known to be gone cannot be deleted: it is the only handle to it'
        using errcode = 'ME015', hint = 'Confirm it in its erasure, have a person attest it, or abandon it if it was never written.';
    end if;
    return old;
  end if;
  if (new.tenant_key, new.placement_id, new.sink, new.kind, new.source_memories, new.source_derived, new.subject_hashes, new.created_at)
     is distinct from
     (old.tenant_key, old.placement_id, old.sink, old.kind, old.source_memories, old.source_derived, old.subject_hashes, old.created_at) then
    raise exception 'update of a placement is refused: its sink, sources and identity never change' using errcode = 'ME015';
  end if;
  if old.gone_at is null and new.gone_at is not null
     and not (old.write_deadline is not null and old.written_at is null and not exists (
       select from demystify_memory.tombstone_item i
        where i.tenant_key = new.tenant_key and i.item_id = new.placement_id))
     and not exists (
       select from demystify_memory.tombstone_item i
        where i.tenant_key = new.tenant_key and i.item_id = new.placement_id
          and exists (select from demystify_memory.erasure_placements(i.tenant_key, i.tombstone_id) p
                       where p.placement_id = new.placement_id and (p.confirmed or p.attested))) then
    raise exception 'a copy is gone when it is confirmed or attested, or was never written' using errcode = 'ME015';
  end if;
  if new.ref is distinct from old.ref and new.gone_at is null and new.ref is null then
    raise exception 'the ref of a copy that may still exist cannot be removed' using errcode = 'ME015';
  end if;
  return new;
end
$$;
comment on function demystify_memory.guard_placement is 'Refuses (ME015) to lose the handle to a copy.';

drop trigger if exists placement_is_kept_until_gone on demystify_memory.placement;
create trigger placement_is_kept_until_gone before update or delete on demystify_memory.placement
  for each row execute function demystify_memory.guard_placement();
alter table demystify_memory.placement enable always trigger placement_is_kept_until_gone;

create or replace function demystify_memory.placement_json(p demystify_memory.placement) returns json
language plpgsql stable
set search_path = ''
as $$
begin
  return json_build_object(
    'tenantKey', p.tenant_key, 'placementId', p.placement_id, 'sink', p.sink, 'kind', p.kind, 'ref', p.ref,
    'state', case when p.gone_at is not null then 'gone'
                  when p.write_deadline is not null and p.written_at is null then 'writing' else 'written' end,
    'createdAt', to_char(p.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'));
end
$$;
comment on function demystify_memory.placement_json is 'A placement in the shape of the library''s Placement.';

create or replace function demystify_memory.assert_usable_sources(p_tenant text, p_memories uuid[], p_derived uuid[]) returns void
language plpgsql stable security definer  -- must see every source and every tombstone, whatever the caller may see
set search_path = ''
set jit = off
set enable_seqscan = off
as $$
declare
  v_ids uuid[];
begin
  v_ids := array(select u from unnest(p_memories || p_derived) u
                  where exists (select from demystify_memory.tombstone_item i
                                 where i.tenant_key = p_tenant and i.item_id = u offset 0));
  if v_ids <> '{}' then
    raise exception 'a source was forgotten' using errcode = 'ME003', detail = json_build_object('ids', v_ids)::text;
  end if;
  v_ids := array(
    select u from unnest(p_memories) u
     where not exists (select from demystify_memory.memory m
                        where m.tenant_key = p_tenant and m.memory_id = u
                          and (m.expires_at is null or m.expires_at > statement_timestamp()) offset 0)
    union all
    select u from unnest(p_derived) u
     where not exists (select from demystify_memory.derived d
                        where d.tenant_key = p_tenant and d.derived_id = u
                          and (d.expires_at is null or d.expires_at > statement_timestamp()) offset 0));
  if v_ids <> '{}' then
    raise exception 'a source does not exist' using errcode = 'ME002', detail = json_build_object('ids', v_ids)::text;
  end if;
  if exists (select from demystify_memory.restriction_in_force r where r.tenant_key = p_tenant) and (
       exists (select from demystify_memory.restriction_in_force r
                where r.tenant_key = p_tenant and r.item_ids && (p_memories || p_derived))
    or exists (select from unnest(p_memories) u
                 join demystify_memory.memory m on m.tenant_key = p_tenant and m.memory_id = u
                where (m.subject_hash || m.also_hashes) && array(select demystify_memory.restricted_subjects(p_tenant)))
    or exists (select from unnest(p_derived) u
                 join demystify_memory.derived d on d.tenant_key = p_tenant and d.derived_id = u
                where d.subject_hashes && array(select demystify_memory.restricted_subjects(p_tenant)))) then
    raise exception 'a source is restricted' using errcode = 'ME008', detail = '{"ids": []}';
  end if;
end
$$;
comment on function demystify_memory.assert_usable_sources is
  'What the gate asks of the sources of a new row, for a copy that is recorded already: forgotten (ME003), gone (ME002), restricted (ME008).';

create or replace function demystify_memory.record_placement(
  p_tenant text, p_id uuid, p_sink text, p_ref text, p_kind text, p_source_memories uuid[], p_source_derived uuid[],
  p_fingerprint text, p_write_within float8
) returns text
language plpgsql security definer  -- the caller holds no INSERT
set search_path = ''
set jit = off
set enable_seqscan = off
as $$
declare
  v_id uuid;
begin
  perform demystify_memory.assert_tenant(p_tenant, true);
  insert into demystify_memory.sink (tenant_key, sink) values (p_tenant, p_sink) on conflict do nothing;
  insert into demystify_memory.placement (
    tenant_key, placement_id, sink, ref, kind, source_memories, source_derived, fingerprint, write_deadline)
  values (
    p_tenant, p_id, p_sink, p_ref, p_kind, p_source_memories, p_source_derived, p_fingerprint,
    clock_timestamp() + make_interval(secs => p_write_within))
  on conflict (tenant_key, fingerprint) where fingerprint is not null do nothing
  returning placement_id into v_id;
  if v_id is null then
    -- The gate stands at the insert, and there was none.
    perform demystify_memory.assert_usable_sources(p_tenant, p_source_memories, p_source_derived);
  end if;
  return (
    select demystify_memory.placement_json(p) from demystify_memory.placement p
     where p.tenant_key = p_tenant
       and (p.placement_id = v_id or (v_id is null and p.fingerprint = p_fingerprint)))::text;
end
$$;
comment on function demystify_memory.record_placement is 'Records a copy before it is made; the same copy twice is one placement.';

-- The writer has written. Under a tombstone that is too late: the copy is outstanding again, and the answer says so.
create or replace function demystify_memory.placement_written(p_tenant text, p_id uuid, p_ref text) returns text
language plpgsql security definer  -- the caller holds no UPDATE
set search_path = ''
set jit = off
set enable_seqscan = off
as $$
declare
  v_placement demystify_memory.placement;
  v_covering  demystify_memory.tombstone;
  v_late      uuid;
begin
  perform demystify_memory.assert_tenant(p_tenant, true);
  select * into v_placement from demystify_memory.placement p
    where p.tenant_key = p_tenant and p.placement_id = p_id for update;
  if not found then
    raise exception 'no such placement' using errcode = 'ME012', detail = '{"what": "placement"}';
  end if;
  -- Against an erasure that opens at this moment: it locks the same persons.
  perform 1 from demystify_memory.subject s
    where s.tenant_key = p_tenant and s.subject_hash = any(v_placement.subject_hashes)
    order by s.subject_hash for share;

  select t.* into v_covering
    from demystify_memory.tombstone_item i
    join demystify_memory.tombstone t on t.tenant_key = i.tenant_key and t.tombstone_id = i.tombstone_id
   where i.tenant_key = p_tenant and i.item_id = p_id
   order by t.opened_at desc, t.tombstone_id desc limit 1;
  if coalesce(p_ref, v_placement.ref) is null then
    raise exception 'ref: is required, because it was removed when the copy was taken for gone' using errcode = 'ME001';
  end if;
  -- Whatever was known before: there is a copy now.
  update demystify_memory.placement p
     set written_at = clock_timestamp(), ref = coalesce(p_ref, p.ref), gone_at = null
   where p.tenant_key = p_tenant and p.placement_id = p_id;
  -- Whoever is at the copy has looked at what it was before.
  delete from demystify_memory.placement_lease l where l.tenant_key = p_tenant and l.placement_id = p_id;

  if v_covering.tombstone_id is not null then
    perform set_config('synchronous_commit', 'on', true);
    insert into demystify_memory.erasure_event (tenant_key, tombstone_id, event, placement_id)
      select i.tenant_key, i.tombstone_id, 'late_write', p_id
        from demystify_memory.tombstone_item i
       where i.tenant_key = p_tenant and i.item_id = p_id
         and not exists (select from demystify_memory.erasure_event e
                          where e.tenant_key = p_tenant and e.tombstone_id = i.tombstone_id and e.event = 'completed');
    if not found then
      v_late := demystify_memory.uuid_v7();
      insert into demystify_memory.tombstone (
        tenant_key, tombstone_id, scope, subject_hash, subject_key_id, reason, legal_basis, origin, planned_placements, matched)
      values (p_tenant, v_late, 'memories', v_covering.subject_hash, v_covering.subject_key_id, v_covering.reason,
              v_covering.legal_basis, 'late_write', 1, true);
      insert into demystify_memory.tombstone_item (tenant_key, item_id, tombstone_id, kind) values (p_tenant, p_id, v_late, 'placement');
      insert into demystify_memory.erasure_event (tenant_key, tombstone_id, event) values (p_tenant, v_late, 'destroyed');
    end if;
  end if;
  return json_build_object(
    'forgotten', v_covering.tombstone_id is not null,
    'placement', (select demystify_memory.placement_json(p) from demystify_memory.placement p
                   where p.tenant_key = p_tenant and p.placement_id = p_id))::text;
end
$$;
comment on function demystify_memory.placement_written is 'A writer reports its write; after a tombstone the copy is outstanding again.';

create or replace function demystify_memory.placement_abandoned(p_tenant text, p_id uuid) returns text
language plpgsql security definer  -- the caller holds no UPDATE
set search_path = ''
set jit = off
set enable_seqscan = off
as $$
declare
  v_placement demystify_memory.placement;
begin
  perform demystify_memory.assert_tenant(p_tenant, true);
  select * into v_placement from demystify_memory.placement p
    where p.tenant_key = p_tenant and p.placement_id = p_id for update;
  if not found then
    raise exception 'no such placement' using errcode = 'ME012', detail = '{"what": "placement"}';
  end if;
  if v_placement.written_at is not null or v_placement.write_deadline is null then
    raise exception 'placementId: was written, so it cannot be abandoned' using errcode = 'ME001';
  end if;
  if v_placement.gone_at is null then
    if exists (select from demystify_memory.tombstone_item i where i.tenant_key = p_tenant and i.item_id = p_id) then
      -- Under a tombstone the writer's word only ends the wait: the read-back still decides.
      update demystify_memory.placement p set write_deadline = least(p.write_deadline, clock_timestamp())
        where p.tenant_key = p_tenant and p.placement_id = p_id;
    else
      update demystify_memory.placement p set gone_at = clock_timestamp(), ref = null, fingerprint = null
        where p.tenant_key = p_tenant and p.placement_id = p_id;
    end if;
  end if;
  return (select demystify_memory.placement_json(p) from demystify_memory.placement p
           where p.tenant_key = p_tenant and p.placement_id = p_id)::text;
end
$$;
comment on function demystify_memory.placement_abandoned is 'A writer reports that it never wrote and never will.';

-- For whoever compares a sink with what is on record: a word for each id, and nothing for one that nobody recorded.
create or replace function demystify_memory.placement_status(p_tenant text, p_ids uuid[]) returns text
language plpgsql stable security definer  -- the caller reads no base table
set search_path = ''
set jit = off
set enable_seqscan = off
as $$
begin
  perform demystify_memory.assert_tenant(p_tenant, false);
  if cardinality(p_ids) > 1000 then
    raise exception 'placementIds: must hold at most 1000 elements' using errcode = 'ME001';
  end if;
  return (
    select coalesce(json_agg(json_build_object(
             'placementId', p.placement_id, 'sink', p.sink,
             'status', case when p.gone_at is null then case when c.covered then 'outstanding' else 'live' end
                            else case when c.covered then 'gone' else 'abandoned' end end) order by p.placement_id), '[]')
      from demystify_memory.placement p,
      lateral (
        select exists (select from demystify_memory.tombstone_item i
                        where i.tenant_key = p_tenant and i.item_id = p.placement_id) as covered) c
     where p.tenant_key = p_tenant and p.placement_id = any(p_ids))::text;
end
$$;
comment on function demystify_memory.placement_status is
  'Of each copy its sink, and whether it is live, outstanding in an erasure, gone by one, or was abandoned. No more than that.';

create or replace function demystify_memory.register_sink(p_tenant text, p_sink text, p_proof text) returns text
language plpgsql security definer  -- the caller holds no INSERT
set search_path = ''
set jit = off
as $$
declare
  v_sink   demystify_memory.sink;
  v_levels text[] := array['absent', 'unfindable', 'purged'];
begin
  perform demystify_memory.assert_tenant(p_tenant, true);
  insert into demystify_memory.sink as s (tenant_key, sink, required_proof, registered)
    values (p_tenant, p_sink, p_proof, 'explicit')
    on conflict (tenant_key, sink) do update set required_proof = excluded.required_proof, registered = 'explicit'
      where s.registered = 'automatic'
         or array_position(v_levels, excluded.required_proof) >= array_position(v_levels, s.required_proof)
    returning * into v_sink;
  if v_sink is null then
    raise exception 'requiredProof: a sink registered before cannot be lowered' using errcode = 'ME001';
  end if;
  return json_build_object('sink', v_sink.sink, 'requiredProof', v_sink.required_proof, 'registered', v_sink.registered)::text;
end
$$;
comment on function demystify_memory.register_sink is 'Sets the proof a sink must give; an explicit registration is never lowered.';

create or replace function demystify_memory.list_sinks(p_tenant text) returns text
language plpgsql stable security definer  -- the caller reads no base table
set search_path = ''
as $$
begin
  perform demystify_memory.assert_tenant(p_tenant, false);
  return (
    select coalesce(json_agg(json_build_object('sink', s.sink, 'requiredProof', s.required_proof, 'registered', s.registered)
                             order by s.sink), '[]')
      from demystify_memory.sink s where s.tenant_key = p_tenant)::text;
end
$$;
comment on function demystify_memory.list_sinks is 'The sinks of a tenant with the proof each must give.';

-- What an erasure waits for, and who works on it.

create or replace function demystify_memory.assert_erasure(p_tenant text, p_tombstone uuid) returns void
language plpgsql stable security definer  -- evidence is not the caller's to read
set search_path = ''
set jit = off
set enable_seqscan = off
as $$
begin
  if not exists (select from demystify_memory.tombstone t where t.tenant_key = p_tenant and t.tombstone_id = p_tombstone) then
    raise exception 'no such erasure' using errcode = 'ME012', detail = '{"what": "erasure"}';
  end if;
end
$$;
comment on function demystify_memory.assert_erasure is 'Raises ME012 if the tenant has no such erasure.';

-- p_owner null: all that is outstanding, unchanged. Else: what nobody else has leased, leased to this owner. An idle
-- lease only keeps a copy until it is due again; p_take_idle takes it all the same.
create or replace function demystify_memory.outstanding(
  p_tenant text, p_tombstone uuid, p_owner text, p_seconds float8, p_idle boolean, p_take_idle boolean
) returns text
language plpgsql security definer  -- leases are the engine's to write
set search_path = ''
set jit = off
set enable_seqscan = off
as $$
declare
  v_ids uuid[];
begin
  perform demystify_memory.assert_tenant(p_tenant, p_owner is not null);
  perform demystify_memory.assert_erasure(p_tenant, p_tombstone);
  v_ids := array(select x.placement_id from demystify_memory.erasure_placements(p_tenant, p_tombstone) x
                  where not x.confirmed and not x.attested order by x.placement_id);
  if p_owner is not null then
    with taken as (
      insert into demystify_memory.placement_lease as l (tenant_key, tombstone_id, placement_id, owner, leased_until, idle)
        select p_tenant, p_tombstone, u, p_owner, clock_timestamp() + make_interval(secs => p_seconds), p_idle from unnest(v_ids) u
        order by u
        on conflict (tenant_key, tombstone_id, placement_id) do update
          set owner = excluded.owner, leased_until = excluded.leased_until, idle = excluded.idle
          where l.owner = excluded.owner or l.leased_until <= clock_timestamp() or (p_take_idle and l.idle)
        returning placement_id)
    select array_agg(t.placement_id) into v_ids from taken t;
  end if;
  return (
    select coalesce(json_agg(json_build_object(
             'placementId', p.placement_id, 'sink', p.sink, 'ref', p.ref, 'kind', p.kind, 'requiredProof', s.required_proof,
             'attempts', a.attempts, 'lastAttemptAt', demystify_memory.iso(a.last_at), 'lastErrorCode', a.last_code,
             'writtenAt', demystify_memory.iso(p.written_at),
             'writeDeadline', case when p.written_at is null then demystify_memory.iso(p.write_deadline) end,
             'leasedUntil', l.until, 'retryAt', case when l.idle then l.until end) order by p.placement_id), '[]')
      from demystify_memory.placement p
      join demystify_memory.sink s on s.tenant_key = p.tenant_key and s.sink = p.sink
      left join lateral (
        select demystify_memory.iso(l.leased_until) as until, l.idle
          from demystify_memory.placement_lease l
         where l.tenant_key = p_tenant and l.tombstone_id = p_tombstone and l.placement_id = p.placement_id
           and l.leased_until > clock_timestamp()) l on true,
      lateral (
        select count(*) as attempts, max(e.at) as last_at,
               (array_agg(e.code order by e.at desc) filter (where e.code is not null))[1] as last_code
          from demystify_memory.erasure_event e
         where e.tenant_key = p_tenant and e.tombstone_id = p_tombstone and e.placement_id = p.placement_id
           and e.event = 'attempt') a
     where p.tenant_key = p_tenant and p.placement_id = any(v_ids))::text;
end
$$;
comment on function demystify_memory.outstanding is 'The copies an erasure waits for, with attempts and leases.';

create or replace function demystify_memory.assert_outstanding(p_tenant text, p_tombstone uuid, p_placement uuid) returns boolean
language plpgsql stable security definer  -- evidence is not the caller's to read
set search_path = ''
set jit = off
as $$
declare
  v_known record;
begin
  perform demystify_memory.assert_erasure(p_tenant, p_tombstone);
  select x.* into v_known from demystify_memory.erasure_placements(p_tenant, p_tombstone) x where x.placement_id = p_placement;
  if not found then
    raise exception 'no such placement' using errcode = 'ME012', detail = '{"what": "placement"}';
  end if;
  return not v_known.confirmed and not v_known.attested;
end
$$;
comment on function demystify_memory.assert_outstanding is 'Whether an erasure still waits for a copy; ME012 if it does not know it.';

create or replace function demystify_memory.record_attempt(
  p_tenant text, p_tombstone uuid, p_placement uuid, p_outcome text, p_code text
) returns void
language plpgsql security definer  -- evidence is not the caller's to write
set search_path = ''
set jit = off
set enable_seqscan = off
as $$
begin
  perform demystify_memory.assert_tenant(p_tenant, true);
  perform demystify_memory.assert_outstanding(p_tenant, p_tombstone, p_placement);
  insert into demystify_memory.erasure_event (tenant_key, tombstone_id, event, placement_id, proof, code)
    values (p_tenant, p_tombstone, 'attempt', p_placement, case when p_outcome <> 'failed' then p_outcome end,
            case when p_outcome = 'failed' then coalesce(p_code, 'other') else p_code end);
end
$$;
comment on function demystify_memory.record_attempt is 'Records how a try to destroy a copy ended, as a code.';

-- What ends the waiting: evidence, a person who vouches, or a person who takes over.

-- Answers {"receipt", "rejected"}: a confirmation that is too weak, too early or too late is kept as an attempt. With
-- p_owner it is too late once that owner's lease is over or another's, or the copy was written anew: what was seen under
-- it may not be so any more.
create or replace function demystify_memory.confirm_placement(
  p_tenant text, p_tombstone uuid, p_placement uuid, p_proof text, p_by text,
  p_owner text, p_leased_until text, p_written_at text
) returns text
language plpgsql security definer  -- evidence is not the caller's to write
set search_path = ''
set jit = off
set enable_seqscan = off
as $$
declare
  v_levels    text[] := array['requested', 'acknowledged', 'absent', 'unfindable', 'purged'];
  v_placement demystify_memory.placement;
  v_required  text;
  v_rejected  text;
begin
  perform demystify_memory.assert_tenant(p_tenant, true);
  perform set_config('synchronous_commit', 'on', true);
  perform pg_advisory_xact_lock(hashtextextended(p_tombstone::text, 0));
  if not demystify_memory.assert_outstanding(p_tenant, p_tombstone, p_placement) then
    -- It is gone by somebody else's evidence, which a holder of a lease has to be told.
    return json_build_object('receipt', demystify_memory.receipt_json(p_tenant, p_tombstone),
                             'rejected', case when p_owner is not null then 'lease' end)::text;
  end if;
  select p.* into v_placement from demystify_memory.placement p
    where p.tenant_key = p_tenant and p.placement_id = p_placement for update;
  select s.required_proof into v_required from demystify_memory.sink s
    where s.tenant_key = p_tenant and s.sink = v_placement.sink;

  if array_position(v_levels, p_proof) < array_position(v_levels, v_required) then
    v_rejected := 'proof';
  elsif v_placement.write_deadline > clock_timestamp() and v_placement.written_at is null then
    v_rejected := 'writer';
  elsif p_owner is not null and (
      demystify_memory.iso(v_placement.written_at) is distinct from p_written_at
      or not exists (select from demystify_memory.placement_lease l
                      where l.tenant_key = p_tenant and l.tombstone_id = p_tombstone and l.placement_id = p_placement
                        and l.owner = p_owner and demystify_memory.iso(l.leased_until) = p_leased_until
                        and l.leased_until > clock_timestamp() and not l.idle)) then
    v_rejected := 'lease';
  end if;
  if v_rejected is not null then
    insert into demystify_memory.erasure_event (tenant_key, tombstone_id, event, placement_id, proof, actor)
      values (p_tenant, p_tombstone, 'attempt', p_placement, p_proof, p_by);
  else
    -- The copy is gone for every erasure that waits for it.
    insert into demystify_memory.erasure_event (tenant_key, tombstone_id, event, placement_id, proof, actor)
      select p_tenant, i.tombstone_id, 'confirmed', p_placement, p_proof, p_by
        from demystify_memory.tombstone_item i
       where i.tenant_key = p_tenant and i.item_id = p_placement
         and not exists (select from demystify_memory.erasure_event e
                          where e.tenant_key = p_tenant and e.tombstone_id = i.tombstone_id and e.event = 'completed');
    perform demystify_memory.release_ref(p_tenant, p_placement);
    perform demystify_memory.settle_if_destroyed(p_tenant, i.tombstone_id)
      from demystify_memory.tombstone_item i
     where i.tenant_key = p_tenant and i.item_id = p_placement order by i.tombstone_id;
  end if;
  return json_build_object('receipt', demystify_memory.receipt_json(p_tenant, p_tombstone), 'rejected', v_rejected)::text;
end
$$;
comment on function demystify_memory.confirm_placement is 'Evidence that a copy is gone; the last one completes the erasure.';

-- What may be personal about a copy goes with it.
create or replace function demystify_memory.release_ref(p_tenant text, p_placement uuid) returns void
language plpgsql security definer  -- the caller holds no UPDATE
set search_path = ''
set jit = off
set enable_seqscan = off
as $$
begin
  update demystify_memory.placement p
     set gone_at = coalesce(p.gone_at, clock_timestamp()), ref = null, fingerprint = null
   where p.tenant_key = p_tenant and p.placement_id = p_placement;
  delete from demystify_memory.placement_lease l where l.tenant_key = p_tenant and l.placement_id = p_placement;
end
$$;
comment on function demystify_memory.release_ref is 'Removes the ref of a copy that is known to be gone.';

create or replace function demystify_memory.settle_if_destroyed(p_tenant text, p_tombstone uuid) returns void
language plpgsql security definer  -- evidence is not the caller's to write
set search_path = ''
set jit = off
set enable_seqscan = off
as $$
begin
  if exists (select from demystify_memory.erasure_event e
              where e.tenant_key = p_tenant and e.tombstone_id = p_tombstone and e.event = 'destroyed') then
    perform demystify_memory.settle(p_tenant, p_tombstone);
  end if;
end
$$;
comment on function demystify_memory.settle_if_destroyed is 'Completes an erasure whose rows are gone, if nothing is outstanding.';

create or replace function demystify_memory.attest(
  p_tenant text, p_tombstone uuid, p_placement uuid, p_by text, p_reference text
) returns text
language plpgsql security definer  -- evidence is not the caller's to write
set search_path = ''
set jit = off
set enable_seqscan = off
as $$
begin
  perform demystify_memory.assert_tenant(p_tenant, true);
  perform set_config('synchronous_commit', 'on', true);
  perform pg_advisory_xact_lock(hashtextextended(p_tombstone::text, 0));
  perform demystify_memory.assert_erasure(p_tenant, p_tombstone);
  if p_placement is null then
    if not exists (select from demystify_memory.erasure_event e
                    where e.tenant_key = p_tenant and e.tombstone_id = p_tombstone and e.event in ('closure_attested', 'completed')) then
      insert into demystify_memory.erasure_event (tenant_key, tombstone_id, event, actor, reference)
        values (p_tenant, p_tombstone, 'closure_attested', p_by, p_reference);
    end if;
  elsif demystify_memory.assert_outstanding(p_tenant, p_tombstone, p_placement) then
    insert into demystify_memory.erasure_event (tenant_key, tombstone_id, event, placement_id, actor, reference)
      values (p_tenant, p_tombstone, 'attested', p_placement, p_by, p_reference);
    if not exists (select from demystify_memory.tombstone_item i,
                   lateral demystify_memory.erasure_placements(p_tenant, i.tombstone_id) x
                    where i.tenant_key = p_tenant and i.item_id = p_placement and x.placement_id = p_placement
                      and not x.confirmed and not x.attested) then
      perform demystify_memory.release_ref(p_tenant, p_placement);
    end if;
  end if;
  perform demystify_memory.settle_if_destroyed(p_tenant, p_tombstone);
  return demystify_memory.receipt_json(p_tenant, p_tombstone)::text;
end
$$;
comment on function demystify_memory.attest is 'A person vouches for a copy, or for a closure; shown as attested, never as confirmed.';

create or replace function demystify_memory.escalate(p_tenant text, p_tombstone uuid, p_code text) returns text
language plpgsql security definer  -- evidence is not the caller's to write
set search_path = ''
set jit = off
set enable_seqscan = off
as $$
begin
  perform demystify_memory.assert_tenant(p_tenant, true);
  perform demystify_memory.assert_erasure(p_tenant, p_tombstone);
  if not exists (select from demystify_memory.erasure_event e
                  where e.tenant_key = p_tenant and e.tombstone_id = p_tombstone and e.event = 'completed') then
    insert into demystify_memory.erasure_event (tenant_key, tombstone_id, event, code)
      values (p_tenant, p_tombstone, 'escalated', p_code);
  end if;
  return demystify_memory.receipt_json(p_tenant, p_tombstone)::text;
end
$$;
comment on function demystify_memory.escalate is 'A person takes over an erasure that is stuck.';

-- Content kept but not used (GDPR Art. 18), and erasure lawfully blocked (GDPR Art. 17(3)). Both append-only.

-- The person of a request, created as hash and lock if not met before.
create or replace function demystify_memory.person_of(p_tenant text, p_known jsonb) returns uuid
language plpgsql security definer  -- subject rows are the engine's alone
set search_path = ''
set jit = off
set enable_seqscan = off
as $$
begin
  perform demystify_memory.assert_keys(p_tenant, p_known);
  perform demystify_memory.register_key(p_tenant, p_known);
  perform demystify_memory.link_subjects(p_tenant, jsonb_build_array(p_known));
  return (select s.person_id from demystify_memory.subject s
           where s.tenant_key = p_tenant and s.subject_hash = p_known #>> '{0,hash}');
end
$$;
comment on function demystify_memory.person_of is 'The person behind these hashes.';

create or replace function demystify_memory.restrict(p_tenant text, p_request text, p_basis text) returns text
language plpgsql security definer  -- the caller holds no INSERT
set search_path = ''
set jit = off
set enable_seqscan = off
as $$
declare
  v_request jsonb := p_request::jsonb;
  v_id      uuid := demystify_memory.uuid_v7();
  v_person  uuid;
  v_target  record;
  v_closure record;
begin
  perform demystify_memory.assert_tenant(p_tenant, true);
  if v_request #> '{subject,known}' is not null then
    v_person := demystify_memory.person_of(p_tenant, v_request #> '{subject,known}');
  end if;
  v_target := demystify_memory.erasure_target(p_tenant, v_request);
  -- The same lock as an erasure: a derivation is either before the restriction, and hidden with it, or refused.
  perform 1 from demystify_memory.subject s
    where s.tenant_key = p_tenant and s.subject_hash = any(v_target.hashes)
    order by s.subject_hash for no key update;
  v_target := demystify_memory.erasure_target(p_tenant, v_request);
  if v_request ->> 'scope' = 'subject' then
    insert into demystify_memory.restriction (tenant_key, restriction_id, scope, subject_hash, basis)
      values (p_tenant, v_id, 'subject', v_target.subject_hash, p_basis);
    insert into demystify_memory.restriction_in_force (tenant_key, restriction_id, person_id) values (p_tenant, v_id, v_person);
  else
    v_closure := demystify_memory.closure_of(p_tenant, v_target.memory_ids, '{}');
    insert into demystify_memory.restriction (tenant_key, restriction_id, scope, subject_hash, memory_ids, basis)
      values (p_tenant, v_id, 'memories', v_target.subject_hash, v_target.memory_ids, p_basis);
    insert into demystify_memory.restriction_in_force (tenant_key, restriction_id, item_ids)
      values (p_tenant, v_id, v_target.memory_ids || v_closure.derived_ids);
  end if;
  return v_id::text;
end
$$;
comment on function demystify_memory.restrict is 'Hides a person, or chosen memories with what was derived from them; keeps the rows.';

create or replace function demystify_memory.lift_restriction(p_tenant text, p_id uuid) returns void
language plpgsql security definer  -- the caller holds no INSERT
set search_path = ''
set jit = off
set enable_seqscan = off
as $$
begin
  perform demystify_memory.assert_tenant(p_tenant, true);
  delete from demystify_memory.restriction_in_force r where r.tenant_key = p_tenant and r.restriction_id = p_id;
  if not found then
    raise exception 'no such restriction in force' using errcode = 'ME012', detail = '{"what": "restriction"}';
  end if;
  insert into demystify_memory.restriction (tenant_key, lifts, scope, subject_hash, basis)
    select r.tenant_key, r.restriction_id, r.scope, r.subject_hash, r.basis
      from demystify_memory.restriction r where r.tenant_key = p_tenant and r.restriction_id = p_id;
end
$$;
comment on function demystify_memory.lift_restriction is 'Shows again what a restriction hid; recorded as a row of its own.';

create or replace function demystify_memory.place_hold(p_tenant text, p_known text, p_code text, p_until timestamptz) returns text
language plpgsql security definer  -- the caller holds no INSERT
set search_path = ''
set jit = off
set enable_seqscan = off
as $$
declare
  v_id     uuid := demystify_memory.uuid_v7();
  v_person uuid;
begin
  perform demystify_memory.assert_tenant(p_tenant, true);
  -- Against whatever destroys at this moment: it is over before the hold is placed, or it sees the hold.
  perform pg_advisory_xact_lock(demystify_memory.hold_lock(p_tenant));
  v_person := demystify_memory.person_of(p_tenant, p_known::jsonb);
  -- Against an erasure that opens at this moment.
  perform 1 from demystify_memory.subject s
    where s.tenant_key = p_tenant and s.person_id = v_person order by s.subject_hash for no key update;
  insert into demystify_memory.legal_hold (tenant_key, hold_id, subject_hash, code, until)
    values (p_tenant, v_id, p_known::jsonb #>> '{0,hash}', p_code, p_until);
  return v_id::text;
end
$$;
comment on function demystify_memory.place_hold is 'Refuses every destruction of a person''s rows until released.';

create or replace function demystify_memory.release_hold(p_tenant text, p_id uuid) returns void
language plpgsql security definer  -- the caller holds no INSERT
set search_path = ''
set jit = off
set enable_seqscan = off
as $$
begin
  perform demystify_memory.assert_tenant(p_tenant, true);
  insert into demystify_memory.legal_hold (tenant_key, releases, subject_hash, code)
    select h.tenant_key, h.hold_id, h.subject_hash, h.code
      from demystify_memory.legal_hold h
     where h.tenant_key = p_tenant and h.hold_id = p_id and h.releases is null
       and not exists (select from demystify_memory.legal_hold r where r.tenant_key = p_tenant and r.releases = p_id);
  if not found then
    raise exception 'no such hold in force' using errcode = 'ME012', detail = '{"what": "hold"}';
  end if;
end
$$;
comment on function demystify_memory.release_hold is 'Ends a hold; recorded as a row of its own.';

create or replace function demystify_memory.list_holds(p_tenant text) returns text
language plpgsql stable security definer  -- the caller reads no base table
set search_path = ''
set jit = off
set enable_seqscan = off
as $$
begin
  perform demystify_memory.assert_tenant(p_tenant, false);
  return (
    select coalesce(json_agg(json_build_object(
             'holdId', h.hold_id, 'subjectHash', h.subject_hash, 'code', h.code,
             'until', demystify_memory.iso(h.until), 'placedAt', demystify_memory.iso(h.at),
             'releasedAt', (select demystify_memory.iso(r.at) from demystify_memory.legal_hold r
                             where r.tenant_key = h.tenant_key and r.releases = h.hold_id),
             'refusals', (select count(*) from demystify_memory.legal_hold_refusal f
                           where f.tenant_key = h.tenant_key and f.hold_id = h.hold_id))
             order by h.at desc, h.hold_id desc), '[]')
      from demystify_memory.legal_hold h where h.tenant_key = p_tenant and h.releases is null)::text;
end
$$;
comment on function demystify_memory.list_holds is 'The holds of a tenant, newest first, with how often each refused an erasure.';

-- Expiry, correction, off-boarding, and what hosts' own jobs may ask.

create or replace function demystify_memory.expired_memories(p_tenant text, p_limit int) returns text
language plpgsql stable security definer  -- expired rows are on no read path
set search_path = ''
set jit = off
set enable_seqscan = off
as $$
declare
  v_held text[] := demystify_memory.held_subjects(p_tenant);
begin
  perform demystify_memory.assert_tenant(p_tenant, true);
  return (
    with expired as materialized (
      select m.memory_id, m.subject_hash, m.expires_at, m.subject_hash = any(v_held) or m.also_hashes && v_held as held
        from demystify_memory.memory m
       where m.tenant_key = p_tenant and m.expires_at <= statement_timestamp()
         and m.memory_id not in (select demystify_memory.open_items(p_tenant))
    ), batch as (
      select * from expired e where not e.held order by e.expires_at, e.memory_id limit p_limit
    )
    select json_build_object(
      'groups', (select coalesce(json_agg(g.ids order by g.first), '[]')
                   from (select json_agg(b.memory_id order by b.memory_id) as ids, min(b.memory_id::text) as first
                           from batch b group by b.subject_hash) g),
      'skippedHeld', (select count(*) from expired e where e.held),
      'more', (select count(*) from expired e where not e.held) > p_limit))::text;
end
$$;
comment on function demystify_memory.expired_memories is 'Memories past their expiry, grouped by person; held ones are only counted.';

create or replace function demystify_memory.subjects_with_rows(p_tenant text, p_limit int) returns text
language plpgsql stable security definer  -- reads across persons
set search_path = ''
set jit = off
set enable_seqscan = off
as $$
declare
  v_held text[] := demystify_memory.held_subjects(p_tenant);
begin
  perform demystify_memory.assert_tenant(p_tenant, true);
  return (
    with persons as materialized (
      select s.person_id, min(s.subject_hash) as any_hash,
             json_agg(json_build_object('hash', s.subject_hash, 'keyId', s.key_id) order by s.subject_hash) as known,
             bool_or(s.subject_hash = any(v_held)) as held
        from demystify_memory.subject s
       where s.tenant_key = p_tenant
         and (exists (select from demystify_memory.memory m
                       where m.tenant_key = p_tenant and m.subject_hash = s.subject_hash
                         and m.memory_id not in (select demystify_memory.open_items(p_tenant)))
              or exists (select from demystify_memory.memory m
                          where m.also_hashes <> '{}' and m.also_hashes @> array[s.subject_hash] and m.tenant_key = p_tenant
                            and m.memory_id not in (select demystify_memory.open_items(p_tenant)))
              or exists (select from demystify_memory.placement p
                          where p.subject_hashes @> array[s.subject_hash] and p.tenant_key || '' = p_tenant and p.gone_at is null
                            and not exists (select from demystify_memory.tombstone_item i
                                             where i.tenant_key = p_tenant and i.item_id = p.placement_id)))
       group by s.person_id
    ), batch as (
      select * from persons p where not p.held order by p.person_id limit p_limit
    )
    select json_build_object(
      'subjects', (select coalesce(json_agg(b.known order by b.person_id), '[]') from batch b),
      'skippedHeld', (select count(*) from persons p where p.held),
      'more', (select count(*) from persons p where not p.held) > p_limit))::text;
end
$$;
comment on function demystify_memory.subjects_with_rows is 'Persons that still have rows, as hashes; held ones are only counted.';

-- The new text is stored in the transaction that opens the erasure of the old one: a crash loses neither.
create or replace function demystify_memory.open_correction(
  p_tenant text, p_request text, p_id uuid, p_text text, p_embedding real[], p_terms bigint[], p_tags text[]
) returns text
language plpgsql security definer  -- the caller holds no INSERT
set search_path = ''
set jit = off
set enable_seqscan = off
as $$
declare
  v_old       uuid := (p_request::jsonb #>> '{memoryIds,0}')::uuid;
  v_tombstone uuid;
begin
  perform demystify_memory.assert_tenant(p_tenant, true);
  if exists (select from demystify_memory.tombstone t
              where t.tenant_key = p_tenant and t.tombstone_id = (p_request::jsonb ->> 'tombstoneId')::uuid) then
    -- A retry of a call whose answer was lost.
    return json_build_object(
      'receipt', demystify_memory.receipt_json(p_tenant, (p_request::jsonb ->> 'tombstoneId')::uuid),
      'memory', (select demystify_memory.memory_json(m) from demystify_memory.memory m
                  where m.tenant_key = p_tenant and m.memory_id = p_id))::text;
  end if;
  if exists (select from demystify_memory.tombstone_item i where i.tenant_key = p_tenant and i.item_id = v_old) then
    raise exception 'an erasure covers this memory' using errcode = 'ME004';
  end if;
  if not exists (select from demystify_memory.memory m
                  where m.tenant_key = p_tenant and m.memory_id = v_old
                    and (m.expires_at is null or m.expires_at > statement_timestamp())) then
    raise exception 'no such memory' using errcode = 'ME012', detail = '{"what": "memory"}';
  end if;
  if not exists (select from demystify_memory.memory m
                  where m.tenant_key = p_tenant and m.memory_id = v_old and ((m.expires_at is null or m.expires_at > statement_timestamp())
                      and m.memory_id not in (select h.id from demystify_memory.hidden_items(p_tenant) h(id))
                      and m.subject_hash not in (select demystify_memory.restricted_subjects(p_tenant))
                      and (m.also_hashes = '{}' or not m.also_hashes && array(select demystify_memory.restricted_subjects(p_tenant))))) then
    raise exception 'the memory is restricted' using errcode = 'ME008';
  end if;
  if exists (select from demystify_memory.memory m
              where m.tenant_key = p_tenant and m.memory_id = v_old
                and (m.subject_hash || m.also_hashes) && demystify_memory.held_subjects(p_tenant)) then
    -- Held by any of its persons: refused, and the refusal kept, as for a whole person.
    insert into demystify_memory.legal_hold_refusal (tenant_key, hold_id)
      select distinct h.tenant_key, h.hold_id
        from demystify_memory.memory m, unnest(m.subject_hash || m.also_hashes) x
        join demystify_memory.subject s on s.tenant_key = p_tenant and s.subject_hash = x
        join demystify_memory.subject p on p.tenant_key = s.tenant_key and p.person_id = s.person_id
        join demystify_memory.legal_hold h on h.tenant_key = p.tenant_key and h.subject_hash = p.subject_hash
       where m.tenant_key = p_tenant and m.memory_id = v_old and h.releases is null
         and (h.until is null or h.until > statement_timestamp())
         and not exists (select from demystify_memory.legal_hold r where r.tenant_key = h.tenant_key and r.releases = h.hold_id);
    return '{"held": true}';
  end if;
  v_tombstone := demystify_memory.open_erasure_step(p_tenant, p_request::jsonb);
  if v_tombstone is null then
    return '{"held": true}';
  end if;
  insert into demystify_memory.memory (
    tenant_key, memory_id, subject_key, subject_hash, also_keys, also_hashes, key_id, kind, text, metadata, embedding,
    term_hashes, content_tags, provenance_known, captured_at, expires_at, created_at)
  select m.tenant_key, p_id, m.subject_key, m.subject_hash, m.also_keys, m.also_hashes, m.key_id, m.kind, p_text, m.metadata,
         p_embedding, p_terms, p_tags, true, m.captured_at, m.expires_at, clock_timestamp()
    from demystify_memory.memory m
   where m.tenant_key = p_tenant and m.memory_id = v_old;
  return json_build_object(
    'receipt', demystify_memory.receipt_json(p_tenant, v_tombstone),
    'memory', (select demystify_memory.memory_json(m) from demystify_memory.memory m
                where m.tenant_key = p_tenant and m.memory_id = p_id))::text;
end
$$;
comment on function demystify_memory.open_correction is 'Opens the erasure of a memory and stores its corrected text, in one transaction.';

-- SECURITY INVOKER and without SET clauses, like forget, and for the same reason.
create or replace procedure demystify_memory.correct(
  p_tenant text, p_request text, p_id uuid, p_text text, p_embedding real[], p_terms bigint[], p_tags text[], p_chunk int,
  inout receipt text default null
)
language plpgsql
as $$
declare
  v_answer    pg_catalog.text;
  v_opened    pg_catalog.text;
  v_tombstone pg_catalog.uuid;
begin
  commit;
  set transaction isolation level read committed;
  v_opened := demystify_memory.open_correction(p_tenant, p_request, p_id, p_text, p_embedding, p_terms, p_tags);
  receipt := v_opened;
  if pg_catalog.json_extract_path_text(v_opened::pg_catalog.json, 'held') is not null then
    return;
  end if;
  v_tombstone := pg_catalog.json_extract_path_text(v_opened::pg_catalog.json, 'receipt', 'tombstoneId')::pg_catalog.uuid;
  -- Nothing is evaluated between a COMMIT and its SET: an expression takes a snapshot, and then the level is fixed.
  loop
    commit;
    set transaction isolation level read committed;
    v_answer := demystify_memory.advance_erasure(p_tenant, v_tombstone, p_chunk);
    exit when pg_catalog.json_extract_path_text(v_answer::pg_catalog.json, 'advanced') operator(pg_catalog.=) 'false';
  end loop;
  receipt := pg_catalog.json_build_object(
    'memory', pg_catalog.json_extract_path(v_opened::pg_catalog.json, 'memory'),
    'receipt', pg_catalog.json_extract_path(v_answer::pg_catalog.json, 'receipt'));
end
$$;
comment on procedure demystify_memory.correct is 'Replaces the text of a memory by a new memory, and erases the old one with all derived from it.';

create or replace function demystify_memory.keys_in_use(p_tenant text) returns text
language plpgsql stable security definer  -- the key list is the engine's alone
set search_path = ''
set jit = off
set enable_seqscan = off
as $$
begin
  perform demystify_memory.assert_tenant(p_tenant, false);
  return (
    select coalesce(json_agg(nullif(k.key_id, '') order by k.key_id), '[]')
      from demystify_memory.subject_key k where k.tenant_key = p_tenant)::text;
end
$$;
comment on function demystify_memory.keys_in_use is 'The ids of the pepper keys rows of this tenant were written under; null for unkeyed.';

-- p_tags: for each content its possible tags, as an array literal.
create or replace function demystify_memory.covered(p_tenant text, p_ids uuid[], p_tags text[], p_keys jsonb) returns text
language plpgsql stable security definer  -- evidence is not the caller's to read
set search_path = ''
set jit = off
set enable_seqscan = off
as $$
begin
  perform demystify_memory.assert_tenant(p_tenant, true);
  perform demystify_memory.assert_keys(p_tenant, p_keys);
  return json_build_object(
    'ids', (
      select coalesce(json_agg(json_build_array(x.kind, x.item_id) order by x.item_id), '[]')
        from (select distinct i.kind, i.item_id from unnest(p_ids) u
                join demystify_memory.tombstone_item i on i.tenant_key = p_tenant and i.item_id = u) x),
    'contents', (
      select coalesce(json_agg(u.n - 1 order by u.n), '[]')
        from unnest(p_tags) with ordinality u(tags, n)
       where u.tags <> '{}' and exists (
         select from demystify_memory.tombstone_item i
          where i.content_tags <> '{}' and i.content_tags && u.tags::text[] and i.tenant_key || '' = p_tenant offset 0)))::text;
end
$$;
comment on function demystify_memory.covered is 'Which of these ids and contents a tombstone covers.';

-- One page of everything an erasure of this scope would take, memories first. Rows that also concern others are
-- withheld unless the host asks for them.
create or replace function demystify_memory.export_page(
  p_tenant text, p_request text, p_include_shared boolean, p_limit int, p_after text
) returns text
language plpgsql stable security definer  -- the person's own right of access sees restricted and expired rows
set search_path = ''
set jit = off
as $$
declare
  v_target     record;
  v_closure    record;
  v_placements uuid[];
begin
  perform demystify_memory.assert_tenant(p_tenant, true);
  perform demystify_memory.assert_keys(p_tenant, p_request::jsonb #> '{subject,known}');
  v_target := demystify_memory.erasure_target(p_tenant, p_request::jsonb);
  v_closure := demystify_memory.closure_of(p_tenant, v_target.memory_ids, '{}');
  v_placements := demystify_memory.placements_of(
    p_tenant, p_request::jsonb ->> 'scope', v_target.hashes, v_target.memory_ids, v_closure.derived_ids);
  return (
    select coalesce(json_agg(json_build_object('at', x.at, 'line', json_build_object('kind', x.kind, 'row',
        case x.kind
          when 'memory' then demystify_memory.export_memory(p_tenant, x.id, v_target.hashes, p_include_shared)
          when 'derived' then demystify_memory.export_derived(p_tenant, x.id, v_target.hashes, p_include_shared)
          else demystify_memory.export_placement(p_tenant, x.id, v_target.hashes, p_include_shared) end)) order by x.at), '[]')
      from (
        select u.kind, u.id, u.rank || u.id::text as at
          from (select 'memory' as kind, unnest(v_target.memory_ids) as id, '1' as rank
                union all
                select 'derived', unnest(v_closure.derived_ids), '2'
                union all
                select 'placement', unnest(v_placements), '3') u
         where u.id not in (select demystify_memory.open_items(p_tenant))
           and (p_after is null or u.rank || u.id::text > p_after)
         order by at
         limit p_limit + 1) x)::text;
end
$$;
comment on function demystify_memory.export_page is 'One page of a person''s rows; one more than asked for tells that there is a next page.';

create or replace function demystify_memory.others_of(p_tenant text, p_row_hashes text[], p_hashes text[]) returns int
language sql stable security definer  -- counts persons the caller may not read
set search_path = ''
set jit = off
set enable_seqscan = off
as $$
  select count(distinct s.person_id)::int
    from demystify_memory.subject s
   where s.tenant_key = p_tenant and s.subject_hash = any(p_row_hashes)
     and s.person_id not in (select o.person_id from demystify_memory.subject o
                              where o.tenant_key = p_tenant and o.subject_hash = any(p_hashes))
$$;
comment on function demystify_memory.others_of is 'How many other persons a row concerns.';

create or replace function demystify_memory.export_memory(p_tenant text, p_id uuid, p_hashes text[], p_include_shared boolean) returns jsonb
language sql stable security definer  -- the person's own right of access sees restricted and expired rows
set search_path = ''
set jit = off
set enable_seqscan = off
as $$
  select case
    when o.others > 0 and not p_include_shared then jsonb_build_object(
      'id', m.memory_id, 'kind', m.kind, 'otherSubjects', o.others, 'text', null, 'withheld', 'others')
    else (demystify_memory.memory_json(m)::jsonb
            || case when o.others > 0 then '{"subjectKey": null, "alsoAbout": []}'::jsonb else '{}' end
            || case when m.expires_at <= statement_timestamp() then '{"expired": true}'::jsonb else '{}' end
            || case when m.memory_id in (select demystify_memory.hidden_items(p_tenant))
                      or (m.subject_hash || m.also_hashes) && array(select demystify_memory.restricted_subjects(p_tenant))
                    then '{"restricted": true}'::jsonb else '{}' end) end
    from demystify_memory.memory m,
    lateral (select demystify_memory.others_of(p_tenant, m.subject_hash || m.also_hashes, p_hashes) as others) o
   where m.tenant_key = p_tenant and m.memory_id = p_id
$$;
comment on function demystify_memory.export_memory is 'A memory as its person may see it; other persons'' keys are never shown.';

create or replace function demystify_memory.export_derived(p_tenant text, p_id uuid, p_hashes text[], p_include_shared boolean) returns jsonb
language sql stable security definer  -- the person's own right of access sees restricted and expired rows
set search_path = ''
set jit = off
set enable_seqscan = off
as $$
  select case
    when o.others > 0 and not p_include_shared then jsonb_build_object(
      'id', d.derived_id, 'kind', d.kind, 'otherSubjects', o.others, 'text', null, 'withheld', 'others')
    else (demystify_memory.derived_json(d)::jsonb
            || case when d.expires_at <= statement_timestamp() then '{"expired": true}'::jsonb else '{}' end
            || case when d.derived_id in (select demystify_memory.hidden_items(p_tenant))
                      or d.subject_hashes && array(select demystify_memory.restricted_subjects(p_tenant))
                    then '{"restricted": true}'::jsonb else '{}' end) end
    from demystify_memory.derived d,
    lateral (select demystify_memory.others_of(p_tenant, d.subject_hashes, p_hashes) as others) o
   where d.tenant_key = p_tenant and d.derived_id = p_id
$$;
comment on function demystify_memory.export_derived is 'A derived row as the person may see it.';

create or replace function demystify_memory.export_placement(p_tenant text, p_id uuid, p_hashes text[], p_include_shared boolean) returns jsonb
language sql stable security definer  -- the caller reads no base table
set search_path = ''
set jit = off
set enable_seqscan = off
as $$
  select demystify_memory.placement_json(p)::jsonb
         || case when not p_include_shared and demystify_memory.others_of(p_tenant, p.subject_hashes, p_hashes) > 0
                 then '{"ref": null}'::jsonb else '{}' end
    from demystify_memory.placement p
   where p.tenant_key = p_tenant and p.placement_id = p_id
$$;
comment on function demystify_memory.export_placement is 'A copy as the person may see it.';

-- The sweep: the log compared with what lives. One bounded, set-based page a call; findings are codes and ids.

-- p_stage: rules, tombstones, memories, derived, placements, persons; p_after: the last id of the page before.
-- Answers {"findings", "persons", "looked", "next"}: next is the id to go on after, null when the stage is done.
create or replace function demystify_memory.reconcile_page(p_tenant text, p_stage text, p_after text, p_limit int) returns text
language plpgsql stable security definer  -- the sweep must see every row and all evidence
set search_path = ''
set jit = off
set enable_seqscan = off
as $$
declare
  v_findings json;
  v_persons  json := '[]';
  v_ids      uuid[];
  v_looked   int;
  v_untagged int := 0;
  v_next     text;
begin
  perform demystify_memory.assert_tenant(p_tenant, true);
  case p_stage
  when 'rules' then
    select coalesce(json_agg(json_build_object('code', 'rule_disabled', 'kind', 'rule', 'id', v.check_name) order by v.check_name), '[]')
      into v_findings
      from demystify_memory.verify_install() v where v.ok is not true;
    v_looked := 0;

  when 'tombstones' then
    v_ids := array(select t.tombstone_id from demystify_memory.tombstone t
                    where t.tenant_key = p_tenant and (p_after is null or t.tombstone_id > p_after::uuid)
                    order by t.tombstone_id limit p_limit);
    select coalesce(json_agg(f.finding), '[]') into v_findings
      from (
        -- Open for more than a day: either somebody works on it, or nobody does.
        select json_build_object('code', 'erasure_overdue', 'kind', 'tombstone', 'id', s.tombstone_id, 'tombstoneId', s.tombstone_id) as finding
          from demystify_memory.erasure_state s
          join demystify_memory.tombstone t on t.tenant_key = s.tenant_key and t.tombstone_id = s.tombstone_id
         where s.tenant_key = p_tenant and s.tombstone_id = any(v_ids) and s.state <> 'complete'
           and t.opened_at < statement_timestamp() - interval '24 hours'
        union all
        -- More destroyed than there are items for: rows went that the evidence does not name. One look at the items for the
        -- whole page: no index finds those of a tombstone.
        select json_build_object('code', 'count_mismatch', 'kind', 'tombstone', 'id', s.tombstone_id, 'tombstoneId', s.tombstone_id)
          from demystify_memory.erasure_state s
          left join (select i.tombstone_id, count(*) as n from demystify_memory.tombstone_item i
                      where i.tenant_key = p_tenant and i.tombstone_id = any(v_ids) and i.kind <> 'placement'
                      group by i.tombstone_id) i on i.tombstone_id = s.tombstone_id
         where s.tenant_key = p_tenant and s.tombstone_id = any(v_ids) and s.destroyed_at is not null
           and s.memories + s.derived > coalesce(i.n, 0)
      ) f;

  when 'memories' then
    v_ids := array(select m.memory_id from demystify_memory.memory m
                    where m.tenant_key = p_tenant and (p_after is null or m.memory_id > p_after::uuid)
                    order by m.memory_id limit p_limit);
    select count(*) into v_untagged from demystify_memory.memory m
      where m.tenant_key = p_tenant and m.memory_id between v_ids[1] and v_ids[cardinality(v_ids)] and m.content_tags = '{}';
    select coalesce(json_agg(f.finding), '[]') into v_findings
      from (
        select json_build_object('code', 'forgotten_but_live', 'kind', 'memory', 'id', m.memory_id, 'tombstoneId', i.tombstone_id) as finding
          from demystify_memory.memory m,
          lateral (select i.tombstone_id from demystify_memory.tombstone_item i
                    where i.tenant_key = p_tenant and i.item_id = m.memory_id
                      and exists (select from demystify_memory.erasure_event e
                                   where e.tenant_key = p_tenant and e.tombstone_id = i.tombstone_id and e.event = 'destroyed')
                    order by i.tombstone_id limit 1) i
         where m.tenant_key = p_tenant and m.memory_id between v_ids[1] and v_ids[cardinality(v_ids)]
           and m.memory_id not in (select demystify_memory.open_items(p_tenant))
        union all
        select json_build_object('code', 'content_reappeared', 'kind', 'memory', 'id', m.memory_id, 'tombstoneId', i.tombstone_id)
          from demystify_memory.memory m,
          lateral (select i.tombstone_id from demystify_memory.tombstone_item i
                    where i.content_tags <> '{}' and i.content_tags && m.content_tags and i.tenant_key || '' = p_tenant
                      and i.item_id <> m.memory_id
                    order by i.tombstone_id limit 1) i
         where m.tenant_key = p_tenant and m.memory_id between v_ids[1] and v_ids[cardinality(v_ids)] and m.content_tags <> '{}'
           and m.memory_id not in (select demystify_memory.open_items(p_tenant))
        union all
        select json_build_object('code', 'provenance_unknown', 'kind', 'memory', 'id', m.memory_id)
          from demystify_memory.memory m
         where m.tenant_key = p_tenant and m.memory_id between v_ids[1] and v_ids[cardinality(v_ids)] and not m.provenance_known
      ) f;

  when 'derived' then
    v_ids := array(select d.derived_id from demystify_memory.derived d
                    where d.tenant_key = p_tenant and (p_after is null or d.derived_id > p_after::uuid)
                    order by d.derived_id limit p_limit);
    select count(*) into v_untagged from demystify_memory.derived d
      where d.tenant_key = p_tenant and d.derived_id between v_ids[1] and v_ids[cardinality(v_ids)] and d.content_tags = '{}'
        and char_length(d.text) >= 40;  -- shorter texts have none, whoever wrote them
    select coalesce(json_agg(f.finding), '[]') into v_findings
      from (
        select json_build_object('code', 'forgotten_but_live', 'kind', 'derived', 'id', d.derived_id, 'tombstoneId', i.tombstone_id) as finding
          from demystify_memory.derived d,
          lateral (select i.tombstone_id from demystify_memory.tombstone_item i
                    where i.tenant_key = p_tenant and i.item_id = d.derived_id
                      and exists (select from demystify_memory.erasure_event e
                                   where e.tenant_key = p_tenant and e.tombstone_id = i.tombstone_id and e.event = 'destroyed')
                    order by i.tombstone_id limit 1) i
         where d.tenant_key = p_tenant and d.derived_id between v_ids[1] and v_ids[cardinality(v_ids)]
           and d.derived_id not in (select demystify_memory.open_items(p_tenant))
        union all
        select json_build_object('code', 'source_missing', 'kind', 'derived', 'id', d.derived_id)
          from demystify_memory.derived d
         where d.tenant_key = p_tenant and d.derived_id between v_ids[1] and v_ids[cardinality(v_ids)]
           and d.derived_id not in (select demystify_memory.open_items(p_tenant))
           and (exists (select from unnest(d.source_memories) u
                         where not exists (select from demystify_memory.memory m where m.tenant_key = p_tenant and m.memory_id = u offset 0))
                or exists (select from unnest(d.source_derived) u
                            where not exists (select from demystify_memory.derived s where s.tenant_key = p_tenant and s.derived_id = u offset 0)))
        union all
        select json_build_object('code', 'source_forgotten', 'kind', 'derived', 'id', d.derived_id, 'tombstoneId', i.tombstone_id)
          from demystify_memory.derived d,
          lateral (select i.tombstone_id from (select found.* from unnest(d.source_memories || d.source_derived) wanted(id),
              lateral (select one.* from demystify_memory.tombstone_item one where one.tenant_key = p_tenant and one.item_id = wanted.id offset 0) found) i
                    order by i.tombstone_id limit 1) i
         where d.tenant_key = p_tenant and d.derived_id between v_ids[1] and v_ids[cardinality(v_ids)]
           and not exists (select from demystify_memory.tombstone_item o where o.tenant_key = p_tenant and o.item_id = d.derived_id)
        union all
        select json_build_object('code', 'content_reappeared', 'kind', 'derived', 'id', d.derived_id, 'tombstoneId', i.tombstone_id)
          from demystify_memory.derived d,
          lateral (select i.tombstone_id from demystify_memory.tombstone_item i
                    where i.content_tags <> '{}' and i.content_tags && d.content_tags and i.tenant_key || '' = p_tenant
                      and i.item_id <> d.derived_id
                    order by i.tombstone_id limit 1) i
         where d.tenant_key = p_tenant and d.derived_id between v_ids[1] and v_ids[cardinality(v_ids)] and d.content_tags <> '{}'
           and d.derived_id not in (select demystify_memory.open_items(p_tenant))
      ) f;

  when 'placements' then
    v_ids := array(select p.placement_id from demystify_memory.placement p
                    where p.tenant_key = p_tenant and (p_after is null or p.placement_id > p_after::uuid)
                    order by p.placement_id limit p_limit);
    select coalesce(json_agg(json_build_object('code', 'placement_source_missing', 'kind', 'placement', 'id', p.placement_id)), '[]')
      into v_findings
      from demystify_memory.placement p
     where p.tenant_key = p_tenant and p.placement_id between v_ids[1] and v_ids[cardinality(v_ids)] and p.gone_at is null
       and not exists (select from demystify_memory.tombstone_item i where i.tenant_key = p_tenant and i.item_id = p.placement_id)
       and (exists (select from unnest(p.source_memories) u
                     where not exists (select from demystify_memory.memory m where m.tenant_key = p_tenant and m.memory_id = u offset 0))
            or exists (select from unnest(p.source_derived) u
                        where not exists (select from demystify_memory.derived d where d.tenant_key = p_tenant and d.derived_id = u offset 0)));

  when 'persons' then
    -- Whether key and hash of a row agree, only a holder of the pepper can tell: one example of each pair.
    select coalesce(json_agg(json_build_object(
             'subjectKey', x.subject_key, 'subjectHash', x.subject_hash, 'keyId', x.key_id, 'id', x.id) order by x.subject_hash), '[]'),
           max(x.subject_hash), count(distinct x.subject_hash)
      into v_persons, v_next, v_looked
      from (
        select m.subject_hash, m.subject_key, m.key_id, min(m.memory_id::text) as id
          from demystify_memory.memory m
         where m.tenant_key = p_tenant and m.subject_key is not null
           and m.subject_hash in (
             select s.subject_hash from demystify_memory.subject s
              where s.tenant_key = p_tenant and (p_after is null or s.subject_hash > p_after)
              order by s.subject_hash limit p_limit)
         group by m.subject_hash, m.subject_key, m.key_id) x;
    select max(s.subject_hash), count(*) into v_next, v_looked
      from (select s.subject_hash from demystify_memory.subject s
             where s.tenant_key = p_tenant and (p_after is null or s.subject_hash > p_after)
             order by s.subject_hash limit p_limit) s;
    return json_build_object('findings', '[]'::json, 'persons', v_persons, 'looked', 0, 'untagged', 0,
                             'next', case when v_looked = p_limit then v_next end)::text;
  end case;

  if v_ids is not null then
    v_looked := cardinality(v_ids);
    v_next := case when v_looked = p_limit then v_ids[v_looked]::text end;
  end if;
  return json_build_object('findings', v_findings, 'persons', v_persons, 'looked', v_looked, 'untagged', v_untagged, 'next', v_next)::text;
end
$$;
comment on function demystify_memory.reconcile_page is 'One bounded page of the sweep: findings as codes and ids.';

create or replace function demystify_memory.export_tombstones(p_tenant text, p_limit int, p_after uuid) returns text
language plpgsql stable security definer  -- evidence is not the caller's to read
set search_path = ''
set jit = off
set enable_seqscan = off
as $$
declare
  v_ids uuid[];
begin
  perform demystify_memory.assert_tenant(p_tenant, true);
  v_ids := array(select t.tombstone_id from demystify_memory.tombstone t
                  where t.tenant_key = p_tenant and (p_after is null or t.tombstone_id > p_after)
                  order by t.tombstone_id limit p_limit);
  return (
    select coalesce(json_agg(json_build_object(
             'v', 1, 'tombstoneId', t.tombstone_id, 'tenantKey', t.tenant_key, 'scope', t.scope,
             'subjectHash', t.subject_hash, 'subjectKeyId', t.subject_key_id, 'origin', t.origin, 'reason', t.reason,
             'legalBasis', t.legal_basis, 'openedAt', to_json(coalesce(t.replays_opened_at, t.opened_at)),
             'memoryIds', coalesce(i.memories, '[]'), 'derivedIds', coalesce(i.deriveds, '[]'),
             'placementIds', coalesce(i.placements, '[]')) order by t.tombstone_id), '[]')
      from demystify_memory.tombstone t
      left join (
        select i.tombstone_id,
               json_agg(i.item_id order by i.item_id) filter (where i.kind = 'memory') as memories,
               json_agg(i.item_id order by i.item_id) filter (where i.kind = 'derived') as deriveds,
               json_agg(i.item_id order by i.item_id) filter (where i.kind = 'placement') as placements
          from demystify_memory.tombstone_item i
         where i.tenant_key = p_tenant and i.tombstone_id = any(v_ids)
         group by i.tombstone_id) i on i.tombstone_id = t.tombstone_id
     where t.tenant_key = p_tenant and t.tombstone_id = any(v_ids))::text;
end
$$;
comment on function demystify_memory.export_tombstones is 'Tombstones with the ids they cover, content-free, in the order they were made.';

create or replace function demystify_memory.missing_tombstones(p_tenant text, p_ids uuid[]) returns text
language plpgsql stable security definer  -- evidence is not the caller's to read
set search_path = ''
set jit = off
set enable_seqscan = off
as $$
begin
  perform demystify_memory.assert_tenant(p_tenant, true);
  return (
    select coalesce(json_agg(u order by u), '[]') from unnest(p_ids) u
     where not exists (select from demystify_memory.tombstone t
                        where t.tenant_key = p_tenant and (t.tombstone_id = u or t.replays = u)))::text;
end
$$;
comment on function demystify_memory.missing_tombstones is 'Which of these tombstones this database does not have.';

-- Answers the receipt of a new erasure of origin replay, or null where there is nothing left to do.
create or replace function demystify_memory.open_replay(p_tenant text, p_request text) returns text
language plpgsql security definer  -- writes evidence for the caller
set search_path = ''
set jit = off
set enable_seqscan = off
as $$
declare
  v_request   jsonb := p_request::jsonb;
  v_target    record;
  v_tombstone uuid;
begin
  perform demystify_memory.assert_tenant(p_tenant, true);
  if exists (select from demystify_memory.tombstone t
              where t.tenant_key = p_tenant
                and (t.tombstone_id = (v_request ->> 'replays')::uuid or t.replays = (v_request ->> 'replays')::uuid)) then
    v_target := demystify_memory.erasure_target(p_tenant, v_request);
    if v_target.memory_ids = '{}' and v_target.derived_ids = '{}' then
      return null;
    end if;
  end if;
  v_tombstone := demystify_memory.open_erasure_step(p_tenant, v_request);
  if v_tombstone is null then
    return '{"held": true}';
  end if;
  return demystify_memory.receipt_json(p_tenant, v_tombstone)::text;
end
$$;
comment on function demystify_memory.open_replay is 'Opens again, after a restore, what an exported tombstone covered.';

-- Ranking by terms. A term is a group of hashes that mean the same: one under each key of the library, or the inflected
-- forms of a word. p_hashes and p_terms run in parallel: a hash, and which term of the query it is, counted from 0.
--
-- The lexical score is the share of the query's terms that a row holds. The ranking is exact and every row is eligible,
-- but few need be looked at: rows with all terms come before rows with one fewer, whatever their age, so that each
-- such tier is asked for until the limit is reached. A tier is merged as a whole before it is cut: the newest first.

-- SQL for the number of a query's terms that the row r holds. These helpers are plpgsql, whose plans a session keeps.
create or replace function demystify_memory.found_expression(p_hashes bigint[], p_terms int[]) returns text
language plpgsql immutable
set search_path = ''
as $$
declare
  v_sum text;
begin
  if cardinality(p_terms) > 0 and p_terms[cardinality(p_terms)] >= 16 then
    return format('(select count(distinct q.term)::int from unnest(%L::bigint[], %L::int[]) q(hash, term) where q.hash = any(r.term_hashes))',
                  p_hashes::text, p_terms::text);
  end if;
  select string_agg(format('(r.term_hashes && %L::bigint[])::int', g.hashes::text), ' + ') into v_sum
    from (select array_agg(q.hash) as hashes from unnest(p_hashes, p_terms) q(hash, term) group by q.term order by q.term) g;
  return v_sum;
end
$$;
comment on function demystify_memory.found_expression is 'SQL that counts how many of a query''s terms a row holds.';

-- How an index finds the rows that hold at least p_size of the terms: such a row holds at least `chosen` of the (all -
-- p_size + chosen) rarest, so that it is in one of the combinations of these. The more are chosen the fewer rows a
-- combination leads to, and the more combinations there are. p_counts: how many of the p_window newest rows hold each
-- term, ascending. estimate: the rows it leads to, if terms occur independently, and a share of the entries passed over.
create or replace function demystify_memory.tier_plan(
  p_counts int[], p_window int, p_rows float8, p_size int, out chosen int, out estimate float8
)
language plpgsql immutable
set search_path = ''
as $$
declare
  v_spare constant int := cardinality(p_counts) - p_size;
  v_most  constant int := 45;
  v_arms  float8 := 1;
  v_sums  float8[];
begin
  chosen := 0;
  loop
    exit when chosen >= p_size or v_arms * (v_spare + chosen + 1) / (chosen + 1) > v_most and chosen > 0;
    chosen := chosen + 1;
    v_arms := v_arms * (v_spare + chosen) / chosen;
  end loop;
  -- Sums of the products of that many shares: each new term joins every product of one fewer.
  v_sums := array[1::float8] || array_fill(0::float8, array[chosen]);
  for i in 1 .. v_spare + chosen loop
    for j in reverse least(i, chosen) .. 1 loop
      v_sums[j + 1] := v_sums[j + 1] + v_sums[j] * greatest(p_counts[i], 0.3) / p_window;
    end loop;
  end loop;
  estimate := p_rows * v_sums[chosen + 1]
            + case when chosen > 1 then 0.02 * v_arms * p_rows * greatest(p_counts[1], 0.3) / p_window else 0 end;
end
$$;
comment on function demystify_memory.tier_plan is 'How many terms at a time the index is asked for to find one tier, and how many rows that leads to.';

-- SQL for that. p_rarest: the terms, the rarest first.
create or replace function demystify_memory.tier_condition(
  p_hashes bigint[], p_terms int[], p_rarest int[], p_size int, p_chosen int
) returns text
language plpgsql immutable
set search_path = ''
as $$
declare
  v_among  int := cardinality(p_rarest) - p_size + p_chosen;
  v_places int[];
  v_place  int;
  v_single bigint[];
  v_group  bigint[];
  v_arm    text[];
  v_arms   text[] := '{}';
begin
  if p_chosen = 1 then
    return format('r.term_hashes && %L::bigint[]', (
      select array_agg(q.hash)::text from unnest(p_hashes, p_terms) q(hash, term) where q.term = any(p_rarest[1:v_among])));
  end if;
  for v_places in
    with recursive combination (places) as (
      select array[i] from generate_series(1, v_among - p_chosen + 1) i
      union all
      select c.places || i
        from combination c, generate_series(c.places[cardinality(c.places)] + 1, v_among - p_chosen + cardinality(c.places) + 1) i
       where cardinality(c.places) < p_chosen
    )
    select c.places from combination c where cardinality(c.places) = p_chosen
  loop
    v_arm := '{}';
    v_single := '{}';
    foreach v_place in array v_places loop
      v_group := array(select q.hash from unnest(p_hashes, p_terms) q(hash, term) where q.term = p_rarest[v_place]);
      if cardinality(v_group) = 1 then
        v_single := v_single || v_group;
      else
        v_arm := v_arm || format('r.term_hashes && %L::bigint[]', v_group::text);
      end if;
    end loop;
    if v_single <> '{}' then
      v_arm := v_arm || format('r.term_hashes @> %L::bigint[]', v_single::text);
    end if;
    v_arms := v_arms || ('(' || array_to_string(v_arm, ' and ') || ')');
  end loop;
  return '(' || array_to_string(v_arms, ' or ') || ')';
end
$$;
comment on function demystify_memory.tier_condition is 'SQL that finds, by index, the rows with at least so many of a query''s terms.';

-- Whether anything of a tenant is hidden at all. Where nothing is, a statement need not ask for each row: that alone
-- would be half the cost of a small recall.
create or replace function demystify_memory.hides_something(p_tenant text) returns boolean
language plpgsql stable security definer  -- the work lists are the engine's alone
set search_path = ''
set jit = off
set enable_seqscan = off
as $$
begin
  return exists (select from demystify_memory.open_erasure o where o.tenant_key = p_tenant)
      or exists (select from demystify_memory.restriction_in_force r where r.tenant_key = p_tenant);
end
$$;
comment on function demystify_memory.hides_something is 'Whether an open erasure or a restriction of this tenant hides rows.';

-- The statements over one table: in each, $1 is the tenant, $2 the persons, $3 the filter. The tenant is compared as an
-- expression wherever the terms are to be found by index: the hash of a term covers the tenant already, and an index
-- that leads with the tenant would be taken instead, and read all of it.
create or replace function demystify_memory.recall_statement(p_table text, p_form text) returns text
language plpgsql immutable
set search_path = ''
as $sql$
begin
  return case p_form
    when 'about' then case p_table when 'memory' then $$((r.subject_hash = any($2) or (r.also_hashes <> '{}' and r.also_hashes && $2))) and $$ else $$r.subject_hashes && $2 and $$ end
    when 'filter' then case p_table
      when 'memory' then $$(($3->'kinds' is null or r.kind = any(array(select jsonb_array_elements_text($3->'kinds'))))
          and ($3->'metadata' is null or r.metadata @> ($3->'metadata'))
          and ($3->'where' is null or demystify_memory.metadata_matches(r.metadata, $3->'where'))
          and ($3->'createdFrom' is null or r.created_at >= ($3->>'createdFrom')::timestamptz)
          and ($3->'createdTo' is null or r.created_at < ($3->>'createdTo')::timestamptz)) and (($3->'capturedFrom' is null or r.captured_at >= ($3->>'capturedFrom')::timestamptz)
          and ($3->'capturedTo' is null or r.captured_at < ($3->>'capturedTo')::timestamptz)) and $$
      else $$(($3->'kinds' is null or r.kind = any(array(select jsonb_array_elements_text($3->'kinds'))))
          and ($3->'metadata' is null or r.metadata @> ($3->'metadata'))
          and ($3->'where' is null or demystify_memory.metadata_matches(r.metadata, $3->'where'))
          and ($3->'createdFrom' is null or r.created_at >= ($3->>'createdFrom')::timestamptz)
          and ($3->'createdTo' is null or r.created_at < ($3->>'createdTo')::timestamptz)) and ((r.derived_id is not null and $3->'capturedFrom' is null and $3->'capturedTo' is null)) and $$ end
    when 'visible' then case p_table when 'memory' then $$((r.expires_at is null or r.expires_at > statement_timestamp())
        and r.memory_id not in (select h.id from demystify_memory.hidden_items($1) h(id))
        and r.subject_hash not in (select demystify_memory.restricted_subjects($1))
        and (r.also_hashes = '{}' or not r.also_hashes && array(select demystify_memory.restricted_subjects($1))))$$ else $$((r.expires_at is null or r.expires_at > statement_timestamp())
        and r.derived_id not in (select h.id from demystify_memory.hidden_items($1) h(id))
        and not r.subject_hashes && array(select demystify_memory.restricted_subjects($1)))$$ end
    when 'unexpired' then $$((r.expires_at is null or r.expires_at > statement_timestamp()))$$
    when 'by terms' then format('demystify_memory.%I r where r.tenant_key || %L = $1', p_table, '')
    when 'of tenant' then format('demystify_memory.%I r where r.tenant_key = $1', p_table)
    when 'of person' then case p_table
      when 'memory' then $$((select one.* from demystify_memory.memory one where one.tenant_key = $1 and one.subject_hash = any($2) offset 0)
          union all
          (select one.* from demystify_memory.memory one
            where one.tenant_key || '' = $1 and one.also_hashes <> '{}' and one.also_hashes && $2 and one.subject_hash <> all($2) offset 0)) r where true$$ else $$(select one.* from demystify_memory.derived one where one.tenant_key || '' = $1 and one.subject_hashes && $2 offset 0) r where true$$ end
    -- The newest rows, read by the index on time: the inner statement leaves the planner nothing else to go by.
    when 'newest' then format('(select * from demystify_memory.%1$I n where n.tenant_key = $1 order by n.created_at desc, n.%1$s_id desc limit %%s) r where true', p_table)
  end;
end
$sql$;
comment on function demystify_memory.recall_statement is 'The parts that the statements of a ranking are made of.';

-- Holds only what is asked for: planning conditions that narrow nothing takes as long as a small recall does.
-- p_hidden_too: expiry apart, everything passes, and the caller looks whether a hit is hidden.
create or replace function demystify_memory.passes_expression(
  p_tenant text, p_table text, p_subjects text[], p_filter jsonb, p_hidden_too boolean default false
) returns text
language plpgsql stable
set search_path = ''
as $$
begin
  return case when p_subjects is not null then demystify_memory.recall_statement(p_table, 'about') else '' end
      || case when p_filter - 'include' <> '{}' then demystify_memory.recall_statement(p_table, 'filter') else '' end
      || demystify_memory.recall_statement(p_table, case when not p_hidden_too and demystify_memory.hides_something(p_tenant)
                                                        then 'visible' else 'unexpired' end);
end
$$;
comment on function demystify_memory.passes_expression is 'SQL for whether the row r of a table passes the filters of a recall and may be shown.';

create or replace function demystify_memory.rows_of(p_table text) returns float8
language sql stable
set search_path = ''
as $$
  select greatest(1000, sum(greatest(c.reltuples, 0)))::float8
    from pg_catalog.pg_class c
   where c.oid = format('demystify_memory.%I', p_table)::regclass
      or c.oid in (select i.inhrelid from pg_catalog.pg_inherits i
                    where i.inhparent = format('demystify_memory.%I', p_table)::regclass)
$$;
comment on function demystify_memory.rows_of is 'About how many rows a table has, all tenants together.';

-- How the rows of one table are to be looked at. person: few rows are about the persons asked for, and all are read.
-- terms: the tenant is small, and all rows with any term are. tiers: neither.
create or replace function demystify_memory.recall_way(p_tenant text, p_table text, p_subjects text[]) returns text
language plpgsql stable security definer  -- the caller reads no base table
set search_path = ''
set jit = off
set enable_seqscan = off
as $$
declare
  v_few constant int := demystify_memory.few_rows();
  v_rows int;
begin
  if p_subjects is not null and demystify_memory.are_few(p_tenant, p_table, p_subjects) then
    return 'person';
  end if;
  if p_table = 'memory' then
    select count(*) into v_rows from (select from demystify_memory.memory m where m.tenant_key = p_tenant limit v_few + 1) x;
  else
    select count(*) into v_rows from (select from demystify_memory.derived d where d.tenant_key = p_tenant limit v_few + 1) x;
  end if;
  return case when v_rows = 0 then 'empty' when v_rows <= v_few then 'terms' else 'tiers' end;
end
$$;
comment on function demystify_memory.recall_way is 'How a ranking by terms goes about one table: person, terms, tiers or empty.';

-- One table of a large tenant: the best p_need of the rows with p_least to p_most of the terms. Where rows of one tier are
-- frequent among the newest they are met soon by walking back in time; where they are rare the index finds them all.
-- p_seen: how many of the p_window newest rows belong to the tier.
create or replace function demystify_memory.recall_tier(
  p_tenant text, p_table text, p_hashes bigint[], p_terms int[], p_subjects text[], p_filter jsonb,
  p_counts int[], p_window int, p_seen int, p_least int, p_most int, p_need int, p_hidden_too boolean,
  out ids uuid[], out at timestamptz[], out held int[], out looked bigint
)
language plpgsql stable security definer  -- the caller reads no base table
set search_path = ''
set jit = off
set enable_seqscan = off
as $$
declare
  v_passes text := demystify_memory.passes_expression(p_tenant, p_table, p_subjects, p_filter, p_hidden_too);
  v_found  text := demystify_memory.found_expression(p_hashes, p_terms);
  v_rarest int[] := array(select u.n - 1 from unnest(p_counts) with ordinality u(c, n) order by u.c, u.n);
  v_plan   record := demystify_memory.tier_plan(
    array(select c from unnest(p_counts) c order by c), p_window, demystify_memory.rows_of(p_table), p_least);
  -- Rows to walk over before enough are met; a range of tiers is not in the order of time.
  v_walk   float8 := case when p_least = p_most then p_need * p_window / greatest(p_seen, 0.3) else 'Infinity' end;
begin
  if v_walk < v_plan.estimate then
    execute format(
      $sql$select array_agg(w.id order by w.created_at desc, w.id desc), array_agg(w.created_at order by w.created_at desc, w.id desc),
               array_agg(w.found order by w.created_at desc, w.id desc), count(*)
          from (select r.%1$s_id as id, r.created_at, %2$s as found from %3$s and %2$s = %4$s and %5$s
                 order by r.created_at desc, r.%1$s_id desc limit %6$s) w$sql$,
      p_table, v_found, format(demystify_memory.recall_statement(p_table, 'newest'), (3 * v_walk + 1000)::bigint),
      p_least, v_passes, p_need)
      into ids, at, held, looked using p_tenant, p_subjects, p_filter;
    if looked = p_need then
      return;
    end if;
  end if;
  execute format(
    $sql$select array_agg(w.id order by w.found desc, w.created_at desc, w.id desc),
             array_agg(w.created_at order by w.found desc, w.created_at desc, w.id desc),
             array_agg(w.found order by w.found desc, w.created_at desc, w.id desc), coalesce(max(w.looked), 0)
        from (select x.*, count(*) over () as looked
                from (select r.%1$s_id as id, r.created_at, %2$s as found from %3$s and %4$s and %5$s) x
               where x.found between %6$s and %7$s
               order by x.found desc, x.created_at desc, x.id desc limit %8$s) w$sql$,
    p_table, v_found, demystify_memory.recall_statement(p_table, 'by terms'),
    demystify_memory.tier_condition(p_hashes, p_terms, v_rarest, p_least, v_plan.chosen), v_passes, p_least, p_most, p_need)
    into ids, at, held, looked using p_tenant, p_subjects, p_filter;
end
$$;
comment on function demystify_memory.recall_tier is 'The newest rows of one table that hold so many of a query''s terms.';

-- What is known of one table to begin with. person, terms: every row with a term is looked at, and the best p_limit are
-- kept. tiers: the newest thousand rows of the table, with how many of these hold each term.
create or replace function demystify_memory.recall_known(
  p_tenant text, p_table text, p_way text, p_hashes bigint[], p_terms int[], p_subjects text[], p_filter jsonb,
  p_limit int, p_hidden_too boolean,
  out ids uuid[], out at timestamptz[], out held int[], out counts int[], out looked bigint
)
language plpgsql stable security definer  -- the caller reads no base table
set search_path = ''
set jit = off
set enable_seqscan = off
as $$
declare
  v_window constant int := greatest(1, demystify_memory.few_rows() / 5);
  v_passes text := demystify_memory.passes_expression(p_tenant, p_table, p_subjects, p_filter, p_hidden_too);
  v_found  text := demystify_memory.found_expression(p_hashes, p_terms);
begin
  if p_way = 'tiers' then
    execute format(
      $sql$select coalesce(array_agg(w.id order by w.created_at desc, w.id desc) filter (where w.passes and w.found > 0), '{}'),
                  array_agg(w.created_at order by w.created_at desc, w.id desc) filter (where w.passes and w.found > 0),
                  array_agg(w.found order by w.created_at desc, w.id desc) filter (where w.passes and w.found > 0),
                  array[%5$s], count(*)
             from (select r.%1$s_id as id, r.created_at, r.term_hashes, %2$s as found, %3$s as passes from %4$s) w$sql$,
      p_table, v_found, v_passes, format(demystify_memory.recall_statement(p_table, 'newest'), v_window),
      (select string_agg(format('count(*) filter (where w.term_hashes && %L::bigint[])', g.hashes::text), ', ' order by g.term)
         from (select q.term, array_agg(q.hash) as hashes from unnest(p_hashes, p_terms) q(hash, term) group by q.term) g))
      into ids, at, held, counts, looked using p_tenant, p_subjects, p_filter;
    return;
  end if;
  execute format(
    $sql$select coalesce(array_agg(w.id order by w.found desc, w.created_at desc, w.id desc), '{}'),
                array_agg(w.created_at order by w.found desc, w.created_at desc, w.id desc),
                array_agg(w.found order by w.found desc, w.created_at desc, w.id desc), coalesce(max(w.looked), 0)
           from (select x.*, count(*) over () as looked
                   from (select r.%1$s_id as id, r.created_at, %2$s as found
                           from %3$s and r.term_hashes && %4$L::bigint[] and %5$s) x
                  order by x.found desc, x.created_at desc, x.id desc limit %6$s) w$sql$,
    p_table, v_found,
    demystify_memory.recall_statement(p_table, case p_way when 'person' then 'of person' else 'by terms' end),
    p_hashes::text, v_passes, p_limit)
    into ids, at, held, looked using p_tenant, p_subjects, p_filter;
end
$$;
comment on function demystify_memory.recall_known is 'The rows of one table that a ranking by terms begins with.';

create or replace function demystify_memory.recall_lexical(
  p_tenant text, p_hashes bigint[], p_terms int[], p_subjects text[], p_keys jsonb, p_filter jsonb, p_limit int, p_min_score float8
) returns text
language plpgsql stable security definer  -- the caller reads no base table
set search_path = ''
set jit = off
set enable_seqscan = off
as $$
declare
  v_total    int := (select count(distinct t) from unnest(p_terms) t);
  v_floor    int := (select min(k) from generate_series(1, v_total) k where k::float8 / v_total >= p_min_score);
  v_level    int := v_total;
  v_least    int;
  v_need     int;
  v_way      text;
  v_ways     jsonb := '{}';
  v_table    text;
  v_first    int := 1;
  v_memory   record;
  v_derived  record;
  v_known    record;
  v_tier     record;
  v_kinds    text[] := '{}';
  v_ids      uuid[] := '{}';
  v_found    int[] := '{}';
  v_of_kinds text[];
  v_of_ids   uuid[];
  v_of_at    timestamptz[];
  v_of_found int[];
  v_looked   bigint := 0;
  v_partial  boolean := false;
  v_lazy     boolean;
begin
  perform demystify_memory.assert_tenant(p_tenant, false);
  perform demystify_memory.assert_keys(p_tenant, p_keys);
  foreach v_table in array array['memory', 'derived'] loop
    v_way := case when p_filter->>'include' is null or p_filter->>'include' = case v_table when 'memory' then 'memories' else 'derived' end
                  then demystify_memory.recall_way(p_tenant, v_table, p_subjects) else 'empty' end;
    -- A query that long is not taken apart into tiers.
    v_way := case when v_way = 'tiers' and v_total > 64 then 'terms' else v_way end;
    v_ways := v_ways || jsonb_build_object(v_table, v_way);
    v_partial := v_partial or v_way = 'tiers';
  end loop;
  -- In a large tenant nobody asks of each row whether it is hidden, only of the hits: if none is, the ranking is what it
  -- would be without the hidden rows. Restrictions hide by person, so that with one in force each row is asked.
  v_lazy := v_partial and not exists (select from demystify_memory.restriction_in_force r where r.tenant_key = p_tenant);

  <<ranking>>
  loop
    v_level := v_total;
    v_first := 1;
    v_looked := 0;
    v_kinds := '{}';
    v_ids := '{}';
    v_found := '{}';
    foreach v_table in array array['memory', 'derived'] loop
      v_way := v_ways->>v_table;
      if v_way = 'empty' then
        select '{}'::uuid[] as ids, '{}'::timestamptz[] as at, '{}'::int[] as held, null::int[] as counts, 0::bigint as looked into v_known;
      else
        v_known := demystify_memory.recall_known(p_tenant, v_table, v_way, p_hashes, p_terms, p_subjects, p_filter, p_limit, v_lazy);
      end if;
      v_looked := v_looked + v_known.looked;
      if v_way = 'tiers' then
        -- Tiers with few rows between them are asked for in one go, down to where there are a thousand.
        v_first := greatest(v_first, (
          select coalesce(min(k), v_total) from generate_series(v_floor, v_total) k
           where (demystify_memory.tier_plan(array(select c from unnest(v_known.counts) c order by c), v_known.looked::int,
                                             demystify_memory.rows_of(v_table), k)).estimate <= 1000));
      end if;
      if v_table = 'memory' then v_memory := v_known; else v_derived := v_known; end if;
    end loop;

    while v_level >= v_floor and cardinality(v_ids) < p_limit loop
      v_need := p_limit - cardinality(v_ids);
      v_least := case
        when not v_partial then v_floor
        when v_level = v_total then v_first
        else v_level end;
      v_of_kinds := '{}';
      v_of_ids := '{}';
      v_of_at := '{}';
      v_of_found := '{}';
      foreach v_table in array array['memory', 'derived'] loop
        if v_table = 'memory' then v_known := v_memory; else v_known := v_derived; end if;
        if v_ways->>v_table <> 'tiers'
           or v_least = v_level and (select count(*) from unnest(v_known.held) f where f = v_level) >= v_need then
          v_tier := v_known;
        else
          v_tier := demystify_memory.recall_tier(
            p_tenant, v_table, p_hashes, p_terms, p_subjects, p_filter, v_known.counts, v_known.looked::int,
            (select count(*) from unnest(v_known.held) f where f = v_level)::int, v_least, v_level, v_need, v_lazy);
          v_looked := v_looked + v_tier.looked;
        end if;
        v_of_kinds := v_of_kinds || array_fill(v_table, array[coalesce(cardinality(v_tier.ids), 0)]);
        v_of_ids := v_of_ids || v_tier.ids;
        v_of_at := v_of_at || v_tier.at;
        v_of_found := v_of_found || v_tier.held;
      end loop;
      select v_kinds || coalesce(array_agg(t.kind order by t.found desc, t.at desc, t.id desc), '{}'),
             v_ids || coalesce(array_agg(t.id order by t.found desc, t.at desc, t.id desc), '{}'),
             v_found || coalesce(array_agg(t.found order by t.found desc, t.at desc, t.id desc), '{}')
        into v_kinds, v_ids, v_found
        from (select * from unnest(v_of_kinds, v_of_ids, v_of_at, v_of_found) u(kind, id, at, found)
               where u.found between v_least and v_level
               order by u.found desc, u.at desc, u.id desc limit v_need) t;
      v_level := v_least - 1;
    end loop;
    exit ranking when not v_lazy or not exists (
      select from unnest(v_ids) u(id) where u.id in (select h.id from demystify_memory.hidden_items(p_tenant) h(id)));
    v_lazy := false;
  end loop ranking;

  return json_build_object(
    'hits', demystify_memory.hits_json(p_tenant, v_kinds, v_ids, array(
      select f.found::float8 / v_total from unnest(v_found) with ordinality f(found, place) order by f.place)),
    'coverage', jsonb_build_object(
      'considered', v_looked,
      'skippedNoVector', 0, 'skippedDimension', 0,
      'skippedNoTerms', demystify_memory.skipped_no_terms(p_tenant, p_subjects, p_filter),
      'truncated', false) || case when v_partial then '{"partial": true}' else '{}' end::jsonb)::text;
end
$$;
comment on function demystify_memory.recall_lexical is 'Rows by the fraction of query terms they hold, best first, with coverage.';

-- Ranking by terms that are weighted by how rare they are: BM25 with what the index knows. It holds each term of a row
-- once, so that how often a row repeats a term does not count, and rows are not weighed by their length.
--
-- A term's weight is ln(1 + (n - df + 0.5) / (df + 0.5)), where n is the number of rows that hold any of the terms and df
-- of those that hold this one, both among the rows that pass the filters: nothing that is hidden has a say. The score is
-- the share of the query's weight that a row holds. Weights are whole millionths, so that every store adds them up alike.
create or replace function demystify_memory.recall_bm25(
  p_tenant text, p_hashes bigint[], p_terms int[], p_subjects text[], p_keys jsonb, p_filter jsonb, p_limit int, p_min_score float8
) returns text
language plpgsql stable security definer  -- the caller reads no base table
set search_path = ''
set jit = off
set enable_seqscan = off
as $$
declare
  v_table   text;
  v_way     text;
  v_parts   text[] := '{}';
  v_looked  bigint := 0;
  v_kinds   text[] := '{}';
  v_ids     uuid[] := '{}';
  v_scores  float8[] := '{}';
begin
  perform demystify_memory.assert_tenant(p_tenant, false);
  perform demystify_memory.assert_keys(p_tenant, p_keys);
  foreach v_table in array array['memory', 'derived'] loop
    continue when p_filter->>'include' <> case v_table when 'memory' then 'memories' else 'derived' end;
    v_way := demystify_memory.recall_way(p_tenant, v_table, p_subjects);
    v_parts := v_parts || format(
      $sql$select %1$L::text as kind, r.%1$s_id as id, r.created_at,
                  array(select distinct q.term from unnest($4::bigint[], $5::int[]) q(hash, term) where q.hash = any(r.term_hashes)) as terms
             from %2$s and r.term_hashes && $4 and %3$s$sql$,
      v_table,
      demystify_memory.recall_statement(v_table, case v_way when 'person' then 'of person' else 'by terms' end),
      demystify_memory.passes_expression(p_tenant, v_table, p_subjects, p_filter));
  end loop;
  execute format(
    $sql$with candidates as materialized (%s), held as (
           select t.term, count(*) as df from candidates c, unnest(c.terms) t(term) group by t.term
         ), weights as materialized (
           select t.term,
                  greatest(1, floor(0.5 + 1000000 * ln(1 + (n.rows - coalesce(h.df, 0) + 0.5::float8) / (coalesce(h.df, 0) + 0.5::float8))))::bigint as weight
             from (select distinct term from unnest($5) u(term)) t
             cross join (select count(*)::float8 as rows from candidates) n
             left join held h on h.term = t.term
         ), scored as (
           select c.kind, c.id, c.created_at,
                  (select sum(w.weight) from weights w where w.term = any(c.terms))::float8 / (select sum(w.weight) from weights w)::float8 as score
             from candidates c
         ), best as (
           select * from scored s where s.score >= $7 order by s.score desc, s.created_at desc, s.id desc limit $6
         )
         select array_agg(b.kind order by b.score desc, b.created_at desc, b.id desc),
                array_agg(b.id order by b.score desc, b.created_at desc, b.id desc),
                array_agg(b.score order by b.score desc, b.created_at desc, b.id desc),
                (select count(*) from candidates)
           from best b$sql$, array_to_string(v_parts, ' union all '))
    into v_kinds, v_ids, v_scores, v_looked using p_tenant, p_subjects, p_filter, p_hashes, p_terms, p_limit, p_min_score;
  return json_build_object(
    'hits', demystify_memory.hits_json(p_tenant, v_kinds, v_ids, v_scores),
    'coverage', json_build_object(
      'considered', v_looked,
      'skippedNoVector', 0, 'skippedDimension', 0,
      'skippedNoTerms', demystify_memory.skipped_no_terms(p_tenant, p_subjects, p_filter),
      'truncated', false))::text;
end
$$;
comment on function demystify_memory.recall_bm25 is 'Rows by the share of the query''s weight they hold, rare terms weighing most, with coverage.';

-- Ranking by vectors. Exact within the tenant, and written so that no index on vectors can be used: a shared HNSW index
-- with a tenant filter silently loses nearly everything, and the planner takes it unasked. A tenant with a great many
-- vectors may be given a partial index of its own (ensureVectorIndex); it is named in the statement, or not used.

create or replace function demystify_memory.vector_schema() returns text
language sql stable
set search_path = ''
as $$
  select n.nspname::text from pg_catalog.pg_extension e join pg_catalog.pg_namespace n on n.oid = e.extnamespace
   where e.extname = 'vector'
$$;
comment on function demystify_memory.vector_schema is 'The schema pgvector is installed in, or null.';

create or replace function demystify_memory.vector_index_name(p_tenant text, p_table text, p_dimensions int, p_kind text) returns text
language plpgsql immutable
set search_path = ''
as $$
begin
  return format('%s_vector_%s_%s_%s', p_table, left(encode(sha256(convert_to(p_tenant, 'UTF8')), 'hex'), 20), p_dimensions,
                case p_kind when 'hnsw-halfvec' then 'half' else 'full' end);
end
$$;
comment on function demystify_memory.vector_index_name is 'What the index of one tenant''s vectors of one length is called.';

-- state: valid; invalid (a build that did not end); sampled (planner statistics were collected on it, and hold vectors).
create or replace function demystify_memory.vector_indexes(p_tenant text)
returns table (name text, relation text, kind text, dimensions int, state text, vectors bigint)
language sql stable security definer  -- statistics are shown to the owner alone
set search_path = ''
as $$
  select i.relname::text, split_part(i.relname, '_', 1),
         case when i.relname like '%\_half' then 'hnsw-halfvec' else 'hnsw' end,
         substring(i.relname from '_(\d+)_(?:half|full)$')::int,
         case when not x.indisvalid or not x.indisready then 'invalid'
              when exists (select from pg_catalog.pg_stats s where s.schemaname = 'demystify_memory' and s.tablename = i.relname)
                or exists (select from pg_catalog.pg_attribute a where a.attrelid = i.oid and coalesce(a.attstattarget, -1) <> 0) then 'sampled'
              else 'valid' end,
         greatest(i.reltuples, 0)::bigint
    from pg_catalog.pg_index x
    join pg_catalog.pg_class i on i.oid = x.indexrelid
    join pg_catalog.pg_class c on c.oid = x.indrelid
    join pg_catalog.pg_am m on m.oid = i.relam
   where i.relnamespace = 'demystify_memory'::regnamespace and c.relname ~ '^(memory|derived)(_\d+)?$' and m.amname = 'hnsw'
     and i.relname ~ '^(memory|derived)_vector_[0-9a-f]{20}_\d+_(half|full)$'
     and (p_tenant is null or split_part(i.relname, '_', 3) = left(encode(sha256(convert_to(p_tenant, 'UTF8')), 'hex'), 20))
$$;
comment on function demystify_memory.vector_indexes is 'The indexes on one tenant''s vectors, or on everybody''s, and whether they can be used.';

-- Names of indexes do not say whose they are.
create or replace function demystify_memory.list_vector_indexes() returns text
language sql stable
set search_path = ''
as $$
  select coalesce(json_agg(json_build_object('name', x.name, 'table', x.relation, 'kind', x.kind,
                                             'dimensions', x.dimensions, 'state', x.state) order by x.name), '[]')::text
    from demystify_memory.vector_indexes(null) x
$$;
comment on function demystify_memory.list_vector_indexes is 'Every index on vectors, as the library reads it.';

-- The table in which the rows of a tenant lie: the partition, where the tables have some.
create or replace function demystify_memory.table_of_tenant(p_tenant text, p_table text) returns text
language sql stable
set search_path = ''
as $$
  select coalesce(max(c.relname::text), p_table)
    from pg_catalog.pg_inherits i
    join pg_catalog.pg_class c on c.oid = i.inhrelid,
    lateral pg_catalog.pg_get_expr(c.relpartbound, c.oid) b(bound)
   where i.inhparent = format('demystify_memory.%I', p_table)::regclass
     and pg_catalog.satisfies_hash_partition(
           i.inhparent, substring(b.bound from 'modulus (\d+)')::int, substring(b.bound from 'remainder (\d+)')::int, p_tenant)
$$;
comment on function demystify_memory.table_of_tenant is 'The table, or the partition of it, that holds the rows of a tenant.';

-- The vectors of one table that are compared: with the tenant's own index those nearest, else all that pass the filters,
-- found by the persons where some are asked for.
-- $1 the tenant, $2 the persons, $3 the filter, $4 the query, $5 how many are wanted.
create or replace function demystify_memory.vector_statement(
  p_tenant text, p_table text, p_schema text, p_dimensions int, p_index_kind text, p_subjects text[], p_filter jsonb
) returns text
language plpgsql stable
set search_path = ''
as $$
begin
  return case when p_index_kind is null then format(
    $sql$select %1$L::text as kind, r.%1$s_id as id, r.created_at, r.dimensions,
                case when r.dimensions = %3$s then r.embedding::%2$I.vector(%3$s) operator(%2$I.<=>) $4::%2$I.vector(%3$s) end as distance
           from %5$s and %4$s$sql$,
    p_table, p_schema, p_dimensions, demystify_memory.passes_expression(p_tenant, p_table, p_subjects, p_filter),
    demystify_memory.recall_statement(p_table, case when p_subjects is not null then 'of person' else 'of tenant' end))
  else format(
    $sql$(select %1$L::text as kind, n.id, n.created_at, %3$s as dimensions, n.embedding::%2$I.vector(%3$s) operator(%2$I.<=>) $4::%2$I.vector(%3$s) as distance
            from (select r.%1$s_id as id, r.created_at, r.embedding
                    from demystify_memory.%1$I r
                   where r.tenant_key = %4$L and r.dimensions = %3$s and %5$s
                   order by (r.embedding::%2$I.%6$s(%3$s)) operator(%2$I.<=>) $4::%2$I.%6$s(%3$s)
                   limit %7$s) n)$sql$,
    p_table, p_schema, p_dimensions, p_tenant, demystify_memory.passes_expression(p_tenant, p_table, p_subjects, p_filter),
    case p_index_kind when 'hnsw-halfvec' then 'halfvec' else 'vector' end,
    -- Half the precision: twice as many are fetched, and put in order by the whole vectors.
    case p_index_kind when 'hnsw-halfvec' then '2 * $5 + 20' else '$5' end) end;
end
$$;
comment on function demystify_memory.vector_statement is 'SQL for the vectors of one table that a recall compares with the query.';

-- How an index on vectors is searched: goes on while the filters refuse what it finds, and far enough to miss little.
-- Answers false, and sets nothing, where pgvector is too old to go on.
create or replace function demystify_memory.search_far(p_limit int) returns boolean
language plpgsql stable
set search_path = ''
as $$
declare
  v_schema text := demystify_memory.vector_schema();
begin
  -- A session knows the settings of pgvector once its library is loaded, by the first value of its type.
  execute format('select ''[1]''::%I.vector', v_schema);
  if not exists (select from pg_catalog.pg_settings s where s.name = 'hnsw.iterative_scan') then
    return false;
  end if;
  perform set_config('hnsw.iterative_scan', 'strict_order', true),
          set_config('hnsw.ef_search', least(1000, greatest(200, 4 * p_limit))::text, true);
  return true;
end
$$;
comment on function demystify_memory.search_far is 'Sets how an index on vectors is searched, for this transaction.';

-- With the index of the tenant the planner must take it, and not sort what another one finds.
create or replace function demystify_memory.compare_vectors(
  p_tenant text, p_embedding text, p_dimensions int, p_subjects text[], p_filter jsonb, p_limit int, p_min_score float8,
  p_memory_index text, p_derived_index text,
  out kinds text[], out ids uuid[], out scores float8[], out coverage json, out memories bigint, out derived bigint
)
language plpgsql stable security definer  -- the caller reads no base table
set search_path = ''
set jit = off
set enable_seqscan = off
set enable_sort = off
as $$
declare
  v_schema text := demystify_memory.vector_schema();
  v_parts  text[] := '{}';
begin
  if p_filter->>'include' is distinct from 'derived' then
    v_parts := v_parts || demystify_memory.vector_statement(p_tenant, 'memory', v_schema, p_dimensions, p_memory_index, p_subjects, p_filter);
  end if;
  if p_filter->>'include' is distinct from 'memories' then
    v_parts := v_parts || demystify_memory.vector_statement(p_tenant, 'derived', v_schema, p_dimensions, p_derived_index, p_subjects, p_filter);
  end if;
  execute format(
    $sql$with scored as materialized (%s), best as (
           select s.kind, s.id, s.created_at, 1 - s.distance as score
             from scored s
            where 1 - s.distance > 0 and 1 - s.distance < 'Infinity' and 1 - s.distance >= $6
            order by 1 - s.distance desc, s.created_at desc, s.id desc limit $5
         ), looked as (
           select count(*) filter (where s.dimensions = %2$s) as considered, count(*) as eligible,
                  count(*) filter (where s.dimensions is null) as no_vector,
                  count(*) filter (where s.dimensions <> %2$s) as other_length,
                  count(*) filter (where s.kind = 'memory') as memories, count(*) filter (where s.kind = 'derived') as derived
             from scored s
         )
         select b.kinds, b.ids, b.scores,
                json_build_object('considered', l.considered, 'eligible', l.eligible, 'skippedNoVector', l.no_vector,
                                  'skippedDimension', l.other_length, 'skippedNoTerms', 0, 'truncated', false), l.memories, l.derived
           from looked l
          cross join (select array_agg(b.kind order by b.score desc, b.created_at desc, b.id desc) as kinds,
                             array_agg(b.id order by b.score desc, b.created_at desc, b.id desc) as ids,
                             array_agg(b.score order by b.score desc, b.created_at desc, b.id desc) as scores from best b) b$sql$,
    array_to_string(v_parts, ' union all '), p_dimensions)
    into kinds, ids, scores, coverage, memories, derived
    using p_tenant, p_subjects, p_filter, p_embedding, p_limit, p_min_score;
end
$$;
comment on function demystify_memory.compare_vectors is 'The rows nearest to a vector, best first, and what was compared.';

create or replace function demystify_memory.recall_vector(
  p_tenant text, p_embedding text, p_dimensions int, p_subjects text[], p_keys jsonb, p_filter jsonb, p_limit int, p_min_score float8
) returns text
language plpgsql stable security definer  -- the caller reads no base table
set search_path = ''
set jit = off
as $$
declare
  -- Below this many vectors the exact search is fast, and misses nothing.
  v_exact   int := coalesce(nullif(current_setting('demystify_memory.exact_vectors', true), '')::int, 20000);
  v_memory  text;
  v_derived text;
  v_before  text[];
  v_found   record;
begin
  perform demystify_memory.assert_tenant(p_tenant, false);
  perform demystify_memory.assert_keys(p_tenant, p_keys);
  -- Looked up by name first: most tenants have none, and reading the catalogs takes as long as a small recall.
  if p_subjects is null and exists (
    select from unnest(array['memory', 'derived']) t, unnest(array['hnsw', 'hnsw-halfvec']) k
     where to_regclass('demystify_memory.' || demystify_memory.vector_index_name(p_tenant, t, p_dimensions, k)) is not null) then
    select max(x.kind) filter (where x.relation = 'memory'), max(x.kind) filter (where x.relation = 'derived')
      into v_memory, v_derived
      from demystify_memory.vector_indexes(p_tenant) x
     where x.dimensions = p_dimensions and x.state = 'valid' and x.vectors >= v_exact;
  end if;
  if v_memory is not null or v_derived is not null then
    v_before := array[current_setting('hnsw.iterative_scan', true), current_setting('hnsw.ef_search', true)];
    if demystify_memory.search_far(p_limit) then
      v_found := demystify_memory.compare_vectors(
        p_tenant, p_embedding, p_dimensions, p_subjects, p_filter, p_limit, p_min_score, v_memory, v_derived);
      perform set_config('hnsw.iterative_scan', v_before[1], true), set_config('hnsw.ef_search', v_before[2], true);
      -- An index that ends before the limit has given up among what the filters refuse, or has no more.
      if (v_memory is null or v_found.memories >= p_limit or p_filter->>'include' = 'derived')
         and (v_derived is null or v_found.derived >= p_limit or p_filter->>'include' = 'memories') then
        return json_build_object(
          'hits', demystify_memory.hits_json(p_tenant, v_found.kinds, v_found.ids, v_found.scores),
          'coverage', v_found.coverage::jsonb - 'eligible' || '{"partial": true, "index": "hnsw"}')::text;
      end if;
    end if;
  end if;
  v_found := demystify_memory.compare_vectors(
    p_tenant, p_embedding, p_dimensions, p_subjects, p_filter, p_limit, p_min_score, null, null);
  return json_build_object(
    'hits', demystify_memory.hits_json(p_tenant, v_found.kinds, v_found.ids, v_found.scores),
    'coverage', v_found.coverage)::text;
end
$$;
comment on function demystify_memory.recall_vector is 'Rows by cosine similarity, best first, with coverage. Needs pgvector.';

-- For ranking in the library's process: the newest rows with a comparable vector, up to p_pool of them. What is older
-- than these is not counted, however much there is.
create or replace function demystify_memory.vector_window(
  p_tenant text, p_dimensions int, p_subjects text[], p_keys jsonb, p_filter jsonb, p_pool int
) returns text
language plpgsql stable security definer  -- the caller reads no base table
set search_path = ''
set jit = off
set enable_seqscan = off
as $$
declare
  v_whose constant text := case when p_subjects is null then 'of tenant' else 'of person' end;
  v_rows text := format(
    $sql$((select 'memory' as kind, r.memory_id as id, r.created_at, r.dimensions
             from %s and $3->>'include' is distinct from 'derived' and %s
            order by r.created_at desc, r.memory_id desc)
          union all
          (select 'derived', r.derived_id, r.created_at, r.dimensions
             from %s and $3->>'include' is distinct from 'memories' and %s
            order by r.created_at desc, r.derived_id desc))$sql$,
    demystify_memory.recall_statement('memory', v_whose), demystify_memory.passes_expression(p_tenant, 'memory', p_subjects, p_filter),
    demystify_memory.recall_statement('derived', v_whose), demystify_memory.passes_expression(p_tenant, 'derived', p_subjects, p_filter));
  v_end_at timestamptz;
  v_end_id uuid;
  v_answer json;
begin
  perform demystify_memory.assert_tenant(p_tenant, false);
  perform demystify_memory.assert_keys(p_tenant, p_keys);
  execute format('select x.created_at, x.id from %s x where x.dimensions = $4 order by x.created_at desc, x.id desc offset $5 limit 1', v_rows)
    into v_end_at, v_end_id using p_tenant, p_subjects, p_filter, p_dimensions, p_pool;
  execute format(
    $sql$with walked as materialized (
           select * from %s x where $5::timestamptz is null or (x.created_at, x.id) > ($5, $6)
         )
         select json_build_object(
           'pool', (
             select coalesce(json_agg(json_build_array(p.kind, p.id, p.created_at, to_json(coalesce(m.embedding, d.embedding)))
                                      order by p.created_at desc, p.id desc), '[]')
               from walked p
               left join lateral (select x.embedding from demystify_memory.memory x
                                   where x.tenant_key = $1 and x.memory_id = p.id offset 0) m on p.kind = 'memory'
               left join lateral (select x.embedding from demystify_memory.derived x
                                   where x.tenant_key = $1 and x.derived_id = p.id offset 0) d on p.kind = 'derived'
              where p.dimensions = $4),
           'coverage', (
             select jsonb_build_object(
                      'considered', count(*) filter (where w.dimensions = $4),
                      'skippedNoVector', count(*) filter (where w.dimensions is null),
                      'skippedDimension', count(*) filter (where w.dimensions <> $4),
                      'skippedNoTerms', 0,
                      'truncated', $5 is not null)
                    || case when $5 is null then jsonb_build_object('eligible', count(*)) else '{"partial": true}' end
               from walked w))$sql$, v_rows)
    into v_answer using p_tenant, p_subjects, p_filter, p_dimensions, v_end_at, v_end_id;
  return v_answer::text;
end
$$;
comment on function demystify_memory.vector_window is 'The newest comparable vectors, for ranking outside Postgres, with coverage.';

-- Statements go through the table, whose triggers they fire: none of those fires for a statement that names a partition.
-- So a partition is not written, emptied or read by its own name.
do $partitions$
declare
  v_partition record;
begin
  for v_partition in
    select c.relname::text as name
      from pg_catalog.pg_inherits i
      join pg_catalog.pg_class c on c.oid = i.inhrelid
     where i.inhparent in ('demystify_memory.memory'::regclass, 'demystify_memory.derived'::regclass)
     order by c.oid
  loop
    execute format('alter table demystify_memory.%I enable row level security', v_partition.name);
    execute format('alter table demystify_memory.%I force row level security', v_partition.name);
    execute format('drop trigger if exists %I on demystify_memory.%I', v_partition.name || '_is_not_named', v_partition.name);
    execute format(
      $sql$create trigger %I before insert or update or delete or truncate on demystify_memory.%I
             for each statement execute function demystify_memory.refuse_change(
               'a partition is not written by its own name', 'Name the table: its triggers keep the evidence.')$sql$,
      v_partition.name || '_is_not_named', v_partition.name);
    execute format('alter table demystify_memory.%I enable always trigger %I', v_partition.name, v_partition.name || '_is_not_named');
  end loop;
end
$partitions$;

-- Who may do what. Nothing is for PUBLIC. The functions that no role below is given are the engine's own.

-- p_as: app (everything the library calls), auditor (evidence, read only) or installer. Runs as the engine, because
-- only an owner may grant.
create or replace function demystify_memory.grant_to(p_role text, p_as text) returns void
language plpgsql security definer  -- only the owner of the routines may grant them; only the installer may call this
set search_path = ''
as $$
declare
  v_evidence text[] := array['capabilities', 'verify_install', 'host_tenant', 'erasure_receipt', 'list_erasures',
                             'erasure_history', 'tombstone_covering'];
  v_app      text[] := array['remember_many', 'derive_many', 'set_embeddings', 'rows_without_terms', 'set_terms',
                             'get_memory', 'get_derived', 'list_memories', 'list_derived', 'lineage', 'recall_lexical',
                             'recall_bm25', 'recall_vector', 'vector_window', 'rows_by_id', 'vector_schema',
                             'vector_indexes', 'list_vector_indexes', 'vector_index_name', 'table_of_tenant', 'preview_erasure', 'open_erasure', 'open_erasure_step',
                             'advance_erasure', 'advance_step', 'forget', 'resume', 'record_placement', 'placement_written',
                             'placement_abandoned', 'placement_status', 'register_sink', 'list_sinks', 'outstanding', 'record_attempt',
                             'confirm_placement', 'attest', 'escalate', 'restrict', 'lift_restriction', 'place_hold',
                             'release_hold', 'list_holds', 'expired_memories', 'subjects_with_rows', 'open_correction',
                             'correct', 'covered', 'keys_in_use', 'export_page', 'reconcile_page', 'export_tombstones',
                             'missing_tombstones', 'open_replay', 'uuid_v7'];
  v_installer text[] := array['configure', 'grant_to'];
  v_routines text[];
  v_routine  regprocedure;
begin
  v_routines := case p_as
    when 'auditor' then v_evidence
    when 'app' then v_evidence || v_app
    when 'installer' then v_evidence || v_app || v_installer end;
  if v_routines is null then
    raise exception 'as: must be app, auditor or installer' using errcode = 'ME001';
  end if;
  if p_role in ('anon', 'authenticated') then
    raise exception 'role: is whoever calls the web gateway' using errcode = 'ME001',
      hint = 'These functions act for any tenant they are given. Grant to a role that your own server connects as.';
  end if;
  if not exists (select from pg_catalog.pg_roles r where r.rolname = p_role) then
    raise exception 'role: does not exist in this cluster' using errcode = 'ME001', hint = 'create role … login; then grant again.';
  end if;

  execute format('grant usage on schema demystify_memory to %I', p_role);
  if not pg_catalog.has_schema_privilege(p_role, 'demystify_memory', 'usage') then
    raise exception 'role: could not be given USAGE on the schema' using errcode = 'ME001',
      hint = format('The owner of the schema must run: grant usage on schema demystify_memory to %I;', p_role);
  end if;
  for v_routine in
    select f.oid from pg_catalog.pg_proc f
     where f.pronamespace = 'demystify_memory'::regnamespace and f.proname = any(v_routines)
  loop
    execute format('grant execute on routine %s to %I', v_routine, p_role);
  end loop;

  if p_as in ('app', 'installer') then
    execute format('grant select on demystify_memory.live_memory, demystify_memory.provenance to %I', p_role);
  end if;
  if p_as in ('auditor', 'installer') then
    execute format('grant select on demystify_memory.tombstone, demystify_memory.tombstone_item, demystify_memory.erasure_event,
                                    demystify_memory.schema_migration, demystify_memory.settings, demystify_memory.legal_basis to %I', p_role);
  end if;
  if p_as = 'installer' then
    execute format('grant select, insert, delete on demystify_memory.memory, demystify_memory.derived to %I', p_role);
    execute format('grant insert on demystify_memory.legal_basis to %I', p_role);
  end if;
end
$$;
comment on function demystify_memory.grant_to is 'Gives a role the rights of an app, an auditor or the installer.';

-- Whatever the defaults of the database are: nothing for everybody, now or in later migrations, and nothing for the
-- roles that a web gateway lends to whoever calls it.
do $grants$
declare
  v_role text;
begin
  foreach v_role in array array['public', 'anon', 'authenticated'] loop
    continue when v_role <> 'public' and not exists (select from pg_catalog.pg_roles r where r.rolname = v_role);
    execute format('revoke all on all tables in schema demystify_memory from %s', v_role);
    execute format('revoke all on all routines in schema demystify_memory from %s', v_role);
  end loop;
  if current_setting('demystify_memory.engine') <> current_setting('demystify_memory.installer') then
    -- The engine owns nothing but this schema, so its defaults can be closed without touching anybody else's.
    alter default privileges revoke execute on routines from public;
    perform demystify_memory.grant_to(current_setting('demystify_memory.installer'), 'installer');
  end if;
end
$grants$;

insert into demystify_memory.schema_migration (version, name) values (1, '0001_memory') on conflict do nothing;

-- Back to the installer. What the engine no longer needs is taken back: CREATE on the schema, and the membership.
do $end$
declare
  v_installer text := current_setting('demystify_memory.installer');
  v_engine    text := current_setting('demystify_memory.engine');
  v_role      text;
begin
  execute format('set local role %I', v_installer);
  foreach v_role in array array['public', 'anon', 'authenticated'] loop
    continue when v_role <> 'public' and not exists (select from pg_catalog.pg_roles r where r.rolname = v_role);
    execute format('revoke all on schema demystify_memory from %s', v_role);
  end loop;
  if v_engine <> v_installer then
    if pg_catalog.pg_get_userbyid((select n.nspowner from pg_catalog.pg_namespace n where n.nspname = 'demystify_memory')) = v_installer then
      execute format('grant usage on schema demystify_memory to %I', v_installer);
    end if;
    execute format('revoke create on schema demystify_memory from %I cascade', v_engine);
    if current_setting('demystify_memory.membership') = 'granted' then
      execute format('revoke %I from %I', v_engine, v_installer);
    end if;
  end if;
end
$end$;

-- pgvector is used where it can be had, and never required.
do $vector$
begin
  if not exists (select from pg_catalog.pg_extension where extname = 'vector')
     and exists (select from pg_catalog.pg_available_extensions where name = 'vector') then
    create extension vector;
  end if;
exception when others then
  raise notice 'pgvector was not installed here (%); vectors are ranked in the library''s process', sqlstate;
end
$vector$;

commit;
