import { alternate, type Variant } from "../measure.js";
import { line, type Line } from "../line.js";
import type { Bench } from "../server.js";
import { putGraph } from "../graph.js";

/** forget of persons of several sizes, against DELETEs of the same rows from tables without a rule. */
export async function erasing(bench: Bench, rounds: number): Promise<readonly Line[]> {
  const { admin, memory } = bench;
  const tenantKey = "bench erasing";
  const sizes = [
    { memories: 10, rounds: rounds * 2 },
    { memories: 1000, rounds },
    { memories: 100_000, rounds: 1 },
  ];
  const persons = sizes.flatMap(({ memories, rounds: count }) =>
    Array.from({ length: count + 1 }, (_, n) => ({ subjectKey: `person:${String(memories)}:${String(n)}`, memories })),
  );
  await putGraph(bench, { tenantKey, persons });
  await admin.query(`create schema if not exists raw;
    drop table if exists raw.memory, raw.derived;
    create table raw.memory (like demystify_memory.memory including defaults including generated including indexes including storage);
    create table raw.derived (like demystify_memory.derived including defaults including generated including indexes including storage);
    insert into raw.memory (tenant_key, memory_id, subject_key, subject_hash, text, term_hashes)
      select tenant_key, memory_id, subject_key, subject_hash, text, term_hashes from demystify_memory.memory;
    insert into raw.derived (tenant_key, derived_id, kind, text, term_hashes, source_memories, source_derived, subject_hashes)
      select tenant_key, derived_id, kind, text, term_hashes, source_memories, source_derived, subject_hashes from demystify_memory.derived;`);
  await admin.query("vacuum analyze raw.memory, raw.derived");
  await admin.query("create index on raw.derived (tenant_key, (subject_hashes[1]))");

  const lines: Line[] = [];
  for (const { memories, rounds: count } of sizes) {
    let rows = 0;
    const ours: Variant = {
      name: "forget",
      prepare: (round) => async () => {
        const { counts } = await memory.forget({
          tenantKey,
          subjectKey: `person:${String(memories)}:${String(round)}`,
        });
        rows = counts.memories + counts.derived;
      },
    };
    const raw: Variant = {
      name: "raw DELETE",
      prepare: (round) => async () => {
        const hash = memory.subjectFingerprint(tenantKey, `person:${String(memories)}:${String(round)}`);
        await admin.query("delete from raw.memory where tenant_key = $1 and subject_hash = $2", [tenantKey, hash]);
        await admin.query("delete from raw.derived where tenant_key = $1 and subject_hashes[1] = $2", [
          tenantKey,
          hash,
        ]);
      },
    };
    const [a, b] = await alternate(count, [ours, raw]);
    const target = memories === 10 ? "median at most 10 ms" : "at most 25 µs a row";
    lines.push(
      line(`forget of ${memories.toLocaleString("en")} memories (${rows.toLocaleString("en")} rows)`, a!, b!, {
        per: rows,
        target,
      }),
    );
  }
  return lines;
}
