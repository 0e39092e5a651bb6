import type pg from "pg";
import { beforeAll, describe, expect, test } from "vitest";
import { describeEachDatabase, describeNative, sqlOf } from "./sqlreal/databases.js";
import { indexScans } from "./sqlreal/index-scans.js";
import { insertDerived, insertLineage, insertMemory, liveRows } from "./sqlreal/rows.js";
import { libraryOn } from "./sqlreal/sessions.js";
import { ForgetIncompleteError, subjectHash, type Memory } from "../src/index.js";

const SUBJECT = { subjectKey: "customer:ramesh" };
const PINS = ["enable_seqscan=off", "enable_hashjoin=off", "enable_mergejoin=off"];

describeEachDatabase("what keeps the plans of the schema's own statements", (given) => {
  const routines = () =>
    given.sql(
      `select p.proname as name, coalesce(p.proconfig, '{}') as settings
         from pg_proc p where p.pronamespace = 'demystify_memory'::regnamespace and p.prokind = 'f'`,
    ) as Promise<readonly unknown[]> as Promise<readonly { name: string; settings: string[] }[]>;

  // Of these, one only makes SQL, one grants rights once, and the checks read catalogs.
  const READS_NO_ROWS = ["recall_statement", "grant_to", "verify_install"];

  test("every function that reads rows does so by an index, also while its plan is from when there were none", async () => {
    const reading = (await given.sql(
      `select p.proname as name, coalesce(p.proconfig, '{}') as settings
         from pg_proc p join pg_language l on l.oid = p.prolang
        where p.pronamespace = 'demystify_memory'::regnamespace and p.prokind = 'f' and l.lanname in ('plpgsql', 'sql')
          and p.prosrc ~ 'demystify_memory\\.(memory|derived|tombstone|tombstone_item|erasure_event|erasure_state|placement|placement_lease|subject|subject_key|open_erasure|legal_hold|idempotency_key|restriction_in_force)\\M'`,
    )) as readonly unknown[] as readonly { name: string; settings: string[] }[];

    expect(reading.length).toBeGreaterThan(50);
    const slow = reading.filter(({ settings }) => !settings.includes("enable_seqscan=off")).map(({ name }) => name);
    expect(slow.filter((name) => !READS_NO_ROWS.includes(name))).toEqual([]);
  });

  test("every function that pins a plan also has JIT off, which would cost a hundred milliseconds a statement", async () => {
    const pinned = (await routines()).filter(({ settings }) =>
      settings.some((setting) => setting.startsWith("enable_")),
    );

    expect(pinned.length).toBeGreaterThan(5);
    expect(pinned.filter(({ settings }) => !settings.includes("jit=off")).map(({ name }) => name)).toEqual([]);
  });

  test.each([
    "reach_derived",
    "record_memory_delete",
    "record_derived_delete",
    "settle_direct_delete",
    "closure_of",
    "recount",
    "gate_memory",
    "gate_sources",
  ])("%s is planned the same for the first batch and for all later ones", async (name) => {
    const [routine] = (await routines()).filter((candidate) => candidate.name === name);

    expect(routine?.settings).toEqual(expect.arrayContaining([...PINS, "jit=off"]));
  });

  test("no GIN index collects a pending list, which makes the next delete two hundred times slower", async () => {
    const slow = await given.sql(
      `select c.relname from pg_class c join pg_am a on a.oid = c.relam
        where c.relnamespace = 'demystify_memory'::regnamespace and a.amname = 'gin'
          and not coalesce(c.reloptions @> array['fastupdate=off'], false)`,
    );

    expect(slow).toEqual([]);
  });
});

