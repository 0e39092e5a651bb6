import { expect, test } from "vitest";
import { describeNative } from "./sqlreal/databases.js";
import { Schedule } from "./sqlreal/schedule.js";

const SCHEDULES = process.env["LONG"] === "1" ? 1000 : 100;
const AT_ONCE = 25;

describeNative("random schedules of three connections", (given) => {
  test.each(Array.from({ length: SCHEDULES / AT_ONCE }, (_, block) => block * AT_ONCE + 1))(
    `end with nothing that should be gone, every erasure complete, and counts that add up (seeds from %i)`,
    { timeout: 120_000 },
    async (firstSeed) => {
      // The application's role, with the right to insert for the job that goes round the library.
      await given.sql(`grant insert, select on demystify_memory.derived to ${given.appRole}`);
      const pool = given.appPool(3);
      let erased = 0;

      for (let seed = firstSeed; seed < firstSeed + AT_ONCE; seed++) {
        const schedule = new Schedule({ seed, pool, tenantKey: given.freshTenant() });
        await schedule.run();
        await schedule.finish();

        const { tenantKey, stored, refusals } = schedule;
        expect(await survivors(tenantKey), `seed ${seed}`).toEqual([]);
        const { open, ...counts } = await certified(tenantKey);
        expect({ seed, open, ...counts }).toEqual({ seed, open: 0, ...stored });
        expect(
          refusals.filter((code) => !EXPECTED.has(code)),
          `seed ${seed}`,
        ).toEqual([]);
        erased += counts.memories;
      }

      // A run that erases nothing proves nothing.
      expect(erased).toBeGreaterThan(0);
    },
  );

  /** Live rows that a tombstone covers, or whose sources are gone or covered. */
  const survivors = (tenantKey: string) =>
    given.sql(
      `select 'covered' as why, x.id from (
           select memory_id as id from demystify_memory.memory where tenant_key = $1
           union all select derived_id from demystify_memory.derived where tenant_key = $1) x
        where exists (select from demystify_memory.tombstone_item i where i.tenant_key = $1 and i.item_id = x.id)
       union all
       select 'source missing', d.derived_id
         from demystify_memory.derived d, unnest(d.source_memories) s
        where d.tenant_key = $1
          and not exists (select from demystify_memory.memory m where m.tenant_key = $1 and m.memory_id = s)
       union all
       select 'source missing', d.derived_id
         from demystify_memory.derived d, unnest(d.source_derived) s
        where d.tenant_key = $1
          and not exists (select from demystify_memory.derived e where e.tenant_key = $1 and e.derived_id = s)
       union all
       select 'persons', d.derived_id
         from demystify_memory.derived d, unnest(d.source_derived) s
         join demystify_memory.derived e on e.derived_id = s
        where d.tenant_key = $1 and not d.subject_hashes @> e.subject_hashes`,
      [tenantKey],
    );

  /** What all receipts and all live rows say together. */
  const certified = async (tenantKey: string) => {
    const [row] = await given.sql(
      `select (select count(*)::int from demystify_memory.erasure_state where tenant_key = $1 and state <> 'complete') as open,
              (select count(*)::int from demystify_memory.memory where tenant_key = $1) + coalesce(sum(s.memories), 0)::int as memories,
              (select count(*)::int from demystify_memory.derived where tenant_key = $1) + coalesce(sum(s.derived), 0)::int as derived,
              (select coalesce(sum(cardinality(source_memories) + cardinality(source_derived)), 0)::int
                 from demystify_memory.derived where tenant_key = $1) + coalesce(sum(s.edges), 0)::int as edges
         from demystify_memory.erasure_state s where s.tenant_key = $1`,
      [tenantKey],
    );
    return row as { open: number; memories: number; derived: number; edges: number };
  };
});

// Refusals of the gate, and conflicts that only a repeatable-read or a plain writer sees. Erasures retry theirs.
const EXPECTED = new Set(["ME003", "40001", "40P01"]);
