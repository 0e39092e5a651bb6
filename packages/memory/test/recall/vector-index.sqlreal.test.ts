import pg from "pg";
import { describe, expect, test } from "vitest";
import {
  ensureVectorIndex,
  InvalidInputError,
  Memory,
  PgMemoryStore,
  type RecallInput,
  verifyInstall,
} from "../../src/index.js";
import { describeEachDatabase } from "../sqlreal/databases.js";
import { indexScans } from "../sqlreal/index-scans.js";

const ROWS = 60;
const DIMENSIONS = 8;

describeEachDatabase("an index on the vectors of one tenant", (given) => {
  const pgvector = async () => {
    const [row] = await given.sql("select demystify_memory.vector_schema() is not null as there");
    return row?.["there"] === true;
  };
  /**
   * Loud where the server has no pgvector. A server that CI brings itself must have it (`scripts/install-pgvector.sh`);
   * the packaged one cannot.
   */
  const tested = (title: string, body: (tenantKey: string) => Promise<void>) =>
    test(title, async ({ skip }) => {
      if (!(await pgvector())) {
        const required = process.env["TEST_PGVECTOR"] === "required";
        expect([given.url === "", required], "pgvector is missing where it has to be").toEqual([false, false]);
        skip("pgvector is not installed on this server: run scripts/install-pgvector.sh, set TEST_POSTGRES_BIN");
      }
      await body(given.freshTenant());
    });
  const db = { query: async (text: string, params: unknown[] = []) => ({ rows: await given.sql(text, params) }) };
  const indexOf = (tenantKey: string) => ensureVectorIndex(db, { tenantKey, dimensions: DIMENSIONS });
  const scans = async (name: string) => {
    await given.sql("select pg_stat_force_next_flush()");
    return indexScans(given.sql, name);
  };
  /** In a session of its own, where ten vectors are enough for an index to be searched. */
  const recallFromTen = (input: RecallInput) =>
    given.session({}, async (sql) => {
      await sql("set demystify_memory.exact_vectors = 10");
      const query = async (text: string, params: unknown[] = []) => ({ rows: await sql(text, params) });
      return new Memory({ store: new PgMemoryStore({ query }) }).recall(input);
    });

  tested("is planned without touching anything", async (tenantKey) => {
    const plan = await ensureVectorIndex(db, { tenantKey, dimensions: DIMENSIONS, dryRun: true });

    expect(plan).toMatchObject({ applied: false, indexes: [{ state: "missing" }, { state: "missing" }] });
    expect(plan.statements.filter((statement) => statement.startsWith("create index concurrently"))).toHaveLength(2);
    expect(await given.sql("select * from demystify_memory.vector_indexes($1)", [tenantKey])).toEqual([]);
  });

  tested("is built once, and nothing is left to do the second time", async (tenantKey) => {
    const first = await indexOf(tenantKey);
    const second = await indexOf(tenantKey);

    expect(first.applied).toBe(true);
    expect(second).toEqual({
      applied: false,
      statements: [],
      indexes: first.indexes.map(({ name }) => ({ name, state: "valid" })),
    });
  });

  tested("that a crash left half built is built anew", async (tenantKey) => {
    const { indexes } = await indexOf(tenantKey);
    const name = indexes[0]?.name ?? "";
    await given.sql(`update pg_index set indisvalid = false where indexrelid = ('demystify_memory.' || $1)::regclass`, [
      name,
    ]);

    const repaired = await indexOf(tenantKey);

    expect(repaired.indexes[0]).toEqual({ name, state: "invalid" });
    expect(repaired.statements[0]).toBe(`drop index concurrently if exists demystify_memory.${name}`);
    expect((await indexOf(tenantKey)).indexes.map(({ state }) => state)).toEqual(["valid", "valid"]);
  });

  tested("leaves no vector in the planner's statistics, and every check of the installation ok", async (tenantKey) => {
    await fill(given.memory(), tenantKey);
    const { indexes } = await indexOf(tenantKey);

    await given.sql("analyze demystify_memory.memory");

    const kept = await given.sql("select tablename from pg_stats where tablename = any($1::text[])", [
      `{${indexes.map(({ name }) => name).join(",")}}`,
    ]);
    expect(kept).toEqual([]);
    expect((await verifyInstall(db)).filter(({ ok }) => !ok)).toEqual([]);
  });

  tested("is built anew where statistics were collected on it", async (tenantKey) => {
    const { indexes } = await indexOf(tenantKey);
    await given.sql(`alter index demystify_memory.${indexes[0]?.name ?? ""} alter column 1 set statistics 100`);

    expect((await indexOf(tenantKey)).indexes[0]?.state).toBe("sampled");
    expect((await indexOf(tenantKey)).indexes[0]?.state).toBe("valid");
  });

  tested(
    "is searched once the tenant has vectors enough, which the answer says; else recall stays exact",
    async (tenantKey) => {
      const memory = given.memory();
      await fill(memory, tenantKey);
      const { indexes } = await indexOf(tenantKey);
      const before = await scans(indexes[0]?.name ?? "");

      const exact = await memory.recall({ tenantKey, embedding: vector(3), limit: 5 });
      expect(await scans(indexes[0]?.name ?? "")).toBe(before);
      const indexed = await recallFromTen({ tenantKey, embedding: vector(3), limit: 5 });

      expect(await scans(indexes[0]?.name ?? "")).toBeGreaterThan(before);
      expect(exact.coverage).toMatchObject({ considered: ROWS, eligible: ROWS });
      expect(exact.coverage.index).toBeUndefined();
      expect(indexed.coverage).toMatchObject({ index: "hnsw", partial: true });
      expect(indexed.note).toContain("HNSW index");
      expect(indexed.hits).toEqual(exact.hits);
    },
  );

  tested("leaves the settings of a host's transaction as they were", async (tenantKey) => {
    await fill(given.memory(), tenantKey);
    await indexOf(tenantKey);

    const [before, after] = await given.session({}, async (sql) => {
      const settings =
        "select current_setting('hnsw.ef_search') as far, current_setting('hnsw.iterative_scan') as scan";
      const query = async (text: string, params: unknown[] = []) => ({ rows: await sql(text, params) });
      await sql("set demystify_memory.exact_vectors = 10");
      await sql("begin");
      await sql("set local hnsw.ef_search = 77");
      const memory = new Memory({ store: new PgMemoryStore({ query }) });
      await memory.recall({ tenantKey, embedding: vector(3) });
      const found = await sql(settings);
      const { coverage } = await memory.recall({ tenantKey, embedding: vector(3) });
      expect(coverage.index).toBe("hnsw");
      return [found, await sql(settings)];
    });

    expect(before).toEqual([{ far: "77", scan: "off" }]);
    expect(after).toEqual(before);
  });

  tested("shows nothing that an open erasure hides, and still fills the limit", async (tenantKey) => {
    const memory = given.memory();
    await fill(memory, tenantKey);
    await indexOf(tenantKey);
    await memory.erasures.open({ tenantKey, subjectKey: "person:0" });
    const exact = await memory.recall({ tenantKey, embedding: vector(0), limit: 20 });

    const indexed = await recallFromTen({ tenantKey, embedding: vector(0), limit: 20 });

    expect(indexed.coverage.index).toBe("hnsw");
    expect(indexed.hits).toHaveLength(20);
    expect(indexed.hits).toEqual(exact.hits);
  });

  tested("is searched by the first recall of a session too", async (tenantKey) => {
    await fill(given.memory(), tenantKey);
    const { indexes } = await indexOf(tenantKey);
    const name = indexes[0]?.name ?? "";
    const before = await scans(name);

    // Its library is not loaded in a new session, which does not know its settings before. PGlite has one session alone.
    const client = given.url === "" ? undefined : new pg.Client({ connectionString: given.url });
    await client?.connect();
    const query = async (text: string, params: unknown[] = []) =>
      client === undefined ? db.query(text, params) : client.query(text, params);
    await query("set demystify_memory.exact_vectors = 10");
    const { coverage } = await new Memory({ store: new PgMemoryStore({ query }) }).recall({
      tenantKey,
      embedding: vector(3),
      limit: 5,
    });
    await query("reset demystify_memory.exact_vectors");
    await client?.end();

    expect({ scans: (await scans(name)) - before, index: coverage.index }).toEqual({ scans: 1, index: "hnsw" });
  });

  tested("of one tenant is not searched for another, nor is one that spans them", async (tenantKey) => {
    const other = given.freshTenant();
    await fill(given.memory(), tenantKey);
    await fill(given.memory(), other);
    const [own] = (await indexOf(tenantKey)).indexes;
    const [row] = await given.sql("select demystify_memory.vector_schema() as schema");
    const at = String(row?.["schema"]);
    await given.sql(
      `create index shared_by_all on demystify_memory.memory using hnsw ((embedding::${at}.vector(${String(DIMENSIONS)})) ${at}.vector_cosine_ops)
        where dimensions = ${String(DIMENSIONS)}`,
    );

    const { hits, coverage } = await recallFromTen({ tenantKey: other, embedding: vector(3), limit: 5 });

    expect([await scans(own?.name ?? ""), await scans("shared_by_all")]).toEqual([0, 0]);
    expect(hits).toHaveLength(5);
    expect(coverage).toMatchObject({ considered: ROWS });
    await given.sql("drop index demystify_memory.shared_by_all");
  });

  tested("is reported by the store", async (tenantKey) => {
    const { indexes } = await indexOf(tenantKey);

    const memory = given.memory();
    const { vectorIndexes } = await memory.capabilities();

    expect(vectorIndexes).toEqual(
      expect.arrayContaining(
        indexes.map(({ name }) => expect.objectContaining({ name, dimensions: DIMENSIONS, state: "valid" }) as unknown),
      ),
    );
  });

  describe("is refused", () => {
    test.each([
      [{ dimensions: 2001 }, "dimensions"],
      [{ dimensions: 4001, kind: "hnsw-halfvec" as const }, "dimensions"],
      [{ dimensions: 8, kind: "ivfflat" as never }, "kind"],
    ])("as %j", async (input, argument) => {
      await expect(ensureVectorIndex(db, { tenantKey: "t", ...input })).rejects.toMatchObject({ argument });
      await expect(ensureVectorIndex(db, { tenantKey: "", dimensions: 8 })).rejects.toThrow(InvalidInputError);
    });
  });
});

/** Points round a circle, each a little off the plane, so that all distances differ. */
function vector(n: number): number[] {
  const angle = (n / ROWS) * Math.PI;
  return [Math.cos(angle), Math.sin(angle), n / 1000, 0.1, 0, 0, 0, 0];
}

async function fill(memory: Memory, tenantKey: string): Promise<void> {
  const rows = Array.from({ length: ROWS }, (_, n) => ({
    tenantKey,
    subjectKey: `person:${String(n % 3)}`,
    text: `point ${String(n)}`,
    embedding: vector(n),
  }));
  for (const result of await memory.rememberMany(rows)) if ("error" in result) throw result.error;
}
