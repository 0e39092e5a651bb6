import { describe, expect, test } from "vitest";
import { subjectHash } from "../src/index.js";
import { describeEachDatabase } from "./sqlreal/databases.js";
import { refusalOf } from "./sqlreal/refusals.js";
import { insertDerived, insertLineage, insertMemory, tombstonesOf } from "./sqlreal/rows.js";
import { aCanary } from "./support/canary.js";

const EVIDENCE = ["tombstone", "tombstone_item", "erasure_event", "restriction", "legal_hold", "schema_migration"];
const OTHERS = ["memory", "derived", "placement", "subject", "idempotency_key", "open_erasure", "sink", "settings", "legal_basis"];

// Whoever might think that the rules are for others.
const ACTING: Readonly<Record<string, readonly string[]>> = {
  "the superuser": [],
  "the superuser with ordinary triggers off": ["set session_replication_role = replica"],
  "the owner of the tables": ["set role demystify_memory_engine"],
};

describeEachDatabase("evidence", (given) => {
  describe.each(Object.keys(ACTING))("cannot be changed by %s:", (who) => {
    const attempt = (statement: string) =>
      given.session({}, async (sql) => {
        for (const setting of ACTING[who]!) await sql(setting);
        return refusalOf(sql(statement));
      });

    test.each(EVIDENCE)("no row of %s can be updated, deleted or truncated", async (table) => {
      const key = table === "schema_migration" ? "version" : "tenant_key";

      const codes = [
        (await attempt(`update demystify_memory.${table} set ${key} = ${key}`)).code,
        (await attempt(`delete from demystify_memory.${table}`)).code,
        (await attempt(`truncate demystify_memory.${table}`)).code,
      ];

      expect(codes).toEqual(["ME015", "ME015", "ME015"]);
    });

    test.each(OTHERS)("%s cannot be truncated, because that would leave no evidence", async (table) => {
      expect((await attempt(`truncate demystify_memory.${table} cascade`)).code).toBe("ME015");
    });

    test.each([
      ["memory", "text", "'said something else'"],
      ["memory", "subject_hash", `'${"0".repeat(64)}'`],
      ["memory", "subject_key", "'customer:priya'"],
      ["memory", "also_hashes", `array['${"0".repeat(64)}']`],
      ["memory", "tenant_key", "'another'"],
      ["memory", "memory_id", "gen_random_uuid()"],
      ["memory", "metadata", `'{"note": "changed"}'`],
      ["memory", "content_tags", "array['changed']"],
      ["memory", "captured_at", "'2001-01-01'"],
      ["memory", "expires_at", "'2999-01-01'"],
      ["memory", "created_at", "'2001-01-01'"],
      ["memory", "provenance_known", "false"],
      ["derived", "text", "'said something else'"],
      ["derived", "kind", "'other'"],
      ["derived", "source_memories", "array[gen_random_uuid()]"],
      ["derived", "source_derived", "array[gen_random_uuid()]"],
      ["derived", "subject_hashes", "array[]::text[]"],
      ["derived", "tenant_key", "'another'"],
      ["derived", "derived_id", "gen_random_uuid()"],
      ["derived", "metadata", `'{"note": "changed"}'`],
      ["derived", "expires_at", "'2999-01-01'"],
    ])("%s.%s of a stored row cannot be updated", async (table, column, value) => {
      const tenantKey = given.freshTenant();
      await insertLineage(given.sql, { tenantKey });

      const refusal = await attempt(`update demystify_memory.${table} set ${column} = ${value} where tenant_key = '${tenantKey}'`);

      expect(refusal.code).toBe("ME015");
    });
  });

  test("a vector and term hashes may be made anew", async () => {
    const tenantKey = given.freshTenant();
    await insertLineage(given.sql, { tenantKey });

    for (const table of ["memory", "derived"]) {
      await given.sql(`update demystify_memory.${table} set embedding = '{1,2}', term_hashes = '{3}' where tenant_key = $1`, [
        tenantKey,
      ]);
    }

    const rows = await given.sql("select dimensions from demystify_memory.memory where tenant_key = $1", [tenantKey]);
    expect(rows).toEqual([{ dimensions: 2 }]);
  });

  test("no item can be added once the rows of its tombstone are destroyed", async () => {
    const tenantKey = given.freshTenant();
    const kept = await insertMemory(given.sql, { tenantKey, subjectKey: "customer:priya" });
    await insertMemory(given.sql, { tenantKey });
    const { tombstoneId } = await given.memory().forget({ tenantKey, subjectKey: "customer:ramesh" });

    const refusal = await refusalOf(
      given.sql(
        "insert into demystify_memory.tombstone_item (tenant_key, item_id, tombstone_id, kind) values ($1, $2, $3, 'memory')",
        [tenantKey, kept, tombstoneId],
      ),
    );

    expect(refusal.code).toBe("ME005");
  });

  test("no item can be added for a tombstone that does not exist", async () => {
    const refusal = await refusalOf(
      given.sql(
        `insert into demystify_memory.tombstone_item (tenant_key, item_id, tombstone_id, kind)
         values ($1, gen_random_uuid(), gen_random_uuid(), 'memory')`,
        [given.freshTenant()],
      ),
    );

    expect(refusal.code).toBe("ME005");
  });

  test.each([
    ["tombstone", "subject_hash", "customer:ramesh"],
    ["tombstone", "subject_hash", "A".repeat(64)],
    ["tombstone", "requested_by_hash", "ramesh@example.com"],
    ["tombstone", "request_hash", "ticket 4711"],
    ["tombstone", "reason", "he asked on the phone"],
    ["tombstone", "origin", "psql"],
    ["tombstone", "requested_by_role", "ramesh"],
    ["tombstone", "legal_basis", "because"],
  ])("%s.%s takes a code or a hash, and refuses anything else: %s", async (table, column, value) => {
    const columns = new Map([
      ["tenant_key", given.freshTenant()],
      ["scope", "memories"],
      ["reason", "operator"],
      ["origin", "forget"],
      ["matched", "false"],
    ]).set(column, value);

    const refusal = await refusalOf(
      given.sql(
        `insert into demystify_memory.${table} (${[...columns.keys()].join(", ")})
         values (${[...columns.keys()].map((_, index) => `$${index + 1}`).join(", ")})`,
        [...columns.values()],
      ),
    );

    expect(refusal.code).toMatch(/^235/);
  });

  test.each([
    ["code", "asked by Ramesh"],
    ["actor", "ramesh 9876543210"],
    ["actor", "worker-9876543210"],
    ["reference", "see the mail of Ramesh"],
    ["event", "forgotten"],
    ["proof", "promised"],
  ])("erasure_event.%s takes a code, and refuses anything else: %s", async (column, value) => {
    const refusal = await refusalOf(
      given.sql(
        `insert into demystify_memory.erasure_event (tenant_key, tombstone_id, ${column === "event" ? "" : "event, "}${column})
         values ($1, gen_random_uuid(), ${column === "event" ? "" : "'attempt', "}$2)`,
        [given.freshTenant(), value],
      ),
    );

    expect(refusal.code).toBe("23514");
  });

  test("nothing personal is in it after an erasure: only ids, hashes, counts and codes", async () => {
    const tenantKey = given.freshTenant();
    const [person, text, kindOfText] = [aCanary(), aCanary(), aCanary()];
    const memory = given.memory();
    const source = await memory.remember({ tenantKey, subjectKey: person, text, metadata: { note: kindOfText } });
    await insertDerived(given.sql, { tenantKey, memories: [source.memory.memoryId], text });

    await memory.forget({ tenantKey, subjectKey: person, requestedBy: { role: "data_principal" } });

    await given.expectNowhere(person, text, kindOfText);
    const columns = await given.sql(
      `select distinct a.atttypid::regtype::text as type
         from pg_attribute a
        where a.attrelid = any(${EVIDENCE_TABLES}) and a.attnum > 0`,
    );
    expect(columns.map(({ type }) => type).sort()).toEqual([
      "boolean",
      "integer",
      "smallint",
      "text",
      "text[]",
      "timestamp with time zone",
      "uuid",
      "uuid[]",
      "xid8",
    ]);
  });

  test("every text in it is held to a code, a hash or a key by a constraint", async () => {
    const free = await given.sql(
      `select c.relname || '.' || a.attname as column
         from pg_class c
         join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
        where c.oid = any(${EVIDENCE_TABLES}) and a.atttypid in ('text'::regtype, 'text[]'::regtype)
          and not exists (select from pg_constraint k
                           where k.conrelid = c.oid and k.contype in ('c', 'f') and a.attnum = any(k.conkey))
        order by 1`,
    );

    // The tenant's key is the host's own name for an account; content tags are keyed hashes and are made by the library.
    expect(free.map(({ column }) => column)).toEqual([
      "erasure_event.tenant_key",
      "tombstone.tenant_key",
      "tombstone_item.content_tags",
      "tombstone_item.tenant_key",
    ]);
  });

  test("the planner's statistics keep no text, key or vector, even of rows that ANALYZE has seen", async () => {
    const tenantKey = given.freshTenant();
    const [person, text, inMetadata] = [aCanary(), aCanary(), aCanary()];
    const memory = given.memory();
    for (let copies = 0; copies < 20; copies++) {
      const { memory: row } = await memory.remember({
        tenantKey,
        subjectKey: person,
        text: `${text} ${text}`,
        metadata: { [inMetadata]: inMetadata },
        embedding: [0.123456789, 0.5],
      });
      await memory.derive({
        tenantKey,
        kind: "summary",
        text,
        metadata: { note: inMetadata },
        sources: [{ sourceKind: "memory", sourceId: row.memoryId }],
      });
    }
    await given.sql("analyze demystify_memory.memory, demystify_memory.derived");

    await memory.forget({ tenantKey, subjectKey: person });

    await given.expectNowhere(person, text, inMetadata, "0.1234567");
    const [kept] = await given.sql(
      `select count(*)::int as columns, bool_or(s::text like '%canary%') as personal
         from pg_statistic s join pg_class c on c.oid = s.starelid
        where c.relnamespace = 'demystify_memory'::regnamespace`,
    );
    expect(kept).toMatchObject({ personal: false });
    expect(Number(kept?.["columns"])).toBeGreaterThan(0);
  });

  test("a person's hash in it is the one the library writes, and without a pepper says that it is not keyed", async () => {
    const tenantKey = given.freshTenant();
    await insertMemory(given.sql, { tenantKey });

    const receipt = await given.memory().forget({ tenantKey, subjectKey: "customer:ramesh" });

    expect(receipt).toMatchObject({ subjectHashKeyed: false });
    expect(await tombstonesOf(given.sql, tenantKey)).toMatchObject([
      { subject_hash: subjectHash({ tenantKey, subjectKey: "customer:ramesh" }) },
    ]);
  });
});

const EVIDENCE_TABLES = `array['demystify_memory.tombstone', 'demystify_memory.tombstone_item',
                               'demystify_memory.erasure_event']::regclass[]`;
