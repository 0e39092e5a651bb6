import type { Memory } from "@demystify/memory";
import type { Sql } from "../stores/store.js";
import { VOCABULARY, randomFrom, word, wordNumber } from "../words.js";

/** The hash of each word in one tenant, by its number. */
export type Vocabulary = readonly string[];

const AT_A_TIME = 1000;
const HALVES = 10_000;

/**
 * Asks the library for the hash of every word: it is given texts of them, and stores hashes in the order of the words.
 * The texts are erased again.
 */
export async function vocabularyOf(memory: Memory, sql: Sql, tenantKey: string): Promise<Vocabulary> {
  const subjectKey = "the vocabulary";
  const hashes: string[] = ["0"];
  for (let from = 1; from < VOCABULARY; from += AT_A_TIME) {
    const words = Array.from({ length: Math.min(AT_A_TIME, VOCABULARY - from) }, (_, n) => word(from + n));
    const { memory: row } = await memory.remember({ tenantKey, subjectKey, text: words.join(" ") });
    const { rows } = await sql.query<{ terms: string }>(
      "select array_to_string(term_hashes, ',') as terms from demystify_memory.memory where memory_id = $1",
      [row.memoryId],
    );
    const terms = rows[0]!.terms.split(",");
    if (terms.length !== words.length) throw new Error("a word has not one hash: the vocabulary cannot be read back");
    hashes.push(...terms);
  }
  await memory.forget({ tenantKey, subjectKey });
  return hashes;
}

/** Puts halves of messages into `bench.half`, of which any two make one. */
export async function putHalves(
  sql: Sql,
  tenantKey: string,
  vocabulary: Vocabulary,
  count: number = HALVES,
): Promise<void> {
  const random = randomFrom(11);
  await sql.script(`create schema if not exists bench;
    create table if not exists bench.half (tenant text, n int, text text, hashes bigint[], primary key (tenant, n))`);
  for (let from = 0; from < count; from += AT_A_TIME) {
    const halves = Array.from({ length: AT_A_TIME }, () =>
      Array.from({ length: 12 + Math.floor(random() * 16) }, () => wordNumber(random)),
    );
    await sql.query(
      `insert into bench.half (tenant, n, text, hashes)
         select $1, $2::int + o - 1, t, h::bigint[] from unnest($3::text[], $4::text[]) with ordinality u(t, h, o)`,
      [
        tenantKey,
        from,
        halves.map((numbers) => numbers.map(word).join(" ")),
        halves.map((numbers) => `{${[...new Set(numbers)].map((number) => vocabulary[number]!).join(",")}}`),
      ],
    );
  }
}

/** SQL that joins two halves to the row `n` of the statement, as `a` and `b`. */
export const HALVES_OF = (tenant: string, n: string, count: number = HALVES) => `
  join bench.half a on a.tenant = ${tenant} and a.n = (${n}) % ${String(count)}
  join bench.half b on b.tenant = ${tenant} and b.n = ((${n}) * 7 + (${n}) / ${String(count)} + 13) % ${String(count)}`;
