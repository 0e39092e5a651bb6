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