describeNative("among fifty thousand rows of five hundred tenants, never analysed,", (given) => {
  const TENANTS = 500;
  // One of them has a tenth of all rows, so that a plan by tenant shows.
  const LARGE = "tenant-0";
  const ROWS = 50_000;
  // A statement that looks at everything reads at least this many rows.
  const FEW = 1_000;
  let client: pg.Client;

  beforeAll(async () => {
    await neverAnalyse(given.sql);
    await fill(given.sql, TENANTS, ROWS);
    client = await given.connect();
  }, 60_000);

  const rowsRead = (work: () => Promise<unknown>) => rowsReadBy(given.sql, client, work);
  const scansOf = async (index: string) => {
    await client.query("select pg_stat_force_next_flush()");
    return indexScans(given.sql, index);
  };

  test("the measure itself notices a statement that reads everything", async () => {
    const read = await rowsRead(() =>
      client.query("select count(*) from demystify_memory.derived where text like '%x%'"),
    );

    expect(read).toBeGreaterThanOrEqual(ROWS);
  });

  test.each([LARGE, "a tenant of its own"])(
    "a plain DELETE cascades through the indexes on sources (%s)",
    async (tenant) => {
      const tenantKey = tenant === LARGE ? tenant : given.freshTenant();
      const { memory } = await insertLineage(given.sql, { tenantKey });
      const before = [await scansOf("derived_by_source_memory"), await scansOf("derived_by_source_derived")];

      const read = await rowsRead(() =>
        client.query("delete from demystify_memory.memory where tenant_key = $1 and memory_id = $2", [
          tenantKey,
          memory,
        ]),
      );

      const after = [await scansOf("derived_by_source_memory"), await scansOf("derived_by_source_derived")];
      expect(after.map((scans, index) => scans > before[index]!)).toEqual([true, true]);
      expect(read).toBeLessThan(FEW);
    },
  );

  test("a plain DELETE of many memories of a large tenant asks the index on sources for each, and not the tenant's own", async () => {
    const rows = 300;
    await fillOne(client, LARGE, rows);
    const before = [await scansOf("derived_by_source_memory"), await scansOf("derived_by_source_derived")];

    const read = await rowsRead(() =>
      client.query("delete from demystify_memory.memory where tenant_key = $1 and subject_hash = $2", [
        LARGE,
        subjectHash({ ...SUBJECT, tenantKey: LARGE }),
      ]),
    );

    const after = [await scansOf("derived_by_source_memory"), await scansOf("derived_by_source_derived")];
    expect(after.map((scans, index) => scans - before[index]! >= rows)).toEqual([true, true]);
    expect(read / rows).toBeLessThan(50);
  });

  test("every call of the library reads what it concerns and little else, in a session that began with a small one", async () => {
    const tenantKey = given.freshTenant();
    const memory = libraryOn(client);
    const ids: string[] = [];

    const read = {
      remember: await rowsRead(async () => {
        for (let n = 0; n < 3; n++)
          ids.push((await memory.remember({ ...SUBJECT, tenantKey, text: "prefers tea" })).memory.memoryId);
      }),
      derive: await rowsRead(() =>
        memory.derive({
          tenantKey,
          kind: "summary",
          text: "tea",
          sources: [{ sourceKind: "memory", sourceId: ids[0]! }],
        }),
      ),
      recall: await rowsRead(() => memory.recall({ tenantKey, text: "tea" })),
      list: await rowsRead(() => memory.listDerived({ tenantKey, ...SUBJECT })),
      preview: await rowsRead(() => memory.previewForget({ tenantKey, ...SUBJECT })),
      open: await rowsRead(() => memory.erasures.open({ tenantKey, ...SUBJECT })),
      forget: await rowsRead(() => memory.forget({ tenantKey, ...SUBJECT })),
      history: await rowsRead(() => memory.erasureHistory(tenantKey, SUBJECT)),
    };

    expect(Object.entries(read).filter(([, rows]) => rows >= FEW)).toEqual([]);
  });

  // Its own index would look cheap to a planner without statistics, and be read as a whole for each of these.
  test("what is asked of rows by their ids reads these rows alone, among the many of a large tenant", async () => {
    const memory = libraryOn(client);
    const whom = { tenantKey: LARGE, subjectKey: "customer:by-id" };
    const stored = await memory.rememberMany(
      Array.from({ length: 20 }, (_, n) => ({ ...whom, text: `prefers tea number ${String(n)}`, embedding: [1, n] })),
    );
    const ids = stored.map((one) => ("memory" in one ? one.memory.memoryId : ""));
    const sources = ids.map((sourceId) => ({ sourceKind: "memory" as const, sourceId }));

    const read = {
      remember: await rowsRead(() => memory.remember({ ...whom, text: "prefers tea" })),
      derive: await rowsRead(() => memory.derive({ tenantKey: LARGE, kind: "summary", text: "tea", sources })),
      get: await rowsRead(() => memory.getMemory(LARGE, ids[0]!)),
      terms: await rowsRead(() => memory.recall({ ...whom, text: "tea" })),
      rarity: await rowsRead(() => memory.recall({ ...whom, text: "tea", strategy: "bm25" })),
      vector: await rowsRead(() => memory.recall({ ...whom, embedding: [1, 2], text: "tea", strategy: "vector" })),
      list: await rowsRead(() => memory.listMemories(whom)),
      listDerived: await rowsRead(() => memory.listDerived(whom)),
      lineage: await rowsRead(() => memory.lineage({ tenantKey: LARGE, kind: "memory", id: ids[0]! })),
      preview: await rowsRead(() => memory.previewForget({ tenantKey: LARGE, memoryIds: ids.slice(0, 5) })),
      chosen: await rowsRead(() => memory.forget({ tenantKey: LARGE, memoryIds: ids.slice(0, 5) })),
      again: await rowsRead(() => memory.forget({ tenantKey: LARGE, memoryIds: ids.slice(0, 5) })),
      correct: await rowsRead(() => memory.correct({ tenantKey: LARGE, memoryId: ids[6]!, text: "prefers coffee" })),
      open: await rowsRead(() => memory.erasures.open(whom)),
      forget: await rowsRead(() => memory.forget(whom)),
      history: await rowsRead(() => memory.erasureHistory(LARGE, { subjectKey: whom.subjectKey })),
    };

    expect(Object.entries(read).filter(([, rows]) => rows >= 300)).toEqual([]);
  });

  test("the gate reads what one row concerns, also after a batch of a thousand in the same session", async () => {
    const tenantKey = given.freshTenant();
    const source = await insertMemory(sqlOf(client), { tenantKey });
    await client.query(
      `insert into demystify_memory.derived (tenant_key, kind, text, source_memories)
       select $1, 'summary', 'one of many', array[$2::uuid] from generate_series(1, 1000)`,
      [tenantKey, source],
    );

    const read = await rowsRead(() => insertDerived(sqlOf(client), { tenantKey, memories: [source] }));

    expect(read).toBeLessThan(100);
  });

  test("forgetting grows with what is forgotten, not with its square", async () => {
    const forgetting = async (rows: number) => {
      const tenantKey = given.freshTenant();
      await fillOne(client, tenantKey, rows);
      // The traps that this guards against took minutes.
      await client.query("set statement_timeout = '20s'");
      const read = await rowsRead(() => libraryOn(client).forget({ ...SUBJECT, tenantKey }));
      await client.query("reset statement_timeout");
      expect(await liveRows(given.sql, tenantKey)).toEqual({ memories: 0, derived: 0 });
      return read;
    };

    const [small, large] = [await forgetting(100), await forgetting(1000)];

    expect(large / small).toBeLessThan(15);
  });

  describe("the same with statistics", () => {
    beforeAll(() => given.sql("analyze"));

    test("a plain DELETE and a forget read what they concern and little else", async () => {
      const [first, second] = [LARGE, given.freshTenant()];
      const { memory } = await insertLineage(given.sql, { tenantKey: first });
      await insertLineage(given.sql, { tenantKey: second });

      const read = [
        await rowsRead(() =>
          client.query("delete from demystify_memory.memory where memory_id = $1 and tenant_key = $2", [memory, first]),
        ),
        await rowsRead(() => libraryOn(client).forget({ ...SUBJECT, tenantKey: second })),
      ];

      expect(read.filter((rows) => rows >= FEW)).toEqual([]);
    });
  });
});

