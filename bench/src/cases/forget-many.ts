import { timed } from "../result/row.js";
import { copyToRaw } from "../fill/raw-tables.js";
import { rowsOf } from "../fill/graph-shape.js";
import { putGraph } from "../fill/graph-sql.js";
import { rememberGraph } from "../fill/graph-front-door.js";
import { ALL_STORES, type SingleCase } from "./case.js";
import { forgetting } from "./forget.js";

const MEMORIES = {
  quick: { Postgres: 1000, PGlite: 500, "in memory": 1000 },
  default: { Postgres: 100_000, PGlite: 5000, "in memory": 100_000 },
  full: { Postgres: 100_000, PGlite: 10_000, "in memory": 100_000 },
};
const ROUNDS = { quick: 1, default: 1, full: 3 };
const TENANT = "many";

/** forget of a person who is most of the store. The default chunk holds, so that it takes several transactions. */
export const forgetMany: SingleCase = {
  name: "forget-many",
  stores: ALL_STORES,
  run: async (store, scale, give) => {
    const memories = MEMORIES[scale.name][store.name];
    const rounds = store.name === "in memory" ? 1 : ROUNDS[scale.name];
    const some = (name: string, count: number, each: number) =>
      Array.from({ length: count }, (_, n) => ({ subjectKey: `${name}:${String(n)}`, memories: each }));
    const many = some("many", rounds, memories);
    const few = some("few", 4, 10);
    const persons = [...few, ...many];
    if (store.sql === null) await rememberGraph(store.memory, TENANT, persons);
    else {
      await putGraph(store.sql, store.memory, TENANT, persons);
      await copyToRaw(store.sql);
    }
    // The session plans its statements with the few: the many would be too dear for a warm-up.
    await forgetting(store, TENANT, few, 60);
    const { rows, ours, raw } = await forgetting(store, TENANT, many, 600, false);
    give(
      timed({
        work: `forget of ${memories.toLocaleString("en")} memories, ${rows.toLocaleString("en")} rows`,
        size: rowsOf(persons),
        ours,
        raw,
        per: rows,
        targets: store.name === "Postgres" ? [{ of: "ours", atMost: 25 }] : [],
        note: `rounds: ${String(ours.rounds)}`,
      }),
    );
  },
};
