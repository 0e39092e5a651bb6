import { alternate, type Variant } from "../measure.js";
import { timed } from "../result/row.js";
import { putMemories, putOthers } from "../fill/memories.js";
import { queryFrom, randomFrom } from "../words.js";
import { ALL_STORES, type SingleCase } from "./case.js";
import { rawByTerms, textOf } from "./raw-recall.js";

const TENANTS = { quick: 5, default: 100, full: 1000 };
const ASKED = 20;
const EACH = 1000;

/** recall by terms in small tenants of a large store. */
export const recallTenants: SingleCase = {
  name: "recall-tenants",
  stores: ALL_STORES,
  run: async (store, scale, give) => {
    const tenants = store.name === "PGlite" ? Math.min(ASKED, TENANTS[scale.name]) : TENANTS[scale.name];
    const asked = Array.from({ length: Math.min(ASKED, tenants) }, (_, n) => `tenant:${String(n)}`);
    const { memory, sql } = store;
    const words = await putMemories(
      store,
      asked.map((tenantKey) => ({ tenantKey, persons: { "person:1": EACH } })),
    );
    const others = tenants - asked.length;
    if (sql !== null && others > 0) await putOthers(sql, others, EACH, asked[0]!);
    const random = randomFrom(9);
    const queries = Array.from({ length: scale.singles.rounds + 1 }, () => queryFrom(random));
    const tenantOf = (round: number) => round % asked.length;
    const ours: Variant = {
      name: "lexical",
      prepare: (round) => () => memory.recall({ tenantKey: asked[tenantOf(round)]!, text: textOf(queries[round]!) }),
    };
    const raw: Variant[] =
      sql === null
        ? []
        : [
            {
              name: "exact ranking of all rows with any term",
              prepare: (round) => () =>
                rawByTerms(sql, asked[tenantOf(round)]!, words[tenantOf(round)]!, queries[round]!),
            },
          ];
    const [a, b] = await alternate(scale.singles, [ours, ...raw]);
    const held = sql === null ? asked.length : tenants;
    give(
      timed({
        work: `lexical, 3 terms, ${held.toLocaleString("en")} tenants of 1,000`,
        size: held * EACH,
        ours: a!,
        raw: b,
        targets: store.name === "Postgres" ? [{ of: "ours", atMost: 3 }] : [],
      }),
    );
  },
};