// The session has plans from when the store was empty, where reading all of a table was as good as any; they last until the
// tables are analysed again. Until then a statement may read a table as a whole, once, but never once for each row.
describeNative("among a few thousand rows of one tenant, analysed when there was next to nothing,", (given) => {
  const ROWS = 3_000;
  const TENANT = "tenant-0";
  let client: pg.Client;

  beforeAll(async () => {
    await neverAnalyse(given.sql);
    client = await given.connect();
    const warmUp = () => useEachCall(libraryOn(client), given.freshTenant(), (_, work) => work());
    await warmUp();
    await given.sql("analyze");
    // After five times a session keeps a plan.
    for (let n = 0; n < 6; n++) await warmUp();
    await fill(given.sql, 1, ROWS);
  }, 60_000);

  test("no call reads a table as a whole for each row it concerns", async () => {
    const read: Record<string, number> = {};
    await useEachCall(libraryOn(client), given.freshTenant(), async (call, work) => {
      read[call] = await rowsReadBy(given.sql, client, work);
    });

    expect(Object.entries(read).filter(([, rows]) => rows >= 3 * ROWS)).toEqual([]);
  });

  test.each(["forget", "steps", "delete"])("nor does erasing a person of sixty rows (%s)", async (how) => {
    await fillOne(client, TENANT, 20);
    const memory = libraryOn(client);
    const whom = { ...SUBJECT, tenantKey: TENANT };

    const read = await rowsReadBy(given.sql, client, async () => {
      if (how === "forget") await memory.forget(whom);
      else if (how === "steps") {
        const { tombstoneId } = await memory.erasures.open(whom);
        await memory.erasures.resume({ tenantKey: TENANT, tombstoneId });
      } else
        await client.query("delete from demystify_memory.memory where tenant_key = $1 and subject_hash = $2", [
          TENANT,
          subjectHash(whom),
        ]);
    });

    // Some statements read a table once; one that read it for each row would come to sixty times as much.
    expect(read).toBeLessThan(10 * ROWS);
  });
});

