import type { Memory } from "@demystify/memory";
import { alternate, type Variant } from "../measure.js";
import { timed } from "../result/row.js";
import { putMemories } from "../fill/memories.js";
import { putHistory } from "../fill/history.js";
import { queryFrom, randomFrom } from "../words.js";
import { SQL_STORES, type Give, type Scale, type SingleCase } from "./case.js";
import { textOf } from "./raw-recall.js";

const SIZES = {
  quick: { rows: 1000, open: 200, history: 5000 },
  default: { rows: 30_000, open: 10_000, history: 500_000 },
  full: { rows: 30_000, open: 10_000, history: 500_000 },
};

const IN_PGLITE = { rows: 3000, open: 1000, history: 20_000 };

const WHOLE = "whole";
const HIDING = "hiding";

/** recall where erasures are open, after a long history of them, against recall of the same rows where nothing is. */
export const recallHidden: SingleCase = {
  name: "recall-hidden",
  stores: SQL_STORES,
  run: async (store, scale, give) => {
    const { rows, open, history } = store.name === "PGlite" ? IN_PGLITE : SIZES[scale.name];
    const { memory, sql } = store;
    const persons = { "person:1": rows - open - 10, "person:few": 10, "person:many": open };
    await putMemories(store, [
      { tenantKey: WHOLE, persons },
      { tenantKey: HIDING, persons },
    ]);
    if (sql !== null) await putHistory(sql, HIDING, history);
    const after = `after ${history.toLocaleString("en")} erased`;
    await compare(memory, scale, give, `lexical, nothing open, ${after}`, rows);
    await memory.erasures.open({ tenantKey: HIDING, subjectKey: "person:few" });
    await compare(memory, scale, give, `lexical, 10 rows open, ${after}`, rows);
    await memory.erasures.open({ tenantKey: HIDING, subjectKey: "person:many" });
    await compare(memory, scale, give, `lexical, ${(open + 10).toLocaleString("en")} rows open, ${after}`, rows);
  },
};

async function compare(memory: Memory, scale: Scale, give: Give, work: string, size: number): Promise<void> {
  const random = randomFrom(13);
  const queries = Array.from({ length: scale.singles.rounds + 1 }, () => queryFrom(random));
  const variant = (name: string, tenantKey: string): Variant => ({
    name,
    prepare: (round) => () => memory.recall({ tenantKey, text: textOf(queries[round]!) }),
  });
  const [a, b] = await alternate(scale.singles, [
    variant("recall", HIDING),
    variant("no SQL: recall of the same rows where nothing is open or was erased", WHOLE),
  ]);
  give(timed({ work, size, ours: a!, raw: b, targets: [{ of: "ratio", atMost: 1.3 }] }));
}
