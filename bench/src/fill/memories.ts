import type { Memory } from "@demystify/memory";
import type { Sql, Store } from "../stores/store.js";
import { messageFrom, randomFrom } from "../words.js";
import { HALVES_OF, putHalves, vocabularyOf, type Vocabulary } from "./vocabulary.js";
import { withoutRules } from "./rules.js";

/** Memories of persons, with nothing derived from them. */
export interface Filing {
  readonly tenantKey: string;
  readonly persons: Readonly<Record<string, number>>;
}

const HALVES = 2000;
const BATCH = 1000;

/** Puts memories into tenants. Answers the words of each tenant, for raw SQL. */
export async function putMemories({ sql, memory }: Store, filings: readonly Filing[]): Promise<readonly Vocabulary[]> {
  if (sql === null) {
    for (const filing of filings) await rememberAll(memory, filing);
    return [];
  }
  const vocabularies: Vocabulary[] = [];
  for (const { tenantKey } of filings) {
    const vocabulary = await vocabularyOf(memory, sql, tenantKey);
    await putHalves(sql, tenantKey, vocabulary, HALVES);
    vocabularies.push(vocabulary);
  }
  const rows = filings.reduce((sum, { persons }) => sum + Object.values(persons).reduce((all, n) => all + n, 0), 0);
  await withoutRules(sql, rows, async () => {
    for (const { tenantKey, persons } of filings) {
      for (const [subjectKey, count] of Object.entries(persons)) {
        await sql.query(PUT, [tenantKey, subjectKey, memory.subjectFingerprint(tenantKey, subjectKey), count]);
      }
    }
  });
  return vocabularies;
}

/** Further tenants of so many rows each, with terms that no query asks for: what other people say in the same tables. */
export async function putOthers(sql: Sql, tenants: number, each: number, like: string): Promise<void> {
  await withoutRules(sql, tenants * each, async () => {
    await sql.query(PUT_OTHERS, [tenants, each, like]);
  });
}

const PUT = `
  insert into demystify_memory.memory
    (tenant_key, subject_key, subject_hash, key_id, text, term_hashes, content_tags, created_at)
  select $1, $2, $3, 'default', a.text || ' ' || b.text, a.hashes || b.hashes,
         array[md5(x.n::text) || md5($2), 'any:' || md5(x.n::text) || md5(x.n::text)], '2024-01-01'::timestamptz + x.n * interval '1 second'
    from generate_series(1, $4::int) x(n) ${HALVES_OF("$1", "x.n", HALVES)}`;

const PUT_OTHERS = `
  insert into demystify_memory.memory (tenant_key, subject_key, subject_hash, key_id, text, term_hashes, created_at)
  select 'other:' || t, 'person:1', md5(t::text) || md5(t::text), 'default', a.text || ' ' || b.text,
         array(select h # (t::bigint << 32) from unnest(a.hashes || b.hashes) h), '2024-01-01'::timestamptz + x.n * interval '1 second'
    from generate_series(1, $2::int) x(n)
   cross join generate_series(1, $1::int) t ${HALVES_OF("$3", "x.n + t * 1009", HALVES)}`;

async function rememberAll(memory: Memory, { tenantKey, persons }: Filing): Promise<void> {
  const random = randomFrom(3);
  for (const [subjectKey, count] of Object.entries(persons)) {
    for (let left = count; left > 0; left -= BATCH) {
      await memory.rememberMany(
        Array.from({ length: Math.min(BATCH, left) }, () => ({ tenantKey, subjectKey, text: messageFrom(random) })),
      );
    }
  }
}