/** The calls of the library on one small tenant, each given to `run` under its name. */
async function useEachCall(
  memory: Memory,
  tenantKey: string,
  run: (call: string, work: () => Promise<unknown>) => Promise<unknown>,
): Promise<void> {
  const whom = { ...SUBJECT, tenantKey };
  const ids: string[] = [];
  await run("remember", async () => {
    ids.push((await memory.remember({ ...whom, text: "prefers tea", idempotencyKey: "one" })).memory.memoryId);
  });
  await run("rememberMany", async () => {
    const results = await memory.rememberMany([
      { ...whom, text: "prefers coffee" },
      { ...whom, text: "prefers milk", expiresAt: new Date(Date.now() + 3_600_000) },
    ]);
    for (const one of results) if ("memory" in one) ids.push(one.memory.memoryId);
  });
  const sources = ids.map((sourceId) => ({ sourceKind: "memory" as const, sourceId }));
  await run("derive", () => memory.derive({ tenantKey, kind: "summary", text: "drinks", sources }));
  let placementId = "";
  await run("recordPlacement", async () => {
    const place = { tenantKey, sink: "vectors", ref: "vec-1", kind: "embedding", sources };
    placementId = (await memory.recordPlacement(place)).placement.placementId;
  });
  await run("placements.written", () => memory.placements.written({ tenantKey, placementId, ref: "vec-1" }));
  await run("getMemory", () => memory.getMemory(tenantKey, ids[0]!));
  await run("recall", () => memory.recall({ tenantKey, text: "tea" }));
  await run("recall of a person", () => memory.recall({ ...whom, text: "tea", strategy: "bm25" }));
  await run("listMemories", () => memory.listMemories(whom));
  await run("listDerived", () => memory.listDerived(whom));
  await run("lineage", () => memory.lineage({ tenantKey, kind: "memory", id: ids[0]! }));
  await run("previewForget", () => memory.previewForget(whom));
  await run("isForgotten", () => memory.isForgotten({ tenantKey, memoryIds: ids }));
  await run("forget of chosen ones", () => memory.forget({ tenantKey, memoryIds: [ids[1]!] }).catch(incomplete));
  const opened = await memory.erasures.open(whom);
  await run("resume", () => memory.erasures.resume({ tenantKey, tombstoneId: opened.tombstoneId }).catch(incomplete));
  await run("outstanding", () => memory.erasures.outstanding({ tenantKey, tombstoneId: opened.tombstoneId }));
  await run("status", () => memory.erasures.status({ tenantKey, tombstoneId: opened.tombstoneId }));
  await run("erasureHistory", () => memory.erasureHistory(tenantKey, { subjectKey: SUBJECT.subjectKey }));
}

function incomplete(error: unknown): void {
  if (!(error instanceof ForgetIncompleteError)) throw error;
}

