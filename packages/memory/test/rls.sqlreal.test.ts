import { beforeAll, describe, expect, test } from "vitest";
import { Memory, PgMemoryStore, TenantScopeError, configure } from "../src/index.js";
import { describeEachDatabase, describeNative, sqlOf } from "./sqlreal/databases.js";
import { refusalOf } from "./sqlreal/refusals.js";
import { insertLineage, insertMemory, liveRows } from "./sqlreal/rows.js";
import type { Sql } from "./support/sql.js";

// Every table that has a tenant; those without are the same for all.
const TENANT_TABLES = `select c.relname as name
  from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_key'
 where c.relnamespace = 'demystify_memory'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition order by 1`;

describeEachDatabase("row-level security, for a role that may read every table,", (given) => {
  let role: string;
  const own = "tenant-a";
  const other = "tenant-b";

  beforeAll(async () => {
    role = await given.createRole();
    await given.sql(`grant usage on schema demystify_memory to ${role}`);
    await given.sql(`grant select, insert, update, delete on all tables in schema demystify_memory to ${role}`);
    const memory = given.memory();
    for (const tenantKey of [own, other]) {
      await insertLineage(given.sql, { tenantKey, subjectKey: "customer:priya" });
      await memory.remember({ tenantKey, subjectKey: "customer:arun", text: "once", idempotencyKey: "1" });
      await insertLineage(given.sql, { tenantKey });
      await memory.erasures.open({ tenantKey, subjectKey: "customer:ramesh" });
      await given.sql("insert into demystify_memory.sink (tenant_key, sink) values ($1, 'cache')", [tenantKey]);
    }
  });

  const tenants = (sql: Sql, where = "") =>
    given.sql(TENANT_TABLES).then(async (tables) => {
      const seen: Record<string, unknown> = {};
      for (const { name } of tables) {
        const rows = await sql(`select distinct tenant_key from demystify_memory.${String(name)} ${where}`);
        seen[String(name)] = rows.map(({ tenant_key: tenantKey }) => tenantKey);
      }
      return seen;
    });

  test("with no tenant set, every table is empty", async () => {
    const seen = await given.session({ role }, (sql) => tenants(sql));

    expect(Object.keys(seen).length).toBeGreaterThan(10);
    expect(Object.values(seen).flat()).toEqual([]);
  });

  test("acting as one tenant, every row of every table is that tenant's", async () => {
    const seen = await given.session({ role, tenantKey: own }, (sql) => tenants(sql));

    // What a superuser sees of that tenant, which is at least a row in most tables.
    expect(seen).toEqual(await tenants(given.sql, `where tenant_key = '${own}'`));
    expect(Object.values(seen).flat().length).toBeGreaterThan(7);
  });

  test("a tenant set to the empty text is no tenant", async () => {
    const rows = await given.session({ role, tenantKey: "" }, (sql) =>
      sql("select count(*)::int as rows from demystify_memory.memory"),
    );

    expect(rows).toEqual([{ rows: 0 }]);
  });

  test("a row cannot be written for another tenant, and changes reach none of another's rows", async () => {
    const refusal = await given.session({ role, tenantKey: own }, (sql) =>
      refusalOf(insertMemory(sql, { tenantKey: other })),
    );
    const reached = await given.session({ role, tenantKey: own }, (sql) =>
      sql("update demystify_memory.memory set embedding = '{1}' where tenant_key = $1 returning 1", [other]),
    );
    const deleted = await given.session({ role, tenantKey: own }, (sql) =>
      sql("delete from demystify_memory.memory where tenant_key = $1 returning 1", [other]),
    );

    expect(refusal.code).toBe("42501");
    expect([...reached, ...deleted]).toEqual([]);
  });

  test("holds for the owner's own tables too: it is forced", async () => {
    const rows = await given.sql(
      `select c.relname from pg_class c where c.relnamespace = 'demystify_memory'::regnamespace and c.relkind in ('r', 'p')
          and not (c.relrowsecurity and c.relforcerowsecurity)`,
    );

    expect(rows).toEqual([]);
  });
});

