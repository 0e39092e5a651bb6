import { PGlite } from "@electric-sql/pglite";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { dumpSchema, literalsIn } from "./dump.js";
import type { Sql } from "./sql.js";

const CANARY = 'Ramesh "R" \\ ₹5';

describe("the search for what should be nowhere", () => {
  let db: PGlite;
  let sql: Sql;
  beforeAll(async () => {
    db = await PGlite.create();
    sql = async (text, params = []) => (await db.query<Record<string, unknown>>(text, [...params])).rows;
    await db.exec("create schema demystify_memory");
  });
  afterEach(async () => {
    await db.exec("drop table if exists demystify_memory.place");
  });
  afterAll(() => db.close());

  test.each([
    ["text", "$1::text"],
    ["text[]", "array[$1::text]"],
    ["jsonb", "jsonb_build_object('note', jsonb_build_array($1::text))"],
    ["json", "json_build_object($1::text, 1)"],
    ["bytea", "convert_to('x' || $1::text, 'UTF8')"],
    ["varchar", "$1::text"],
    ["name", "$1::text::name"],
    ["tsvector", "array_to_tsvector(array[$1::text])"],
  ])("finds a literal in a column of type %s", async (type, expression) => {
    await db.exec(`create table demystify_memory.place (id int, value ${type}, "odd ""name" int)`);
    await db.query(`insert into demystify_memory.place select 1, ${expression}, 2`, [CANARY]);

    const found = literalsIn(await dumpSchema(sql), [CANARY, "somebody else"]);

    expect(found).toEqual([CANARY]);
  });

  test("finds a literal that only the planner's statistics still hold", async () => {
    await db.exec("create table demystify_memory.place (value text)");
    await db.query("insert into demystify_memory.place select $1::text from generate_series(1, 50)", ["Ramesh"]);
    await db.exec("analyze demystify_memory.place; delete from demystify_memory.place");

    const found = literalsIn(await dumpSchema(sql), ["Ramesh"]);

    expect(found).toEqual(["Ramesh"]);
  });

  test("refuses to search a schema without tables, and for nothing", async () => {
    await expect(dumpSchema(sql)).rejects.toThrow("nothing to search");
    expect(() => literalsIn("anything", [""])).toThrow("empty literal");
  });
});
