import type { Memory } from "@demystify/memory";
import { alternate, type Variant } from "../measure.js";
import { timed, type Target } from "../result/row.js";
import { queryFrom, randomFrom } from "../words.js";
import { ALL_STORES, type GrowthCase, type World } from "./case.js";
import { rawByTerms, textOf } from "./raw-recall.js";

const MILLION = 1_000_000;
const COMPARED = 5;

/** recall by terms in one tenant, against the same ranking in plain SQL. */
export const recallTerms: GrowthCase = {
  name: "recall-terms",
  stores: ALL_STORES,
  run: async (world, give) => {
    await sameAnswers(world);
    const { store, tenantKey, scale, size } = world;
    for (const strategy of ["lexical", "bm25"] as const) {
      // The same queries in every store and size.
      const random = randomFrom(7);
      const queries = Array.from({ length: scale.singles.rounds + 1 }, () => queryFrom(random));
      const ours: Variant = {
        name: strategy,
        prepare: (round) => () => store.memory.recall({ tenantKey, text: textOf(queries[round]!), strategy }),
      };
      const [a, b] = await alternate(scale.singles, [ours, ...rawVariant(world, queries)]);
      const targets: Target[] =
        strategy === "lexical" && size === MILLION
          ? [
              { of: "ours", atMost: 35 },
              { of: "p95", atMost: 100 },
            ]
          : [];
      give(timed({ work: `${strategy}, 3 terms`, ours: a!, raw: b, targets }));
    }
  },
};

function rawVariant(
  { store: { sql }, tenantKey, vocabulary }: World,
  queries: readonly (readonly number[])[],
): Variant[] {
  if (sql === null || vocabulary === null) return [];
  const prepare = (round: number) => () => rawByTerms(sql, tenantKey, vocabulary, queries[round]!);
  return [{ name: "exact ranking of all rows with any term", prepare }];
}

// A floor that answers something else is none.
async function sameAnswers({ store: { memory, sql }, tenantKey, vocabulary }: World): Promise<void> {
  if (sql === null || vocabulary === null) return;
  const random = randomFrom(8);
  for (let query = 0; query < COMPARED; query++) {
    const numbers = queryFrom(random);
    const raw = await rawByTerms(sql, tenantKey, vocabulary, numbers);
    const ours = await idsOf(memory, tenantKey, textOf(numbers));
    if (ours.join() !== raw.map(({ id }) => id).join()) throw new Error("recall and raw SQL answer different rows");
  }
}

async function idsOf(memory: Memory, tenantKey: string, text: string): Promise<readonly string[]> {
  const { hits } = await memory.recall({ tenantKey, text, strategy: "lexical" });
  return hits.map((hit) => (hit.kind === "memory" ? hit.row.memoryId : hit.row.derivedId));
}
