import { ensureVectorIndex } from "@demystify/memory";
import { alternate } from "../measure.js";
import { timed } from "../result/row.js";
import { putVectors } from "../fill/vectors.js";
import { DIMENSIONS, randomFrom, vectorFrom } from "../words.js";
import { NotRun, type SingleCase } from "./case.js";
import { rawByVector } from "./raw-recall.js";

const SIZES = { quick: 1000, default: 25_000, full: 100_000 };
const OTHERS = { quick: 500, default: 5000, full: 20_000 };
const QUERIES = { quick: 10, default: 100, full: 200 };

const TENANT = "indexed";

/** The index of one tenant, with another tenant in the table: what it finds of the exact answer, and how fast. */
export const vectorIndex: SingleCase = {
  name: "vector-index",
  stores: ["Postgres"],
  run: async (store, scale, give) => {
    const { memory, sql, connection } = store;
    if (store.noVectors !== null) throw new NotRun(store.noVectors);
    if (sql === null || connection === null) throw new NotRun("there is no database");
    const size = SIZES[scale.name];
    await putVectors(store, TENANT, size);
    await putVectors(store, "another", OTHERS[scale.name]);
    // Below this many a recall is exact even with an index.
    await connection.query(`set demystify_memory.exact_vectors = '${String(size >> 1)}'`);
    const random = randomFrom(51);
    const queries = Array.from({ length: QUERIES[scale.name] + 1 }, () => vectorFrom(random));
    const exact: string[][] = [];
    for (const query of queries) exact.push((await rawByVector(sql, TENANT, query)).map(({ id }) => id));
    for (const kind of ["hnsw", "hnsw-halfvec"] as const) {
      const begun = performance.now();
      await ensureVectorIndex(sql, { tenantKey: TENANT, dimensions: DIMENSIONS, kind });
      const built = ((performance.now() - begun) / 1000).toFixed(0);
      // pgvector is loaded by the first recall of a session, which therefore does not yet search the index.
      await memory.recall({ tenantKey: TENANT, embedding: queries[0]! });
      let found = 0;
      for (const [place, embedding] of queries.entries()) {
        const { hits, coverage } = await memory.recall({ tenantKey: TENANT, embedding });
        if (coverage.index !== "hnsw") throw new Error("recall did not search the index");
        found += hits.filter((hit) => hit.kind === "memory" && exact[place]!.includes(hit.row.memoryId)).length;
      }
      const recall = found / (10 * queries.length);
      give({
        work: `recall@10 with ${kind}, of the exact answer`,
        size,
        unit: "recall@10",
        ours: recall,
        targets: [{ of: "ours", atLeast: 0.98 }],
        note: `built in ${built} s, beside writes`,
      });
      const [a, b] = await alternate({ ...scale.singles, rounds: queries.length - 1 }, [
        { name: kind, prepare: (round) => () => memory.recall({ tenantKey: TENANT, embedding: queries[round]! }) },
        { name: "exact <=> of the tenant", prepare: (round) => () => rawByVector(sql, TENANT, queries[round]!) },
      ]);
      give(timed({ work: `vector with ${kind}`, size, ours: a!, raw: b }));
      for (const table of ["memory", "derived"]) await dropIndex(table);
    }

    async function dropIndex(table: string): Promise<void> {
      const { rows } = await sql!.query<{ name: string }>(
        `select indexrelid::regclass::text as name from pg_index x join pg_class c on c.oid = x.indexrelid
           join pg_am m on m.oid = c.relam where m.amname = 'hnsw' and indrelid = $1::regclass`,
        [`demystify_memory.${table}`],
      );
      for (const { name } of rows) await sql!.script(`drop index ${name}`);
    }
  },
};
