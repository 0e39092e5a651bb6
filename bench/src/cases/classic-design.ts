/** The classic design of provenance, to compare with: an edge table with its foreign keys, and a deferred trigger. */
export const CLASSIC = `
  drop table if exists raw.classic_edge, raw.classic_derived, raw.classic_memory cascade;
  create table raw.classic_memory (tenant_key text, memory_id uuid, text text, primary key (tenant_key, memory_id));
  create table raw.classic_derived (like demystify_memory.derived including defaults including generated including storage,
    primary key (tenant_key, derived_id));
  alter table raw.classic_derived drop column source_memories, drop column source_derived;
  create index on raw.classic_derived (tenant_key, created_at desc, derived_id desc);
  create index on raw.classic_derived using gin (term_hashes) with (fastupdate = off);
  create table raw.classic_edge (
    tenant_key text not null, derived_id uuid not null, source_memory uuid, source_derived uuid,
    foreign key (tenant_key, derived_id) references raw.classic_derived on delete cascade,
    foreign key (tenant_key, source_memory) references raw.classic_memory (tenant_key, memory_id) deferrable initially deferred,
    foreign key (tenant_key, source_derived) references raw.classic_derived (tenant_key, derived_id) deferrable initially deferred);
  create index on raw.classic_edge (tenant_key, derived_id);
  create index on raw.classic_edge (tenant_key, source_memory);
  create index on raw.classic_edge (tenant_key, source_derived);
  create or replace function raw.classic_has_source() returns trigger language plpgsql as $$ begin
    if not exists (select from raw.classic_edge e where e.tenant_key = new.tenant_key and e.derived_id = new.derived_id) then
      raise exception 'no source';
    end if;
    return null;
  end $$;
  create constraint trigger has_source after insert on raw.classic_derived deferrable initially deferred
    for each row execute function raw.classic_has_source();
  create or replace function raw.classic_derive(p_tenant text, p_texts text[], p_sources text[]) returns void language sql as $$
    with made as (
      select gen_random_uuid() as id, u.t, u.s::uuid[] as s from unnest(p_texts, p_sources) u(t, s)
    ), rows as (
      insert into raw.classic_derived (tenant_key, derived_id, kind, text, term_hashes)
      select p_tenant, id, 'summary', t, array(select hashtextextended(w, 0) from unnest(string_to_array(t, ' ')) w) from made
    )
    insert into raw.classic_edge (tenant_key, derived_id, source_memory)
    select p_tenant, m.id, x from made m, unnest(m.s) x
  $$;`;

/** The rows of one tenant, put there without checks. */
export const FILL_CLASSIC: readonly string[] = [
  "insert into raw.classic_memory select tenant_key, memory_id, text from demystify_memory.memory where tenant_key = $1",
  `insert into raw.classic_derived (tenant_key, derived_id, kind, text, term_hashes, created_at)
   select tenant_key, derived_id, kind, text, term_hashes, created_at from demystify_memory.derived where tenant_key = $1`,
  `insert into raw.classic_edge (tenant_key, derived_id, source_memory, source_derived)
   select d.tenant_key, d.derived_id, m, null from demystify_memory.derived d, unnest(d.source_memories) m where d.tenant_key = $1
   union all
   select d.tenant_key, d.derived_id, null, s from demystify_memory.derived d, unnest(d.source_derived) s where d.tenant_key = $1`,
];

export const CLASSIC_DERIVE = "select raw.classic_derive($1::text, $2::text[], $3::text[])";
