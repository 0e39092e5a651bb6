import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { describeEachDatabase } from "./sqlreal/databases.js";
import { PARTITIONED } from "./support/partitions.js";
import type { Row } from "./support/sql.js";

const QUERIES = new URL("../sql/introspection/", import.meta.url);
const SNAPSHOT = fileURLToPath(new URL("../etc/schema.snapshot.txt", import.meta.url));

// What the migration leaves, as the same queries see it that verify_install() compares with its pins. One committed
// file for every supported version: after a change of the schema, run this file with -u and read the difference.
describeEachDatabase("the schema as it stands after the migration", (given) => {
  // Partitions add tables, triggers and indexes of the same kind: test/partitions.sqlreal.test.ts is about those.
  test.runIf(!PARTITIONED)("is what etc/schema.snapshot.txt says, on every version of Postgres", async () => {
    const [session] = await given.sql("select current_user::text as installer");
    const names = new Map([
      [given.appRole, "(application)"],
      [String(session?.["installer"]), "(installer)"],
    ]);
    const sections: string[] = [];
    for (const file of readdirSync(QUERIES).sort()) {
      const rows = await given.sql(readFileSync(new URL(file, QUERIES), "utf8"));
      sections.push(section(file.replace(/\.sql$/, ""), rows, names));
    }

    await expect(sections.join("\n")).toMatchFileSnapshot(SNAPSHOT);
  });
});

/** A table as text: a line for each row, in the order of the lines. Ids of the catalog differ from one to the next. */
function section(name: string, rows: readonly Row[], names: ReadonlyMap<string, string>): string {
  const columns = Object.keys(rows[0] ?? {}).filter((column) => column !== "oid");
  const lines = rows.map((row) => columns.map((column) => cell(row[column], names)).join(" | "));
  return `# ${name}: ${columns.join(" | ")}\n${lines.sort().join("\n")}\n`;
}

function cell(value: unknown, names: ReadonlyMap<string, string>): string {
  if (Array.isArray(value)) return value.map((item) => cell(item, names)).join(",");
  return names.get(String(value)) ?? String(value);
}
