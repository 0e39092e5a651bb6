import type { Memory } from "@demystify/memory";
import type { Sql } from "../stores/store.js";
import { MOST, SHARES, STEEP, WINDOW, rowsOf, type Person } from "./graph-shape.js";
import { HALVES_OF, putHalves, vocabularyOf, type Vocabulary } from "./vocabulary.js";
import { withoutRules } from "./rules.js";

/**
 * Puts persons with their memories, and six levels derived from each, into one tenant with plain SQL. What persons say
 * is interleaved in time, so that the rows of one lie apart. Answers the words of the tenant.
 */
export async function putGraph(
  sql: Sql,
  memory: Memory,
  tenantKey: string,
  persons: readonly Person[],
): Promise<Vocabulary> {
  const vocabulary = await vocabularyOf(memory, sql, tenantKey);
  await putHalves(sql, tenantKey, vocabulary);
  await sql.script(PREPARE);
  await sql.query(
    "insert into bench.person select u.n, u.k, u.h, u.m from unnest($1::int[], $2::text[], $3::text[], $4::int[]) u(n, k, h, m)",
    [
      persons.map((_, n) => n),
      persons.map(({ subjectKey }) => subjectKey),
      persons.map(({ subjectKey }) => memory.subjectFingerprint(tenantKey, subjectKey)),
      persons.map(({ memories }) => memories),
    ],
  );
  await sql.script("analyze bench.person");
  await withoutRules(sql, rowsOf(persons), async () => {
    await sql.query(PUT_SUBJECTS, [tenantKey]);
    await sql.query(PUT_MEMORIES, [tenantKey]);
    for (let level = 1; level <= SHARES.length; level++) await sql.query(putLevel(level), [tenantKey]);
  });
  return vocabulary;
}

// The time is in the first 48 bits of an id, as in those the library makes: the golden ratio spreads persons over it.
const PREPARE = `
  create schema if not exists bench;
  create or replace function bench.at(person int, pos int, among int) returns bigint language sql immutable as $$
    select 1700000000000 + ((pos - 1 + (person * 0.618034)::numeric % 1) / among * 1000000000)::bigint
  $$;
  create or replace function bench.id(level int, person int, pos int, among int) returns uuid language sql immutable as $$
    select (lpad(to_hex(bench.at(person, pos, among)), 12, '0') || '7' || lpad(to_hex(level), 3, '0') || '8000'
            || lpad(to_hex(person), 6, '0') || lpad(to_hex(pos), 6, '0'))::uuid
  $$;
  drop table if exists bench.person;
  create table bench.person (n int primary key, subject_key text, hash text, memories int);`;

const PUT_SUBJECTS = `
  insert into demystify_memory.subject (tenant_key, subject_hash, key_id) select $1, hash, 'default' from bench.person
  on conflict do nothing`;

const PUT_MEMORIES = `
  insert into demystify_memory.memory
    (tenant_key, memory_id, subject_key, subject_hash, key_id, text, term_hashes, content_tags, created_at)
  select $1, bench.id(0, x.n, x.pos, x.memories), x.subject_key, x.hash, 'default', a.text || ' ' || b.text, a.hashes || b.hashes,
         array[md5(x.o::text) || md5(x.hash), 'any:' || md5(x.o::text) || md5(x.o::text)],
         to_timestamp(bench.at(x.n, x.pos, x.memories) / 1000.0)
    from (select p.*, pos, row_number() over (order by bench.at(p.n, pos, p.memories), p.n)::int as o
            from bench.person p, generate_series(1, p.memories) pos) x
    ${HALVES_OF("$1", "x.o")}
   order by x.o`;

function putLevel(level: number): string {
  const share = SHARES[level - 1]!;
  const below = level === 1 ? "p.memories" : `ceil(p.memories * ${String(SHARES[level - 2]!)})::int`;
  const sources = `array(select distinct bench.id(${String(level - 1)}, x.n, 1 + (x.start + floor(random() * ${String(WINDOW)})::int) % x.below, x.below)
                           from generate_series(1, x.sources))`;
  return `
    insert into demystify_memory.derived
      (tenant_key, derived_id, kind, text, term_hashes, content_tags, source_memories, source_derived, subject_hashes, created_at)
    select $1, bench.id(${String(level)}, x.n, x.pos, x.among), 'level${"abcdef"[level - 1]!}', a.text || ' ' || b.text, a.hashes || b.hashes,
           array['any:' || md5(x.o::text) || md5(x.among::text)],
           ${level === 1 ? `${sources}, '{}'` : `'{}', ${sources}`}, array[x.hash],
           to_timestamp(bench.at(x.n, x.pos, x.among) / 1000.0)
      from (select p.n, p.hash, pos, p.among, p.below, floor(random() * p.below)::int as start,
                   1 + floor(${String(MOST)} * power(random(), ${String(STEEP)}))::int as sources,
                   row_number() over (order by bench.at(p.n, pos, p.among), p.n)::int as o
              from (select p.*, ceil(p.memories * ${String(share)})::int as among, ${below} as below from bench.person p) p,
                   generate_series(1, p.among) pos) x
      ${HALVES_OF("$1", `x.o + ${String(level * 1009)}`)}
     order by x.o`;
}
