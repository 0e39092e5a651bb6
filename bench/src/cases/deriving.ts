import { alternate, type Variant } from "../measure.js";
import { line, type Line } from "../line.js";
import type { Bench } from "../server.js";
import { messageFrom, randomFrom } from "../words.js";

const BATCH = 1000;
const SOURCES = 6;
const MEMORIES = 20_000;

/** derive against the classic design (an edge table with its keys and a deferred trigger), and against no gate at all. */
export async function deriving({ admin, memory }: Bench, rounds: number): Promise<readonly Line[]> {
  const tenantKey = "bench deriving";
  const random = randomFrom(2);
  const ids: string[] = [];
  for (let at = 0; at < MEMORIES; at += BATCH) {
    const results = await memory.rememberMany(
      Array.from({ length: BATCH }, (_, n) => ({
        tenantKey,
        subjectKey: `person:${String(n % 100)}`,
        text: messageFrom(random),
      })),
    );
    for (const result of results) if ("memory" in result) ids.push(result.memory.memoryId);
  }
  await admin.query(CLASSIC);
  await admin.query(
    "insert into raw.classic_memory select tenant_key, memory_id, text from demystify_memory.memory where tenant_key = $1",
    [tenantKey],
  );
  await admin.query("vacuum analyze");

  const pick = () => {
    const start = Math.floor(random() * (ids.length - 64));
    return [...new Set(Array.from({ length: SOURCES + 1 }, () => ids[start + Math.floor(random() * 64)]!))].slice(
      0,
      SOURCES,
    );
  };
  const inputs = (count: number) =>
    Array.from({ length: count }, () => ({
      tenantKey,
      kind: "summary",
      text: messageFrom(random),
      sources: pick().map((sourceId) => ({ sourceKind: "memory" as const, sourceId })),
    }));
  const arrays = (count: number) => {
    const made = inputs(count);
    return [
      made.map(({ text }) => text),
      made.map(({ sources }) => `{${sources.map(({ sourceId }) => sourceId).join(",")}}`),
    ];
  };
  const ours = (count: number): Variant => ({
    name: "ours",
    prepare: () => {
      const batch = inputs(count);
      return () => memory.deriveMany(batch);
    },
  });
  const classic = (count: number): Variant => ({
    name: "edge table, 3 keys, deferred trigger",
    prepare: () => {
      const params = arrays(count);
      return () => admin.query("select raw.classic_derive($1::text, $2::text[], $3::text[])", [tenantKey, ...params]);
    },
  });
  const ungated = (count: number): Variant => ({
    name: "insert without a gate",
    prepare: () => {
      const params = arrays(count);
      return () => admin.query(UNGATED, [tenantKey, ...params]);
    },
  });
  const batch = await alternate(rounds, [ours(BATCH), classic(BATCH), ungated(BATCH)]);
  const single = await alternate(rounds * 20, [ours(1), ungated(1), classic(1)]);
  return [
    line("deriveMany of 1,000 with 6 sources", batch[0]!, batch[1]!, { per: BATCH, target: "at most 0.8" }),
    line("deriveMany of 1,000 with 6 sources", batch[0]!, batch[2]!, { per: BATCH }),
    line("derive, one at a time", single[0]!, single[1]!, { target: "at most 1.6" }),
    line("derive, one at a time", single[0]!, single[2]!),
  ];
}

const UNGATED = `
  insert into raw.derived (tenant_key, kind, text, source_memories, term_hashes)
  select $1, 'summary', u.t, u.s::uuid[], array(select hashtextextended(w, 0) from unnest(string_to_array(u.t, ' ')) w)
    from unnest($2::text[], $3::text[]) u(t, s)`;

const CLASSIC = `
  create schema if not exists raw;
  drop table if exists raw.derived, raw.classic_edge, raw.classic_derived, raw.classic_memory cascade;
  create table raw.derived (like demystify_memory.derived including defaults including generated including indexes including storage);
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
  create function raw.classic_has_source() returns trigger language plpgsql as $$ begin
    if not exists (select from raw.classic_edge e where e.tenant_key = new.tenant_key and e.derived_id = new.derived_id) then
      raise exception 'no source';
    end if;
    return null;
  end $$;
  create constraint trigger has_source after insert on raw.classic_derived deferrable initially deferred
    for each row execute function raw.classic_has_source();
  create function raw.classic_derive(p_tenant text, p_texts text[], p_sources text[]) returns void language sql as $$
    with made as (
      select gen_random_uuid() as id, u.t, u.s::uuid[] as s from unnest(p_texts, p_sources) u(t, s)
    ), rows as (
      insert into raw.classic_derived (tenant_key, derived_id, kind, text, term_hashes)
      select p_tenant, id, 'summary', t, array(select hashtextextended(w, 0) from unnest(string_to_array(t, ' ')) w) from made
    )
    insert into raw.classic_edge (tenant_key, derived_id, source_memory)
    select p_tenant, m.id, x from made m, unnest(m.s) x
  $$;
`;