describeEachDatabase("the application's role", (given) => {
  test("holds no right on any table, and may read two views", async () => {
    const rights = await given.sql(
      `select c.relname as name, string_agg(p.privilege, ',') as privileges
         from pg_class c,
              unnest(array['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'REFERENCES', 'TRIGGER']) p(privilege)
        where c.relnamespace = 'demystify_memory'::regnamespace and c.relkind in ('r', 'p', 'v')
          and (has_table_privilege($1, c.oid, p.privilege)
               or p.privilege in ('SELECT', 'INSERT', 'UPDATE', 'REFERENCES') and has_any_column_privilege($1, c.oid, p.privilege))
        group by c.relname order by c.relname`,
      [given.appRole],
    );

    expect(rights).toEqual([
      { name: "live_memory", privileges: "SELECT" },
      { name: "provenance", privileges: "SELECT" },
    ]);
  });

  test.each([
    "settle",
    "destroy_step",
    "own_tombstones",
    "recount",
    "grant_to",
    "configure",
    "lock_subjects",
    "receipt_json",
  ])("may not call %s, which is the engine's own", async (routine) => {
    const rights = await given.sql(
      "select has_function_privilege($1, f.oid, 'EXECUTE') as may from pg_proc f where f.pronamespace = 'demystify_memory'::regnamespace and f.proname = $2",
      [given.appRole, routine],
    );

    expect(rights).toEqual([{ may: false }]);
  });

  test.each(["live_memory", "provenance"])(
    "sees through %s what can be seen of its own tenant, and of no other",
    async (view) => {
      const [own, other] = [given.freshTenant(), given.freshTenant()];
      for (const tenantKey of [own, other]) {
        await insertLineage(given.sql, { tenantKey });
        await insertLineage(given.sql, { tenantKey, subjectKey: "customer:priya" });
        await given.memory().erasures.open({ tenantKey, subjectKey: "customer:priya" });
        await given.sql(
          `insert into demystify_memory.memory (tenant_key, subject_hash, text, expires_at) values ($1, repeat('0', 64), 'over', '2001-01-01')`,
          [tenantKey],
        );
      }
      const seen = (tenantKey?: string) =>
        given.session({ role: given.appRole, ...(tenantKey === undefined ? {} : { tenantKey }) }, (sql) =>
          sql(`select tenant_key, count(*)::int as rows from demystify_memory.${view} group by tenant_key`),
        );

      expect(await seen(own)).toEqual([{ tenant_key: own, rows: view === "provenance" ? 2 : 1 }]);
      expect(await seen()).toEqual([]);
    },
  );

  test.each([undefined, "another tenant"])("finds the setting as it left it after every call (%s)", async (before) => {
    const tenantKey = before ?? given.freshTenant();

    await given.session(
      { role: given.appRole, ...(before === undefined ? {} : { tenantKey: before }) },
      async (sql) => {
        const memory = on(sql);
        const { memory: row } = await memory.remember({ tenantKey, subjectKey: "customer:ramesh", text: "said" });
        await memory.derive({
          tenantKey,
          kind: "summary",
          text: "said",
          sources: [{ sourceKind: "memory", sourceId: row.memoryId }],
        });
        await memory.recall({ tenantKey, text: "said" });
        await memory.forget({ tenantKey, subjectKey: "customer:ramesh" });

        expect(await setting(sql)).toBe(before ?? "");
      },
    );
  });

  test("finds the setting as it left it inside a transaction of its own, and the next call for another tenant works", async () => {
    await given.session({ role: given.appRole }, async (sql) => {
      await sql("begin");
      await on(sql).remember({ tenantKey: "first", subjectKey: "customer:ramesh", text: "said" });
      const during = await setting(sql);
      await on(sql).remember({ tenantKey: "second", subjectKey: "customer:ramesh", text: "said" });
      await sql("commit");

      expect([during, await setting(sql)]).toEqual(["", ""]);
    });
  });

  test("is refused a tenant other than the one its session has set", async () => {
    const [own, other] = [given.freshTenant(), given.freshTenant()];
    const { memory: id } = await insertLineage(given.sql, { tenantKey: other });

    await given.session({ role: given.appRole, tenantKey: own }, async (sql) => {
      const memory = on(sql);
      const calls = [
        () => memory.getMemory(other, id),
        () => memory.listMemories({ tenantKey: other }),
        () => memory.recall({ tenantKey: other, text: "call" }),
        () => memory.lineage({ tenantKey: other, kind: "memory", id }),
        () => memory.remember({ tenantKey: other, subjectKey: "customer:ramesh", text: "said" }),
        () => memory.previewForget({ tenantKey: other, subjectKey: "customer:ramesh" }),
        () => memory.erasures.open({ tenantKey: other, subjectKey: "customer:ramesh" }),
        () => memory.erasures.list({ tenantKey: other }),
        () => memory.erasureHistory(other),
        () => memory.forget({ tenantKey: other, subjectKey: "customer:ramesh" }),
      ];
      for (const call of calls) await expect(call()).rejects.toBeInstanceOf(TenantScopeError);
    });
    expect(await liveRows(given.sql, other)).toEqual({ memories: 1, derived: 2 });
  });
});

