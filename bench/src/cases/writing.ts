import type { Bench } from "../server.js";
import { alternate, type Variant } from "../measure.js";
import { line, type Line } from "../line.js";
import { messageFrom, randomFrom, vectorFrom } from "../words.js";

const BATCH = 1000;
const DIMENSIONS = 384;

/** remember, single and in batches, against raw inserts into a table with the same columns and indexes. */
export async function writing({ admin, memory }: Bench, rounds: number): Promise<readonly Line[]> {
  await admin.query(`create schema if not exists raw;
    drop table if exists raw.memory;
    create table raw.memory (like demystify_memory.memory including defaults including generated including indexes including storage)`);
  const random = randomFrom(1);
  const tenantKey = "bench writing";
  const text = () => messageFrom(random);
  const lines: Line[] = [];

  for (const vectors of [false, true]) {
    const inputs = () =>
      Array.from({ length: BATCH }, (_, index) => ({
        tenantKey,
        subjectKey: `person:${String(index % 50)}`,
        text: text(),
        ...(vectors ? { embedding: vectorFrom(random, DIMENSIONS) } : {}),
      }));
    const ours: Variant = {
      name: "rememberMany",
      prepare: () => {
        const batch = inputs();
        return () => memory.rememberMany(batch);
      },
    };
    const raw: Variant = {
      name: "raw unnest",
      prepare: () => {
        const params = rawBatch(random, BATCH, vectors);
        return () => admin.query(RAW_INSERT, [...params]);
      },
    };
    const [a, b] = await alternate(rounds, [ours, raw]);
    lines.push(
      line(`rememberMany of 1,000${vectors ? ", vectors of 384" : ""}`, a!, b!, {
        per: BATCH,
        target: vectors ? undefined : "at most 2",
      }),
    );
  }

  const single: Variant = {
    name: "remember",
    prepare: () => {
      const input = { tenantKey, subjectKey: "person:1", text: text() };
      return () => memory.remember(input);
    },
  };
  const rawSingle: Variant = {
    name: "raw insert",
    prepare: () => {
      const params = rawBatch(random, 1, false);
      return () => admin.query(RAW_INSERT, [...params]);
    },
  };
  const [a, b] = await alternate(rounds * 20, [single, rawSingle]);
  lines.push(line("remember, one at a time, durable", a!, b!, { target: "at most 1.33" }));
  return lines;
}

const RAW_INSERT = `insert into raw.memory (tenant_key, subject_key, subject_hash, text, term_hashes, embedding)
  select 'bench', u.k, u.h, u.t, u.terms::bigint[], u.e::real[]
    from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[]) u(k, h, t, terms, e)`;

function rawBatch(random: () => number, rows: number, vectors: boolean): readonly unknown[] {
  const texts = Array.from({ length: rows }, () => messageFrom(random));
  return [
    texts.map((_, index) => `person:${String(index % 50)}`),
    texts.map((_, index) => String(index % 50).padStart(64, "0")),
    texts,
    texts.map((text) => `{${[...new Set(text.split(" "))].map((word) => fakeHash(word)).join(",")}}`),
    texts.map(() => (vectors ? `{${vectorFrom(random, DIMENSIONS).join(",")}}` : null)),
  ];
}

function fakeHash(word: string): string {
  return String(BigInt.asIntN(64, BigInt(word.slice(4)) * 0x9e3779b97f4a7c15n));
}
