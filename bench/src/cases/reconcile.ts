import { alternate, type Variant } from "../measure.js";
import { timed } from "../result/row.js";
import { ALL_STORES, type GrowthCase } from "./case.js";

/** A whole sweep, against a plain query for the two worst findings: what lives though erased, and what lost its source. */
export const reconcile: GrowthCase = {
  name: "reconcile",
  stores: ALL_STORES,
  run: async ({ store: { memory, sql }, tenantKey, scale }, give) => {
    let rows = 0;
    const ours: Variant = {
      name: "reconcile",
      prepare: () => async () => {
        const { coverage, verdict } = await memory.erasures.reconcile({ tenantKey });
        if (verdict === "residue") throw new Error("the sweep found residue in a store that has none");
        rows = coverage.memories + coverage.derived;
      },
    };
    const raw: Variant[] =
      sql === null
        ? []
        : [
            {
              name: "one query for erased rows and missing sources",
              prepare: () => () => sql.query(BOTH, [tenantKey]),
            },
          ];
    const [a, b] = await alternate(scale.batches, [ours, ...raw]);
    if (rows === 0) throw new Error("the sweep looked at nothing");
    give(timed({ work: "reconcile of the tenant", ours: a!, raw: b, per: rows }));
  },
};

const BOTH = `
  select (select count(*) from demystify_memory.memory m
            join demystify_memory.tombstone_item i on i.tenant_key = m.tenant_key and i.item_id = m.memory_id
           where m.tenant_key = $1)
       + (select count(*) from demystify_memory.derived d
            join demystify_memory.tombstone_item i on i.tenant_key = d.tenant_key and i.item_id = d.derived_id
           where d.tenant_key = $1)
       + (select count(*) from demystify_memory.derived d, unnest(d.source_memories) s(id)
            left join demystify_memory.memory m on m.tenant_key = $1 and m.memory_id = s.id
           where d.tenant_key = $1 and m.memory_id is null)
       + (select count(*) from demystify_memory.derived d, unnest(d.source_derived) s(id)
            left join demystify_memory.derived m on m.tenant_key = $1 and m.derived_id = s.id
           where d.tenant_key = $1 and m.derived_id is null) as findings`;