describeEachDatabase('a store with tenantScope "host"', (given) => {
  const host = (sql: Sql) => on(sql, { tenantScope: "host" });

  test("works for the tenant that the session has set, and never touches the setting", async () => {
    const tenantKey = given.freshTenant();

    await given.session({ role: given.appRole, tenantKey }, async (sql) => {
      const { memory } = await host(sql).remember({ tenantKey, subjectKey: "customer:ramesh", text: "said" });
      expect(await host(sql).getMemory(tenantKey, memory.memoryId)).toEqual(memory);
      expect(await host(sql).forget({ tenantKey, subjectKey: "customer:ramesh" })).toMatchObject({ state: "complete" });
      expect(await setting(sql)).toBe(tenantKey);
    });
  });

  test("sees nothing and writes nothing where no tenant is set", async () => {
    const tenantKey = given.freshTenant();
    const { memory: id } = await insertLineage(given.sql, { tenantKey });

    await given.session({ role: given.appRole }, async (sql) => {
      expect(await host(sql).getMemory(tenantKey, id)).toBeNull();
      expect((await host(sql).listMemories({ tenantKey })).rows).toEqual([]);
      expect((await host(sql).recall({ tenantKey, text: "call" })).hits).toEqual([]);
      expect((await host(sql).erasures.list({ tenantKey })).receipts).toEqual([]);
      const writes = [
        () => host(sql).remember({ tenantKey, subjectKey: "customer:ramesh", text: "said" }),
        () => host(sql).erasures.open({ tenantKey, subjectKey: "customer:ramesh" }),
        () => host(sql).forget({ tenantKey, subjectKey: "customer:ramesh" }),
      ];
      for (const write of writes) await expect(write()).rejects.toBeInstanceOf(TenantScopeError);
      expect(await setting(sql)).toBe("");
    });
    expect(await liveRows(given.sql, tenantKey)).toEqual({ memories: 1, derived: 2 });
  });

  test("is refused a tenant other than the session's", async () => {
    const [own, other] = [given.freshTenant(), given.freshTenant()];
    const { memory: id } = await insertLineage(given.sql, { tenantKey: other });

    await given.session({ role: given.appRole, tenantKey: own }, async (sql) => {
      await expect(host(sql).getMemory(other, id)).rejects.toBeInstanceOf(TenantScopeError);
      await expect(host(sql).forget({ tenantKey: other, subjectKey: "customer:ramesh" })).rejects.toBeInstanceOf(
        TenantScopeError,
      );
    });
    expect(await liveRows(given.sql, other)).toEqual({ memories: 1, derived: 2 });
  });
});

