import { alternate, type Variant } from "../measure.js";
import { timed } from "../result/row.js";
import { putVectors } from "../fill/vectors.js";
import { queryFrom, randomFrom, vectorFrom } from "../words.js";
import { ALL_STORES, NotRun, type SingleCase } from "./case.js";
import { rawByTerms, rawByVector, textOf } from "./raw-recall.js";

const SIZES = { quick: [500], default: [1000, 20_000], full: [1000, 20_000, 100_000] };

/**
 * Recall by vectors within a tenant against the same `<=>` in plain SQL; and both rankings fused. Exact, but in the process,
 * where only the newest rows are ranked: the figure then says how many.
 */
export const recallVector: SingleCase = {
  name: "recall-vector",
  stores: ALL_STORES,
  run: async (store, scale, give) => {
    if (store.noVectors !== null) throw new NotRun(store.noVectors);
    const { memory, sql } = store;
    for (const size of SIZES[scale.name]) {
      // In the process only the newest rows are ranked: more of them would measure the same.
      if (sql === null && size > 20_000) continue;
      // Most of a minute, to say the same of a slower store.
      if (store.name === "PGlite" && size > 1000 && scale.name !== "full") continue;
      const tenantKey = `vectors:${String(size)}`;
      const vocabulary = await putVectors(store, tenantKey, size);
      const random = randomFrom(41);
      const queries = Array.from({ length: scale.singles.rounds + 1 }, () => ({
        numbers: queryFrom(random),
        embedding: vectorFrom(random),
      }));
      const ours: Variant = {
        name: "vector",
        prepare: (round) => () => memory.recall({ tenantKey, embedding: queries[round]!.embedding }),
      };
      const fused: Variant = {
        name: "hybrid",
        prepare: (round) => () => {
          const { numbers, embedding } = queries[round]!;
          return memory.recall({ tenantKey, embedding, text: textOf(numbers), strategy: "hybrid" });
        },
      };
      const raw: Variant[] = [];
      const rawBoth: Variant[] = [];
      if (sql !== null && vocabulary !== null) {
        const nearest = (round: number) => rawByVector(sql, tenantKey, queries[round]!.embedding);
        raw.push({ name: "<=> over the cast column", prepare: (round) => () => nearest(round) });
        const both = async (round: number) => {
          await rawByTerms(sql, tenantKey, vocabulary, queries[round]!.numbers);
          await nearest(round);
        };
        rawBoth.push({ name: "the two statements, not fused", prepare: (round) => () => both(round) });
      }
      const { coverage } = await memory.recall({ tenantKey, embedding: queries[0]!.embedding });
      const looked = coverage.truncated ? `the newest ${coverage.considered.toLocaleString("en")} ranked` : "exact";
      const [a, b] = await alternate(scale.singles, [ours, ...raw]);
      const targets = sql !== null && size <= 20_000 ? [{ of: "ratio" as const, atMost: 1.3 }] : [];
      give(timed({ work: `vector, ${looked}, 384 numbers`, size, ours: a!, raw: b, targets }));
      const [c, d] = await alternate(scale.singles, [fused, ...rawBoth]);
      const note = coverage.truncated ? { note: `vectors: ${looked}` } : {};
      give(timed({ work: "hybrid, 3 terms and 384 numbers", size, ours: c!, raw: d, ...note }));
    }
  },
};
