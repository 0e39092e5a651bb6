import { alternate, type Variant } from "../measure.js";
import { timed } from "../result/row.js";
import type { Person } from "../fill/graph-shape.js";
import type { Store } from "../stores/store.js";
import { ALL_STORES, type GrowthCase } from "./case.js";

/** forget of persons with six levels derived from their memories, against DELETEs of the same rows without a rule. */
export const forget: GrowthCase = {
  name: "forget",
  stores: ALL_STORES,
  run: async ({ store, tenantKey, scale, victims }, give) => {
    const ten = await forgetting(store, tenantKey, victims.forgetTen, scale.batches.seconds);
    const onPostgres = store.name === "Postgres";
    give(
      timed({
        work: `forget of 10 memories, ${String(ten.rows)} rows`,
        ...ten,
        targets: onPostgres ? [{ of: "ours", atMost: 10 }] : [],
      }),
    );
    if (victims.forgetThousand.length === 0) return;
    const { rows, ours, raw } = await forgetting(store, tenantKey, victims.forgetThousand, scale.batches.seconds);
    give(
      timed({
        work: `forget of 1,000 memories, ${rows.toLocaleString("en")} rows`,
        ours,
        raw,
        per: rows,
        targets: onPostgres ? [{ of: "ours", atMost: 25 }] : [],
      }),
    );
  },
};

/** Forgets one person a round; the first warms up, unless there is but one. */
export async function forgetting(
  { memory, sql }: Store,
  tenantKey: string,
  persons: readonly Person[],
  seconds: number,
  warmUp = true,
) {
  let rows = 0;
  const of = (round: number) => persons[warmUp ? round : round - 1]!.subjectKey;
  const ours: Variant = {
    name: "forget",
    prepare: (round) => async () => {
      const { counts } = await memory.forget({ tenantKey, subjectKey: of(round) });
      rows = counts.memories + counts.derived;
    },
  };
  const raw: Variant[] = [];
  if (sql !== null) {
    const prepare = (round: number) => async () => {
      const hash = memory.subjectFingerprint(tenantKey, of(round));
      await sql.query("delete from raw.memory where tenant_key = $1 and subject_hash = $2", [tenantKey, hash]);
      await sql.query("delete from raw.derived where tenant_key = $1 and subject_hashes[1] = $2", [tenantKey, hash]);
    };
    raw.push({ name: "DELETE of the same rows, found by an index", prepare });
  }
  const rounds = persons.length - (warmUp ? 1 : 0);
  const [a, b] = await alternate({ rounds, seconds, warmUp }, [ours, ...raw]);
  if (rows === 0) throw new Error("forget erased nothing: the persons were not there");
  return { rows, ours: a!, raw: b };
}