describeEachDatabase("where tenant_scope is host for the whole installation,", (given) => {
  beforeAll(async () => {
    await configure(queryable(given.sql), { tenantScope: "host" });
  });

  test("no function acts for a tenant that the session has not set, whatever the caller passes", async () => {
    const tenantKey = given.freshTenant();
    const { memory: id } = await insertLineage(given.sql, { tenantKey });

    await given.session({ role: given.appRole }, async (sql) => {
      const attempts = [
        () => sql("select demystify_memory.get_memory($1, $2)", [tenantKey, id]),
        () => sql("select demystify_memory.get_derived($1, $2)", [tenantKey, id]),
        () => sql("select demystify_memory.tombstone_covering($1, 'memory', $2)", [tenantKey, id]),
        () => sql("select demystify_memory.erasure_receipt($1, $2)", [tenantKey, id]),
        () => sql("select demystify_memory.lineage($1, 'memory', $2)", [tenantKey, id]),
      ];
      for (const attempt of attempts) expect((await refusalOf(attempt())).code).toBe("ME010");
      await expect(on(sql).forget({ tenantKey, subjectKey: "customer:ramesh" })).rejects.toBeInstanceOf(
        TenantScopeError,
      );
    });
    expect(await liveRows(given.sql, tenantKey)).toEqual({ memories: 1, derived: 2 });
  });

  test("they act for the one that it has set", async () => {
    const tenantKey = given.freshTenant();
    await insertLineage(given.sql, { tenantKey });

    const receipt = await given.session({ role: given.appRole, tenantKey }, (sql) =>
      on(sql).forget({ tenantKey, subjectKey: "customer:ramesh" }),
    );

    expect(receipt).toMatchObject({ state: "complete", counts: { memories: 1, derived: 2 } });
  });
});

describeNative("through a pool", (given) => {
  test("of one connection, a call that fails in the middle leaves nothing for the next borrower", async () => {
    const [first, second] = [given.freshTenant(), given.freshTenant()];
    const pool = given.appPool(1);
    const memory = new Memory({ store: new PgMemoryStore(pool) });
    await memory.remember({ tenantKey: first, subjectKey: "customer:ramesh", text: "said" });

    await expect(
      memory.derive({
        tenantKey: first,
        kind: "summary",
        text: "x",
        sources: [{ sourceKind: "memory", sourceId: "018f3c2a-7b1d-7c4e-9a5f-6b7c8d9e0f1a" }],
      }),
    ).rejects.toMatchObject({ code: "ERR_UNKNOWN_SOURCE" });

    expect(await setting(sqlOf(pool as never))).toBe("");
    await memory.remember({ tenantKey: second, subjectKey: "customer:ramesh", text: "said" });
    expect((await memory.listMemories({ tenantKey: second })).rows).toHaveLength(1);
    expect((await pool.query("select * from demystify_memory.live_memory")).rows).toEqual([]);
  });

  test("many tenants at once each see their own rows", async () => {
    const memory = new Memory({ store: new PgMemoryStore(given.appPool(4)) });
    const tenants = Array.from({ length: 12 }, () => given.freshTenant());

    const seen = await Promise.all(
      tenants.map(async (tenantKey) => {
        await memory.remember({ tenantKey, subjectKey: "customer:ramesh", text: `of ${tenantKey}` });
        return (await memory.listMemories({ tenantKey })).rows.map(({ text }) => text);
      }),
    );

    expect(seen).toEqual(tenants.map((tenantKey) => [`of ${tenantKey}`]));
  });

  describe("the two mistakes with the third argument of set_config:", () => {
    test("true outside a transaction fails safe: the setting is over at once, and every row is denied", async () => {
      const tenantKey = given.freshTenant();
      await insertLineage(given.sql, { tenantKey });
      const client = await given.connect("app");

      await client.query("select set_config('app.current_tenant', $1, true)", [tenantKey]);

      expect((await client.query("select * from demystify_memory.live_memory")).rows).toEqual([]);
    });

    test("false on a pooled connection fails open: the next borrower reads the former one's tenant", async () => {
      const tenantKey = given.freshTenant();
      await insertLineage(given.sql, { tenantKey });
      const pool = given.appPool(1);

      const careless = await pool.connect();
      await careless.query("select set_config('app.current_tenant', $1, false)", [tenantKey]);
      careless.release();

      const next = await pool.query<{ tenant_key: string }>("select tenant_key from demystify_memory.live_memory");
      expect(next.rows).toEqual([{ tenant_key: tenantKey }]);
    });
  });
});

function queryable(sql: Sql) {
  return { query: async (text: string, params?: unknown[]) => ({ rows: await sql(text, params) }) };
}

function on(sql: Sql, options: { readonly tenantScope?: "per-call" | "host" } = {}): Memory {
  return new Memory({ store: new PgMemoryStore(queryable(sql), options) });
}

async function setting(sql: Sql): Promise<unknown> {
  const [row] = await sql("select coalesce(current_setting('app.current_tenant', true), '') as tenant");
  return row?.["tenant"];
}
