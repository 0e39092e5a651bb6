import type { Sql } from "../stores/store.js";
import type { Vocabulary } from "../fill/vocabulary.js";
import { DIMENSIONS, word } from "../words.js";

export interface RawHit {
  readonly id: string;
  readonly text: string;
}

/** The exact ranking by share of terms, as plain SQL over the same tables says it: every row with any of the terms. */
export async function rawByTerms(
  sql: Sql,
  tenantKey: string,
  vocabulary: Vocabulary,
  numbers: readonly number[],
): Promise<readonly RawHit[]> {
  const hashes = `{${numbers.map((number) => vocabulary[number]!).join(",")}}`;
  return (await sql.query<RawHit>(BY_TERMS, [tenantKey, hashes])).rows;
}

/** The nearest by `<=>` over the cast column. */
export async function rawByVector(sql: Sql, tenantKey: string, embedding: Float32Array): Promise<readonly RawHit[]> {
  return (await sql.query<RawHit>(BY_VECTOR, [tenantKey, `[${embedding.join(",")}]`])).rows;
}

/** A query as the library is asked it. */
export function textOf(numbers: readonly number[]): string {
  return numbers.map(word).join(" ");
}

const FOUND = "(select count(*) from unnest($2::bigint[]) h where h = any(r.term_hashes))";

const BY_TERMS = `
  select id, text from (
    select memory_id as id, text, created_at, ${FOUND} as found
      from demystify_memory.memory r where tenant_key = $1 and term_hashes && $2::bigint[]
    union all
    select derived_id, text, created_at, ${FOUND}
      from demystify_memory.derived r where tenant_key = $1 and term_hashes && $2::bigint[]) x
   order by found desc, created_at desc, id desc limit 10`;

const BY_VECTOR = `
  select memory_id as id, text from demystify_memory.memory
   where tenant_key = $1
   order by embedding::vector(${String(DIMENSIONS)}) <=> $2::vector(${String(DIMENSIONS)}) limit 10`;
