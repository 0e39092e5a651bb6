import { alternate, type Variant } from "../measure.js";
import { timed } from "../result/row.js";
import { DIMENSIONS, messageFrom, randomFrom, vectorFrom } from "../words.js";
import { ALL_STORES, type GrowthCase } from "./case.js";

const BATCH = 1000;

/** remember, single and in batches, against inserts into a table with the same columns and indexes. */
export const remember: GrowthCase = {
  name: "remember",
  stores: ALL_STORES,
  run: async ({ store: { memory, sql }, tenantKey, scale }, give) => {
    const random = randomFrom(1);
    const input = (place: number, vectors: boolean) => ({
      tenantKey,
      subjectKey: `writer:${String(place % 50)}`,
      text: messageFrom(random),
      ...(vectors ? { embedding: vectorFrom(random) } : {}),
    });
    const raw = (rows: number, vectors: boolean): Variant[] => {
      if (sql === null) return [];
      const prepare = () => {
        const params = rawBatch(random, rows, vectors);
        return () => sql.query(RAW_INSERT, params);
      };
      return [{ name: rows === 1 ? "insert of the same row" : "insert from unnest", prepare }];
    };
    for (const vectors of [false, true]) {
      const ours: Variant = {
        name: "rememberMany",
        prepare: () => {
          const inputs = Array.from({ length: BATCH }, (_, place) => input(place, vectors));
          return () => memory.rememberMany(inputs);
        },
      };
      const [a, b] = await alternate(scale.batches, [ours, ...raw(BATCH, vectors)]);
      const targets = !vectors && sql !== null ? [{ of: "ratio" as const, atMost: 2 }] : [];
      const work = `rememberMany of 1,000${vectors ? `, vectors of ${String(DIMENSIONS)}` : ""}`;
      give(timed({ work, ours: a!, raw: b, per: BATCH, targets }));
    }
    for (const vectors of [false, true]) {
      const ours: Variant = {
        name: "remember",
        prepare: () => {
          const one = input(1, vectors);
          return () => memory.remember(one);
        },
      };
      const [a, b] = await alternate(scale.singles, [ours, ...raw(1, vectors)]);
      const targets = !vectors && sql !== null ? [{ of: "ratio" as const, atMost: 1.33 }] : [];
      give(timed({ work: `remember${vectors ? `, vector of ${String(DIMENSIONS)}` : ""}`, ours: a!, raw: b, targets }));
    }
  },
};

const RAW_INSERT = `
  insert into raw.memory (tenant_key, subject_key, subject_hash, text, term_hashes, embedding, content_tags)
  select 'raw', u.k, u.h, u.t, u.terms::bigint[], u.e::real[], u.tags::text[]
    from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[]) u(k, h, t, terms, e, tags)`;

function rawBatch(random: () => number, rows: number, vectors: boolean): readonly unknown[] {
  const texts = Array.from({ length: rows }, () => messageFrom(random));
  const hash = () => Array.from({ length: 64 }, () => Math.floor(random() * 16).toString(16)).join("");
  return [
    texts.map((_, place) => `writer:${String(place % 50)}`),
    texts.map((_, place) => String(place % 50).padStart(64, "0")),
    texts,
    texts.map(termsLiteral),
    texts.map(() => (vectors ? `{${Array.from(vectorFrom(random)).join(",")}}` : null)),
    texts.map(() => `{${hash()},any:${hash()}}`),
  ];
}

/** Hashes of the words as the library would store them, made beforehand: raw SQL is not to pay for them. */
function termsLiteral(text: string): string {
  return `{${[...new Set(text.split(" "))].map(fakeHash).join(",")}}`;
}

function fakeHash(word: string): string {
  return String(BigInt.asIntN(64, BigInt(word.slice(4)) * 0x9e3779b97f4a7c15n));
}
