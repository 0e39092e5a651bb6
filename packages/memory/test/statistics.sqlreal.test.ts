import { expect, test } from "vitest";
import { describeEachDatabase } from "./sqlreal/databases.js";
import { literalsIn } from "./support/dump.js";
import { aCanary } from "./support/canary.js";
import type { Sql } from "./support/sql.js";

const COPIES = 20;

describeEachDatabase("the planner's statistics", (given) => {
  /** A person with many rows, so that each of her values is a most common one. Answers the values. */
  const stored = async (tenantKey: string) => {
    const [person, other, text, note, ref] = [aCanary(), aCanary(), aCanary(), aCanary(), aCanary()];
    const memory = given.memory();
    for (let copy = 0; copy < COPIES; copy++) {
      const { memory: row } = await memory.remember({
        tenantKey,
        subjectKey: person,
        alsoAbout: [other],
        text: `${text} ${text}`,
        metadata: { [note]: note },
        embedding: [0.123456789, 0.5],
        idempotencyKey: `${person}-${String(copy)}`,
      });
      const sources = [{ sourceKind: "memory" as const, sourceId: row.memoryId }];
      await memory.derive({ tenantKey, kind: "summary", text, metadata: { note }, embedding: [0.123456789], sources });
      await memory.recordPlacement({
        tenantKey,
        sink: "cache",
        ref: `${ref}-${String(copy)}`,
        kind: "answer",
        sources,
      });
    }
    return { person, values: [person, other, text, note, ref, "0.1234567"] };
  };

  test("keep no text, metadata, key, ref or vector of rows that ANALYZE has seen, in any catalog, erased or not", async () => {
    const tenantKey = given.freshTenant();
    const { person, values } = await stored(tenantKey);

    await given.sql("analyze");

    const before = await everyStatistic(given.sql);
    expect(before.length).toBeGreaterThan(10);
    expect(literalsIn(before.join("\n"), values)).toEqual([]);
    await given.memory().erasures.open({ tenantKey, subjectKey: person });
    await given.sql("analyze");
    expect(literalsIn((await everyStatistic(given.sql)).join("\n"), values)).toEqual([]);
  });

  test("are kept of no payload column: not even that there are any", async () => {
    const tenantKey = given.freshTenant();
    await stored(tenantKey);

    await given.sql("analyze");

    const kept = await given.sql(
      `select tablename || '.' || attname as column from pg_stats
        where schemaname = 'demystify_memory'
          and attname in ('text', 'metadata', 'embedding', 'subject_key', 'also_keys', 'also_hashes', 'term_hashes',
                          'content_tags', 'idempotency_hash', 'ref', 'fingerprint', 'source_memories', 'source_derived')
          and tablename in ('memory', 'derived', 'placement')`,
    );
    expect(kept).toEqual([]);
  });

  test.each([
    ["an index on an expression", "create index host_index on demystify_memory.memory (lower(text))"],
    [
      "a column for which they are switched on",
      "alter table demystify_memory.memory alter column text set statistics 100",
    ],
  ])("would keep them for %s, and verify_install() says so: this test can fail", async (_what, sabotage) => {
    const { values } = await stored(given.freshTenant());
    const [, , text] = values;

    const [found, failed] = await given.session({}, async (sql) => {
      await sql("begin");
      await sql(sabotage);
      await sql("analyze demystify_memory.memory");
      const kept = literalsIn((await everyStatistic(sql)).join("\n"), [text!]);
      const checks = await sql("select check_name from demystify_memory.verify_install() where not ok");
      await sql("rollback");
      return [kept, checks.map(({ check_name: name }) => String(name))];
    });

    expect(found).toEqual([text]);
    expect(failed.some((name) => name.endsWith("_have_no_statistics") || name.endsWith("_has_no_statistics"))).toBe(
      true,
    );
  });

  test("of an index on an expression keep nothing where its column has them switched off", async () => {
    const { values } = await stored(given.freshTenant());

    await given.session({}, async (sql) => {
      await sql("create index host_index on demystify_memory.memory (lower(text))");
      await sql("alter index demystify_memory.host_index alter column 1 set statistics 0");
    });

    // In a session of its own: up to version 16 the one that changed it goes on with what it knew of the index.
    const found = await given.session({}, async (sql) => {
      await sql("analyze demystify_memory.memory");
      return literalsIn((await everyStatistic(sql)).join("\n"), values);
    });
    await given.sql("drop index demystify_memory.host_index");

    expect(found).toEqual([]);
  });
});

/** Every row of the three catalogs of values, as text; as a superuser, who alone may read them. */
async function everyStatistic(sql: Sql): Promise<readonly string[]> {
  const rows = await sql(
    `select to_jsonb(s)::text as row from pg_statistic s
       join pg_class c on c.oid = s.starelid
      where c.relnamespace in ('demystify_memory'::regnamespace)
         or s.starelid in (select i.indexrelid from pg_index i join pg_class t on t.oid = i.indrelid
                            where t.relnamespace = 'demystify_memory'::regnamespace)
     union all
     select to_jsonb(s)::text from pg_stats s where s.schemaname = 'demystify_memory'
     union all
     select e.stxoid::text || ' ' || coalesce(e.stxdmcv::text, '') from pg_statistic_ext_data e`,
  );
  return rows.map(({ row }) => String(row));
}
