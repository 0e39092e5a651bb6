import { describe, expect, test } from "vitest";
import { subjectHash } from "../src/index.js";
import { describeEachDatabase } from "./sqlreal/databases.js";
import { refusalOf } from "./sqlreal/refusals.js";
import { insertDerived, insertLineage, insertMemory, tombstonesOf } from "./sqlreal/rows.js";
import { aCanary } from "./support/canary.js";

const EVIDENCE = [
  "tombstone",
  "tombstone_item",
  "erasure_event",
  "restriction",
  "legal_hold",
  "legal_hold_refusal",
  "schema_migration",
];

/** Tables whose rows may go, one by one and by the rules, but never all at once. */
const OTHERS = [
  "memory",
  "derived",
  "placement",
  "placement_lease",
  "subject",
  "subject_key",
  "idempotency_key",
  "open_erasure",
  "restriction_in_force",
  "sink",
  "settings",
  "legal_basis",
];

/** A changed value, as SQL, for every column that is fixed once a row is stored. */
const FIXED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  memory: {
    tenant_key: "'another'",
    memory_id: "gen_random_uuid()",
    subject_key: "'customer:priya'",
    subject_hash: "repeat('0', 64)",
    also_keys: "array['customer:priya']",
    also_hashes: "array[repeat('0', 64)]",
    key_id: "'other'",
    kind: "'other'",
    text: "'said something else'",
    metadata: `'{"note": "changed"}'`,
    content_tags: "array['changed']",
    provenance_known: "false",
    idempotency_hash: "repeat('0', 64)",
    captured_at: "'2001-01-01'",
    expires_at: "'2999-01-01'",
    created_at: "'2001-01-01'",
  },
  derived: {
    tenant_key: "'another'",
    derived_id: "gen_random_uuid()",
    kind: "'other'",
    text: "'said something else'",
    metadata: `'{"note": "changed"}'`,
    content_tags: "array['changed']",
    source_memories: "array[gen_random_uuid()]",
    source_derived: "array[gen_random_uuid()]",
    subject_hashes: "array[]::text[]",
    expires_at: "'2999-01-01'",
    created_at: "'2001-01-01'",
  },
};
const MADE_ANEW = ["embedding", "dimensions", "term_hashes"];

// Whoever might think that the rules are for others.
const ACTING: Readonly<Record<string, string>> = {
  "the superuser": "reset role",
  "the superuser with ordinary triggers off": "set session_replication_role = replica",
  "the owner of the tables": "set role demystify_memory_engine",
};

describeEachDatabase("evidence", (given) => {
  test("is every table of the schema but those that are known to change", async () => {
    const tables = await given.sql(
      "select relname from pg_class where relnamespace = 'demystify_memory'::regnamespace and relkind in ('r', 'p') and not relispartition order by 1",
    );

    expect(tables.map(({ relname }) => relname)).toEqual([...EVIDENCE, ...OTHERS].sort());
  });

  describe.each(Object.keys(ACTING))("cannot be changed by %s:", (who) => {
    const attempts = (statements: Readonly<Record<string, string>>) =>
      given.session({}, async (sql) => {
        await sql(ACTING[who]!);
        const codes: Record<string, string> = {};
        for (const [name, statement] of Object.entries(statements))
          codes[name] = (await refusalOf(sql(statement))).code;
        return codes;
      });
    const allRefused = (statements: Readonly<Record<string, string>>) =>
      Object.fromEntries(Object.keys(statements).map((name) => [name, "ME015"]));

    test("no row of it can be updated, deleted or truncated", async () => {
      const statements = Object.fromEntries(
        EVIDENCE.flatMap((table) => {
          const key = table === "schema_migration" ? "version" : "tenant_key";
          return [
            [`update ${table}`, `update demystify_memory.${table} set ${key} = ${key}`],
            [`delete ${table}`, `delete from demystify_memory.${table}`],
            [`truncate ${table}`, `truncate demystify_memory.${table}`],
          ];
        }),
      );

      expect(await attempts(statements)).toEqual(allRefused(statements));
    });

    test("no other table can be truncated either, because that would leave none", async () => {
      const statements = Object.fromEntries(
        OTHERS.map((table) => [table, `truncate demystify_memory.${table} cascade`]),
      );

      expect(await attempts(statements)).toEqual(allRefused(statements));
    });

    test.each(Object.keys(FIXED))("no column of %s can be updated but a vector and term hashes", async (table) => {
      const tenantKey = given.freshTenant();
      await insertLineage(given.sql, { tenantKey });
      const statements = Object.fromEntries(
        Object.entries(FIXED[table]!).map(([column, value]) => [
          column,
          `update demystify_memory.${table} set ${column} = ${value} where tenant_key = '${tenantKey}'`,
        ]),
      );

      expect(await attempts(statements)).toEqual(allRefused(statements));
      const columns = await given.sql(
        "select attname from pg_attribute where attrelid = $1::regclass and attnum > 0 and not attisdropped order by 1",
        [`demystify_memory.${table}`],
      );
      expect(columns.map(({ attname }) => attname)).toEqual([...Object.keys(FIXED[table]!), ...MADE_ANEW].sort());
    });
  });

  test("a vector and term hashes may be made anew", async () => {
    const tenantKey = given.freshTenant();
    await insertLineage(given.sql, { tenantKey });

    for (const table of ["memory", "derived"]) {
      await given.sql(
        `update demystify_memory.${table} set embedding = '{1,2}', term_hashes = '{3}' where tenant_key = $1`,
        [tenantKey],
      );
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
