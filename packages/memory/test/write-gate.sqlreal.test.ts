import { expect, test } from "vitest";
import { subjectHash } from "../src/index.js";
import { describeEachDatabase, describeNative } from "./sqlreal/databases.js";
import { refusalOf } from "./sqlreal/refusals.js";
import { insertDerived, insertLineage, insertMemory, liveRows } from "./sqlreal/rows.js";
import type { Sql } from "./support/sql.js";

const RAMESH = "customer:ramesh";
const PRIYA = "customer:priya";
const UNKNOWN = "018f3c2a-7b1d-7c4e-9a5f-6b7c8d9e0f1a";

describeEachDatabase("the write gate, for a plain INSERT,", (given) => {
  const forgotten = async () => {
    const tenantKey = given.freshTenant();
    const rows = await insertLineage(given.sql, { tenantKey });
    await given.memory().forget({ tenantKey, subjectKey: RAMESH });
    return { tenantKey, ...rows };
  };
  const opened = async () => {
    const tenantKey = given.freshTenant();
    const rows = await insertLineage(given.sql, { tenantKey });
    await given.memory().erasures.open({ tenantKey, subjectKey: RAMESH });
    return { tenantKey, ...rows };
  };

  test.each([
    ["open", "memory"],
    ["open", "weekly"],
    ["open", "monthly"],
    ["complete", "memory"],
    ["complete", "weekly"],
    ["complete", "monthly"],
  ] as const)("refuses to derive from what an erasure that is %s covers (%s)", async (state, source) => {
    const { tenantKey, ...rows } = await (state === "open" ? opened() : forgotten());
    const from = source === "memory" ? { memories: [rows.memory] } : { derived: [rows[source]] };

    const refusal = await refusalOf(insertDerived(given.sql, { tenantKey, ...from }));

    expect(refusal).toMatchObject({ code: "ME003", message: "a source was forgotten" });
  });

  test("refuses a derived row of several people as soon as one of its sources is forgotten", async () => {
    const { tenantKey, memory } = await forgotten();
    const priya = await insertMemory(given.sql, { tenantKey, subjectKey: PRIYA });

    const refusal = await refusalOf(insertDerived(given.sql, { tenantKey, memories: [priya, memory] }));

    expect(refusal.code).toBe("ME003");
  });

  test("refuses all rows of a statement when one of them is refused", async () => {
    const { tenantKey, memory } = await forgotten();
    const priya = await insertMemory(given.sql, { tenantKey, subjectKey: PRIYA });

    const refusal = await refusalOf(
      given.sql(
        `insert into demystify_memory.derived (tenant_key, kind, text, source_memories)
         values ($1, 'summary', 'good', array[$2::uuid]), ($1, 'summary', 'bad', array[$3::uuid])`,
        [tenantKey, priya, memory],
      ),
    );

    expect(refusal.code).toBe("ME003");
    expect(await liveRows(given.sql, tenantKey)).toEqual({ memories: 1, derived: 0 });
  });

  test.each(["memory", "derived"])("refuses to store an erased %s again under its id", async (table) => {
    const { tenantKey, memory, weekly } = await forgotten();
    const hash = subjectHash({ tenantKey, subjectKey: RAMESH });
    const priya = await insertMemory(given.sql, { tenantKey, subjectKey: PRIYA });
    const attempt =
      table === "memory"
        ? given.sql(
            "insert into demystify_memory.memory (tenant_key, memory_id, subject_hash, text) values ($1, $2, $3, 'again')",
            [tenantKey, memory, hash],
          )
        : given.sql(
            `insert into demystify_memory.derived (tenant_key, derived_id, kind, text, source_memories)
             values ($1, $2, 'summary', 'again', $3)`,
            [tenantKey, weekly, [priya]],
          );

    const refusal = await refusalOf(attempt);

    expect(refusal.code).toBe(table === "memory" ? "ME004" : "ME003");
  });

  test("refuses to store a row under an id that an open erasure covers, once a plain DELETE has removed it", async () => {
    const { tenantKey, memory } = await opened();
    await given.sql("delete from demystify_memory.memory where memory_id = $1", [memory]);

    const refusal = await refusalOf(
      given.sql(
        "insert into demystify_memory.memory (tenant_key, memory_id, subject_hash, text) values ($1, $2, $3, 'again')",
        [tenantKey, memory, subjectHash({ tenantKey, subjectKey: RAMESH })],
      ),
    );

    expect(refusal.code).toBe("ME004");
  });

  test("refuses what was captured before the person was forgotten, and takes what came later", async () => {
    const { tenantKey } = await forgotten();

    const early = await refusalOf(insertCaptured(given.sql, tenantKey, RAMESH, "2020-01-01"));
    await insertCaptured(given.sql, tenantKey, RAMESH, "2999-01-01");

    expect(early.code).toBe("ME004");
    expect(await liveRows(given.sql, tenantKey)).toEqual({ memories: 1, derived: 0 });
  });

  test("takes late data of a person who is only also on the row of somebody forgotten", async () => {
    const { tenantKey } = await forgotten();

    await insertCaptured(given.sql, tenantKey, PRIYA, "2020-01-01");
    const shared = await refusalOf(insertCaptured(given.sql, tenantKey, PRIYA, "2020-01-01", RAMESH));

    expect(shared.code).toBe("ME004");
  });

  test("stores new data of a forgotten person, and it can be seen and derived from", async () => {
    const { tenantKey } = await forgotten();

    const memory = await insertMemory(given.sql, { tenantKey, text: "a new contract" });
    const derived = await insertDerived(given.sql, { tenantKey, memories: [memory] });

    expect(await given.memory().getMemory(tenantKey, memory)).toMatchObject({ text: "a new contract" });
    expect(await given.memory().getDerived(tenantKey, derived)).toMatchObject({ derivedId: derived });
  });

  test("closes only the ids of chosen memories, not the person", async () => {
    const tenantKey = given.freshTenant();
    const [first, second] = [
      await insertMemory(given.sql, { tenantKey }),
      await insertMemory(given.sql, { tenantKey }),
    ];
    await given.memory().forget({ tenantKey, memoryIds: [first] });

    await insertCaptured(given.sql, tenantKey, RAMESH, "2020-01-01");
    await insertDerived(given.sql, { tenantKey, memories: [second] });

    expect(await liveRows(given.sql, tenantKey)).toEqual({ memories: 2, derived: 1 });
  });

  test.each([
    ["a memory that never was", { memories: [UNKNOWN] }],
    ["a derived row that never was", { derived: [UNKNOWN] }],
  ])("refuses to derive from %s", async (_what, from) => {
    const refusal = await refusalOf(insertDerived(given.sql, { tenantKey: given.freshTenant(), ...from }));

    expect(refusal).toMatchObject({ code: "ME002", message: "a source does not exist" });
  });

  test("cannot tell another tenant's row from one that never was", async () => {
    const [own, other] = [given.freshTenant(), given.freshTenant()];
    const { memory, weekly } = await insertLineage(given.sql, { tenantKey: other });

    const refusals = [
      await refusalOf(insertDerived(given.sql, { tenantKey: own, memories: [memory] })),
      await refusalOf(insertDerived(given.sql, { tenantKey: own, derived: [weekly] })),
      await refusalOf(insertDerived(given.sql, { tenantKey: own, memories: [UNKNOWN] })),
    ];

    expect(new Set(refusals.map(({ code, message }) => `${code} ${message}`))).toEqual(
      new Set(["ME002 a source does not exist"]),
    );
  });

  test("refuses a derived row without a source, and one with too many", async () => {
    const tenantKey = given.freshTenant();
    const memory = await insertMemory(given.sql, { tenantKey });

    const none = await refusalOf(insertDerived(given.sql, { tenantKey }));
    const tooMany = await refusalOf(
      insertDerived(given.sql, { tenantKey, memories: Array<string>(4097).fill(memory) }),
    );

    expect(none).toMatchObject({
      code: "23514",
      message: expect.stringContaining("derived_requires_provenance") as unknown,
    });
    expect(tooMany.code).toBe("23514");
  });

  test("fills in whose a derived row is: what the writer claims is discarded", async () => {
    const tenantKey = given.freshTenant();
    const ramesh = await insertMemory(given.sql, { tenantKey, subjectKey: RAMESH });
    const shared = await insertMemory(given.sql, { tenantKey, subjectKey: PRIYA, alsoAbout: "customer:arun" });
    const weekly = await insertDerived(given.sql, { tenantKey, memories: [shared] });
    const forged = [subjectHash({ tenantKey, subjectKey: "customer:nobody" })];

    const [row] = await given.sql(
      `insert into demystify_memory.derived (tenant_key, kind, text, source_memories, source_derived, subject_hashes, expires_at)
       values ($1, 'summary', 'forged', $2, $3, $4, '2999-01-01') returning subject_hashes, expires_at`,
      [tenantKey, [ramesh], [weekly], forged],
    );

    expect(row).toEqual({ subject_hashes: hashes(tenantKey, RAMESH, PRIYA, "customer:arun"), expires_at: null });
  });

  test("stamps the time itself: what the writer claims is discarded", async () => {
    const tenantKey = given.freshTenant();
    const memory = await insertMemory(given.sql, { tenantKey });
    const stamps = await Promise.all([
      given.sql(
        `insert into demystify_memory.memory (tenant_key, subject_hash, text, created_at) values ($1, $2, 'old', '2001-01-01')
         returning created_at > now() - interval '1 minute' as now`,
        [tenantKey, subjectHash({ tenantKey, subjectKey: RAMESH })],
      ),
      given.sql(
        `insert into demystify_memory.derived (tenant_key, kind, text, source_memories, created_at)
         values ($1, 'summary', 'old', $2, '2001-01-01') returning created_at > now() - interval '1 minute' as now`,
        [tenantKey, [memory]],
      ),
    ]);

    expect(stamps).toEqual([[{ now: true }], [{ now: true }]]);
  });

  test("knows whose a row is also where its source is inserted in the same statement", async () => {
    const tenantKey = given.freshTenant();
    const memory = await insertMemory(given.sql, { tenantKey });
    const first = crypto.randomUUID();

    await given.sql(
      `insert into demystify_memory.derived (tenant_key, derived_id, kind, text, source_memories, source_derived)
       values ($1, $2, 'summary', 'first', array[$3::uuid], '{}'), ($1, gen_random_uuid(), 'summary', 'second', '{}', array[$2::uuid])`,
      [tenantKey, first, memory],
    );

    const rows = await given.sql("select distinct subject_hashes from demystify_memory.derived where tenant_key = $1", [
      tenantKey,
    ]);
    expect(rows).toEqual([{ subject_hashes: hashes(tenantKey, RAMESH) }]);
  });

  test("refuses or knows whose a row is where derive_many is given a row and its source in one batch", async () => {
    const tenantKey = given.freshTenant();
    const ramesh = await insertMemory(given.sql, { tenantKey, subjectKey: RAMESH });
    const priya = await insertMemory(given.sql, { tenantKey, subjectKey: PRIYA });
    const [first, second] = [crypto.randomUUID(), crypto.randomUUID()];

    await given
      .sql(
        `select demystify_memory.derive_many($1, array[$2, $3]::uuid[], '{summary,summary}', '{first,second}', '{"{}","{}"}',
           '{NULL,NULL}', '{NULL,NULL}', '{NULL,NULL}', array['{' || $4 || '}', '{' || $5 || '}'], array['{}', '{' || $2 || '}'])`,
        [tenantKey, first, second, ramesh, priya],
      )
      .catch(() => undefined);

    const rows = await given.sql(
      "select subject_hashes from demystify_memory.derived where tenant_key = $1 and derived_id = $2",
      [tenantKey, second],
    );
    for (const row of rows) expect(row).toEqual({ subject_hashes: hashes(tenantKey, RAMESH, PRIYA) });
  });
});

