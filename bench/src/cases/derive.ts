import type { Memory } from "@demystify/memory";
import { alternate, type Variant } from "../measure.js";
import { timed } from "../result/row.js";
import type { Sql } from "../stores/store.js";
import { messageFrom, randomFrom } from "../words.js";
import { ALL_STORES, type GrowthCase } from "./case.js";
import { CLASSIC, CLASSIC_DERIVE, FILL_CLASSIC } from "./classic-design.js";

const BATCH = 1000;
const SOURCES = 6;
const WINDOW = 64;
const KNOWN = 20_000;

/** derive against the classic design (an edge table with its keys and a deferred trigger), and against no gate at all. */
export const derive: GrowthCase = {
  name: "derive",
  stores: ALL_STORES,
  run: async ({ store: { memory, sql }, tenantKey, scale }, give) => {
    const ids = await sourcesOf(memory, sql, tenantKey);
    if (sql !== null) await putClassic(sql, tenantKey);
    const random = randomFrom(2);
    const inputs = (count: number) =>
      Array.from({ length: count }, () => ({
        tenantKey,
        kind: "summary",
        text: messageFrom(random),
        sources: pick(ids, random).map((sourceId) => ({ sourceKind: "memory" as const, sourceId })),
      }));
    const ours = (count: number): Variant => ({
      name: "derive",
      prepare: () => {
        const batch = inputs(count);
        return () => memory.deriveMany(batch);
      },
    });
    const raw = (name: string, count: number, statement: string): Variant[] => {
      if (sql === null) return [];
      const prepare = () => {
        const made = inputs(count);
        const params = [
          tenantKey,
          made.map(({ text }) => text),
          made.map(({ sources }) => `{${sources.map(({ sourceId }) => sourceId).join(",")}}`),
        ];
        return () => sql.query(statement, params);
      };
      return [{ name, prepare }];
    };
    const both = (count: number) => [
      ...raw("edge table, 3 foreign keys, deferred trigger; terms hashed in SQL", count, CLASSIC_DERIVE),
      ...raw("insert without a gate; terms hashed in SQL", count, UNGATED),
    ];
    const batch = await alternate(scale.batches, [ours(BATCH), ...both(BATCH)]);
    const single = await alternate(scale.singles, [ours(1), ...both(1)]);
    const work = `deriveMany of 1,000 with ${String(SOURCES)} sources`;
    const atMost = (limit: number) => (sql === null ? [] : [{ of: "ratio" as const, atMost: limit }]);
    give(timed({ work, ours: batch[0]!, raw: batch[1], per: BATCH, targets: atMost(0.8) }));
    if (batch[2]) give(timed({ work: `${work}, against no gate`, ours: batch[0]!, raw: batch[2], per: BATCH }));
    give(
      timed({ work: `derive with ${String(SOURCES)} sources`, ours: single[0]!, raw: single[2], targets: atMost(1.6) }),
    );
    if (single[1]) {
      give(
        timed({
          work: `derive with ${String(SOURCES)} sources, against the classic design`,
          ours: single[0]!,
          raw: single[1],
        }),
      );
    }
  },
};

async function putClassic(sql: Sql, tenantKey: string): Promise<void> {
  await sql.script(CLASSIC);
  await sql.script("set session_replication_role = replica");
  try {
    for (const statement of FILL_CLASSIC) await sql.query(statement, [tenantKey]);
  } finally {
    await sql.script("set session_replication_role = origin");
  }
  await sql.script("vacuum analyze");
}

// Not of persons who are to be erased: what others measure there would be more than was put.
async function sourcesOf(memory: Memory, sql: Sql | null, tenantKey: string): Promise<readonly string[]> {
  if (sql !== null) {
    const { rows } = await sql.query<{ id: string }>(
      `select memory_id as id from demystify_memory.memory where tenant_key = $1 and subject_key like 'filler:%'
        order by created_at, memory_id limit ${String(KNOWN)}`,
      [tenantKey],
    );
    return rows.map(({ id }) => id);
  }
  const ids: string[] = [];
  let cursor: string | null = null;
  do {
    const page: Awaited<ReturnType<Memory["listMemories"]>> = await memory.listMemories({
      tenantKey,
      limit: 1000,
      ...(cursor === null ? {} : { cursor }),
    });
    ids.push(...page.rows.filter((row) => row.subjectKey?.startsWith("filler:")).map((row) => row.memoryId));
    cursor = page.nextCursor;
  } while (cursor !== null && ids.length < KNOWN);
  return ids;
}

function pick(ids: readonly string[], random: () => number): readonly string[] {
  const start = Math.floor(random() * Math.max(1, ids.length - WINDOW));
  const picked = new Set<string>();
  while (picked.size < SOURCES) picked.add(ids[start + Math.floor(random() * Math.min(WINDOW, ids.length - start))]!);
  return [...picked];
}

const UNGATED = `
  insert into raw.derived (tenant_key, kind, text, source_memories, term_hashes)
  select $1, 'summary', u.t, u.s::uuid[], array(select hashtextextended(w, 0) from unnest(string_to_array(u.t, ' ')) w)
    from unnest($2::text[], $3::text[]) u(t, s)`;