/** How many rows and index entries of the schema the server reads for one piece of work on one connection. */
async function rowsReadBy(
  sql: (text: string) => Promise<readonly Record<string, unknown>[]>,
  client: pg.Client,
  work: () => Promise<unknown>,
): Promise<number> {
  const counted = async () => {
    await client.query("select pg_stat_force_next_flush()");
    // What the other session has read before is not to be counted later.
    await sql("select pg_stat_force_next_flush()");
    const [row] = await sql(
      `select (select sum(seq_tup_read) from pg_stat_user_tables where schemaname = 'demystify_memory')::int
            + (select sum(idx_tup_read) from pg_stat_user_indexes where schemaname = 'demystify_memory')::int as rows`,
    );
    return Number(row?.["rows"]);
  };
  const before = await counted();
  await work();
  return (await counted()) - before;
}

type Statement = (text: string, params?: readonly unknown[]) => Promise<unknown>;

async function neverAnalyse(sql: Statement): Promise<void> {
  await sql(`do $$ declare t text; begin
    for t in select relname from pg_class where relnamespace = 'demystify_memory'::regnamespace and relkind = 'r' loop
      execute format('alter table demystify_memory.%I set (autovacuum_enabled = off)', t);
    end loop; end $$`);
}

/** Rows of many tenants and a long history of erasures, loaded with the rules switched off for the while. */
async function fill(sql: Statement, tenants: number, rows: number): Promise<void> {
  const tables = ["memory", "derived", "tombstone", "tombstone_item", "erasure_event"];
  const triggers = (mode: string) =>
    tables.map((table) => `alter table demystify_memory.${table} ${mode} trigger user`).join("; ");
  await sql(triggers("disable"));
  await sql(
    `insert into demystify_memory.memory (tenant_key, subject_hash, text)
     select 'tenant-' || (n % ${tenants}) * (n % 10 <> 0)::int, encode(sha256((n % 5000)::text::bytea), 'hex'), 'said ' || n from generate_series(1, ${rows}) n`,
  );
  await sql(
    `insert into demystify_memory.derived (tenant_key, kind, text, source_memories, subject_hashes)
     select tenant_key, 'summary', text, array[memory_id], array[subject_hash] from demystify_memory.memory`,
  );
  await sql(
    `insert into demystify_memory.tombstone_item (tenant_key, item_id, tombstone_id, kind)
     select 'tenant-' || n % ${tenants}, gen_random_uuid(), gen_random_uuid(), 'memory' from generate_series(1, ${rows}) n`,
  );
  await sql(
    `insert into demystify_memory.tombstone (tenant_key, tombstone_id, scope, subject_hash, reason, origin, matched)
     select 'tenant-' || n % ${tenants}, gen_random_uuid(), 'subject', encode(sha256((n % 5000)::text::bytea), 'hex'), 'operator', 'forget', true
       from generate_series(1, ${rows}) n`,
  );
  await sql(
    `insert into demystify_memory.erasure_event (tenant_key, tombstone_id, event)
     select tenant_key, tombstone_id, e from demystify_memory.tombstone, unnest(array['destroyed', 'completed']) e`,
  );
  await sql(
    `insert into demystify_memory.subject (tenant_key, subject_hash)
     select distinct tenant_key, subject_hash from demystify_memory.memory on conflict do nothing`,
  );
  await sql(`do $$ declare t record; begin
    for t in select c.relname, g.tgname from pg_trigger g join pg_class c on c.oid = g.tgrelid
              where c.relnamespace = 'demystify_memory'::regnamespace and c.relname in ('${tables.join("', '")}') and not g.tgisinternal loop
      execute format('alter table demystify_memory.%I enable always trigger %I', t.relname, t.tgname);
    end loop; end $$`);
}

/** Memories of one person, a summary of each, and a summary of each summary. */
async function fillOne(client: pg.Client, tenantKey: string, rows: number): Promise<void> {
  const hash = subjectHash({ ...SUBJECT, tenantKey });
  await client.query(
    `insert into demystify_memory.memory (tenant_key, subject_hash, text) select $1, $2, 'said ' || n from generate_series(1, $3::int) n`,
    [tenantKey, hash, rows],
  );
  await client.query(
    `insert into demystify_memory.derived (tenant_key, kind, text, source_memories)
     select tenant_key, 'weekly', text, array[memory_id] from demystify_memory.memory where tenant_key = $1 and subject_hash = $2`,
    [tenantKey, hash],
  );
  await client.query(
    `insert into demystify_memory.derived (tenant_key, kind, text, source_derived)
     select tenant_key, 'monthly', text, array[derived_id] from demystify_memory.derived where tenant_key = $1 and kind = 'weekly'`,
    [tenantKey],
  );
}