describeNative("the write gate, for COPY by a superuser,", (given) => {
  test("is the same as for INSERT", async () => {
    const tenantKey = given.freshTenant();
    const { memory } = await insertLineage(given.sql, { tenantKey });
    await given.memory().forget({ tenantKey, subjectKey: RAMESH });

    // From a program of the server's own, so that no driver has to speak the COPY protocol.
    const refusal = await refusalOf(
      given.sql(
        `copy demystify_memory.derived (tenant_key, kind, text, source_memories) from program 'echo "${tenantKey},summary,copied,{${memory}}"' csv`,
      ),
    );

    expect(refusal.code).toBe("ME003");
    expect(await liveRows(given.sql, tenantKey)).toEqual({ memories: 0, derived: 0 });
  });

  test("is closed to everybody else, because a COPY into a table with row-level security is refused", async () => {
    const role = await given.createRole();
    await given.sql(`grant usage on schema demystify_memory to ${role}`);
    await given.sql(`grant insert on demystify_memory.memory to ${role}`);

    const refusal = await given.session({ role, tenantKey: given.freshTenant() }, (sql) =>
      refusalOf(sql("copy demystify_memory.memory (tenant_key, subject_hash, text) from stdin")),
    );

    expect(refusal.code).toBe("0A000");
  });
});

function hashes(tenantKey: string, ...people: string[]): string[] {
  return people.map((subjectKey) => subjectHash({ tenantKey, subjectKey })).sort();
}

async function insertCaptured(
  sql: Sql,
  tenantKey: string,
  person: string,
  capturedAt: string,
  alsoAbout?: string,
): Promise<void> {
  await sql(
    `insert into demystify_memory.memory (tenant_key, subject_hash, also_hashes, text, captured_at) values ($1, $2, $3, 'late', $4)`,
    [
      tenantKey,
      subjectHash({ tenantKey, subjectKey: person }),
      alsoAbout === undefined ? [] : [subjectHash({ tenantKey, subjectKey: alsoAbout })],
      capturedAt,
    ],
  );
}
