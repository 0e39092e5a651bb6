import { expect, test } from "vitest";
import { describeNative } from "./sqlreal/databases.js";
import { aCanary } from "./support/canary.js";
import { Schedule } from "./sqlreal/schedule.js";

const SCHEDULES = process.env["LONG"] === "1" ? 10_000 : 100;
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
        const schedule = new Schedule({ seed, pool, tenantKey: given.freshTenant(), canary: aCanary() });
        await schedule.run();
        await schedule.finish();

        const { tenantKey, stored, refusals, sink, canary } = schedule;
        expect(await survivors(tenantKey), `seed ${seed}`).toEqual([]);
        expect(await coveredCopies(tenantKey, [...sink.keys()]), `seed ${seed}`).toEqual([]);
        const { open, ...counts } = await certified(tenantKey);
        expect({ seed, open, ...counts }).toEqual({ seed, open: 0, ...stored });
        expect(
          refusals.filter((refusal) => !EXPECTED.has(refusal)),
          `seed ${seed}`,
        ).toEqual([]);
        erased += counts.memories;

        await schedule.forgetEverybody();
        expect({ seed, sink: [...sink], ...(await certified(tenantKey)) }).toMatchObject({ seed, sink: [], open: 0 });
        expect(await leftIn(tenantKey, canary), `seed ${seed}`).toEqual([]);
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

  /** Copies that are still in the sink although their erasure is complete: a false "done". */
  const coveredCopies = (tenantKey: string, inSink: readonly string[]) =>
    given.sql(
      `select i.item_id from demystify_memory.tombstone_item i
        where i.tenant_key = $1 and i.kind = 'placement' and i.item_id = any($2::uuid[])`,
      [tenantKey, inSink],
    );

  /** The tables in which a row of the tenant holds the text, in whatever column. */
  const leftIn = async (tenantKey: string, text: string) => {
    const tables = await given.sql(
      `select table_name::text as name from information_schema.columns
        where table_schema = 'demystify_memory' and column_name = 'tenant_key'
          and table_name in (select tablename from pg_tables where schemaname = 'demystify_memory')`,
    );
    const [row] = await given.sql(
      `select array(${tables
        .map(
          ({ name }) => `(select '${String(name)}' from demystify_memory.${String(name)} t
                           where t.tenant_key = $1 and position($2 in t::text) > 0 limit 1)`,
        )
        .join(" union all ")}) as found`,
      [tenantKey, text],
    );
    return row?.["found"];
  };

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

// Refusals of the gate, and what a writer at REPEATABLE READ is told whose snapshot cannot show why. No deadlock (40P01),
// and nothing that an erasure would have to ask again for.
const EXPECTED = new Set([
  ...["derive", "insert", "copy"].map((writer) => `${writer}: ME003`),
  ...["remember", "derive"].map((writer) => `${writer}: 40001`),
]);
