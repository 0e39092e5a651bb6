import { randomUUID } from "node:crypto";
import type pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { postgresSink } from "../../src/index.js";
import { sinkConformanceCases } from "../../src/testing/index.js";
import { createDatabase, describeNativePostgres, type TestDatabase } from "../support/native-database.js";

const call = { signal: new AbortController().signal };

describeNativePostgres("the postgres sink, on a second database", () => {
  let database: TestDatabase;
  let db: pg.Pool;
  const options = {
    name: "second",
    table: "public.notes",
    tenantColumn: "tenant_tag",
    controlRow: { body: "", vector: "{}" },
  };

  beforeAll(async () => {
    database = await createDatabase();
    db = database.pool;
    await db.query(`
        create table notes (
          id bigint generated always as identity primary key,
          placement_id uuid not null, tenant_tag text not null, body text not null, vector real[] not null)`);
  });
  afterAll(() => database.drop());

  const cases = sinkConformanceCases({
    createSink: () => postgresSink({ ...options, db, alsoReadFrom: [db] }),
    write: async (_sink, tag, text) => {
      const { rows } = await db.query<{ id: string }>(
        "insert into notes (placement_id, tenant_tag, body, vector) values ($1, $2, $3, '{1,2}') returning id",
        [tag.placementId, tag.tenantTag, text],
      );
      return rows[0]?.id ?? "";
    },
  });
  for (const { name, run } of cases) test(name, run);

  test("more rows than a page are listed, each once", async () => {
    await db.query(`
        insert into notes (placement_id, tenant_tag, body, vector)
          select gen_random_uuid(), 'many', '', '{}' from generate_series(1, 2500)`);

    const refs = new Set<string>();
    let listed = 0;
    for await (const { ref } of postgresSink({ ...options, db }).enumerate?.("many", call) ?? []) {
      refs.add(ref);
      listed += 1;
    }

    expect([refs.size, listed]).toEqual([2500, 2500]);
  });

  test("a table that is not there proves nothing: it is an error with its own code", async () => {
    const sink = postgresSink({ ...options, db, table: "public.no_such_table" });
    const copy = { tenantKey: "acme", placementId: randomUUID(), ref: "1", kind: "row" };

    await expect(sink.readBackById?.(copy, call)).rejects.toMatchObject({ code: "42P01" });
  });

  test.each(['notes"; drop table notes; --', "a.b.c", ""])("a name that is no plain name (%j) is refused", (table) => {
    expect(() => postgresSink({ ...options, db, table })).toThrow(
      expect.objectContaining({ code: "ERR_INVALID_INPUT" }),
    );
  });
});
