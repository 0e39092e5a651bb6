import { insertLineage } from "../../sqlreal/rows.js";
import { asApplication, asOwnerMember } from "../actors.js";
import { bypass } from "../bypass.js";
import { eachRefused, noticed } from "../observe.js";

const REWRITES = [
  "alter table demystify_memory.memory alter column text type text using ''",
  "alter table demystify_memory.derived alter column text type text using ''",
  "alter table demystify_memory.derived alter column metadata type jsonb using '{}'",
  "alter table demystify_memory.memory alter column subject_hash type text using repeat('0', 64)",
  "alter table demystify_memory.tombstone alter column planned_memories type int using 0",
];

export const rewrittenColumn = bypass(
  {
    row: "11",
    attempt: "ALTER COLUMN … TYPE … USING '' or DROP COLUMN, which destroy without a trigger",
    as: ["application", "owner member"],
    must: "detected",
    by: ["0A000", "2BP01", "42501", "columns_are_unchanged"],
  },
  async (given) => {
    const tenantKey = given.freshTenant();
    await insertLineage(given.sql, { tenantKey });
    const dropColumn = "alter table demystify_memory.derived drop column text";

    return [
      await asApplication(given, tenantKey, (sql) => eachRefused(given, ["42501"], sql, [...REWRITES, dropColumn])),
      await asOwnerMember(given, async (sql) => [
        ...(await eachRefused(given, ["0A000"], sql, REWRITES)),
        ...(await eachRefused(given, ["2BP01"], sql, [dropColumn])),
      ]),
      await asOwnerMember(given, async (sql) => {
        await sql(`${dropColumn} cascade`);
        return [await noticed(sql, "columns_are_unchanged")];
      }),
    ].flat();
  },
);
