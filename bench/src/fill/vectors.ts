import type { Memory } from "@demystify/memory";
import type { Store } from "../stores/store.js";
import { messageFrom, randomFrom, vectorFrom } from "../words.js";
import { HALVES_OF, putHalves, vocabularyOf, type Vocabulary } from "./vocabulary.js";
import { withoutRules } from "./rules.js";

const BATCH = 500;

/** Memories with texts and vectors in one tenant. Answers the words of the tenant, where they are needed for raw SQL. */
export async function putVectors({ sql, memory }: Store, tenantKey: string, rows: number): Promise<Vocabulary | null> {
  if (sql === null) return rememberVectors(memory, tenantKey, rows);
  const vocabulary = await vocabularyOf(memory, sql, tenantKey);
  await putHalves(sql, tenantKey, vocabulary);
  const random = randomFrom(31);
  const hash = memory.subjectFingerprint(tenantKey, "person:1");
  // The vector index of another tenant would be built anew with the others: rows are few enough to keep them all.
  await withoutRules(sql, 0, async () => {
    for (let from = 0; from < rows; from += BATCH) {
      const count = Math.min(BATCH, rows - from);
      await sql.query(PUT, [
        tenantKey,
        hash,
        from,
        Array.from(
          { length: count },
          () => `{${Array.from(vectorFrom(random), (value) => value.toFixed(5)).join(",")}}`,
        ),
      ]);
    }
  });
  return vocabulary;
}

const PUT = `
  insert into demystify_memory.memory
    (tenant_key, subject_key, subject_hash, key_id, text, term_hashes, embedding, created_at)
  select $1, 'person:1', $2, 'default', a.text || ' ' || b.text, a.hashes || b.hashes, x.v::real[],
         '2024-01-01'::timestamptz + x.n * interval '1 second'
    from (select v, ($3::int + o)::int as n from unnest($4::text[]) with ordinality u(v, o)) x
    ${HALVES_OF("$1", "x.n")}`;

async function rememberVectors(memory: Memory, tenantKey: string, rows: number): Promise<null> {
  const random = randomFrom(31);
  for (let from = 0; from < rows; from += BATCH) {
    const inputs = Array.from({ length: Math.min(BATCH, rows - from) }, () => ({
      tenantKey,
      subjectKey: "person:1",
      text: messageFrom(random),
      embedding: vectorFrom(random),
    }));
    await memory.rememberMany(inputs);
  }
  return null;
}
