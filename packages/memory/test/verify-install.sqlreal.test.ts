import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { verifyInstall } from "../src/index.js";
import { describeEachDatabase } from "./sqlreal/databases.js";
import { SABOTAGES } from "./sqlreal/sabotages.js";
import { PARTITIONED } from "./support/partitions.js";
import type { Sql } from "./support/sql.js";

const CHECKS = readdirSync(new URL("../sql/checks/", import.meta.url))
  .filter((file) => file.endsWith(".sql"))
  .map((file) => file.replace(/\.sql$/, ""));

test("every check has a sabotage that it must notice", () => {
  const covered = new Set(SABOTAGES.map(({ check }) => check));
  expect(CHECKS.filter((check) => !covered.has(check))).toEqual([]);
});

test("every sabotage is of a check that exists", () => {
  const unknown = SABOTAGES.flatMap(({ check, follows = [] }) => [check, ...follows]).filter(
    (name) => !CHECKS.includes(name),
  );
  expect(unknown).toEqual([]);
});

describeEachDatabase("verify_install()", (given) => {
  const failed = async (sql: Sql) =>
    (
      await sql("select check_name from demystify_memory.verify_install() where ok is not true order by check_name")
    ).map(({ check_name: name }) => String(name));

  test("answers one row for each check, all ok on a fresh installation", async () => {
    const rows = await given.sql("select * from demystify_memory.verify_install() order by check_name");

    expect(rows.map(({ check_name: name }) => name)).toEqual(CHECKS);
    expect(rows.filter(({ ok }) => ok !== true)).toEqual([]);
    for (const row of rows)
      expect(row).toMatchObject({ severity: expect.stringMatching(/^(?:critical|warning)$/) as unknown });
  });

  test("says for each check what it looked at and what to do", async () => {
    const rows = await given.sql("select * from demystify_memory.verify_install()");

    expect(rows.filter(({ detail, remediation }) => !detail || !remediation)).toEqual([]);
  });

  test.each(SABOTAGES.filter(({ unpartitioned }) => !PARTITIONED || unpartitioned !== true))(
    "notices, under $check, that $how",
    async ({ check, sql: sabotage, follows = [] }) => {
      expect(await failed(given.sql)).toEqual([]);

      const broken = await given.session({}, async (sql) => {
        await sql("begin");
        for (const statement of statementsOf(sabotage)) await sql(statement);
        const names = await failed(sql);
        await sql("rollback");
        return names;
      });

      expect(broken).toEqual([check, ...follows].sort());
      expect(await failed(given.sql)).toEqual([]);
    },
  );

  test("is the same through the library, for a role that may read nothing", async () => {
    const rows = await given.session({ role: given.appRole }, (sql) =>
      verifyInstall({ query: async (text, params) => ({ rows: await sql(text, params) }) }),
    );

    expect(rows.map(({ checkName }) => checkName)).toEqual(CHECKS);
    expect(rows.filter(({ ok }) => !ok)).toEqual([]);
  });
});

// One statement at a time, as PGlite takes them; a DO block keeps its semicolons.
function statementsOf(script: string): string[] {
  if (script.startsWith("do ")) return [script];
  return script.split(";").map((statement) => statement.trim());
}
