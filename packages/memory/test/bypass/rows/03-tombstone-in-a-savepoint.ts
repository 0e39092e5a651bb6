import { insertLineage } from "../../sqlreal/rows.js";
import { asOwner } from "../actors.js";
import { bypass } from "../bypass.js";
import { insertTombstone } from "../forged-tombstone.js";
import { refused } from "../observe.js";

export const tombstoneInASavepoint = bypass(
  {
    row: "3",
    attempt: "a tombstone in a savepoint, or with a forged transaction, time or origin",
    as: ["owner"],
    must: "closed",
    by: ["ME005"],
  },
  async (given) => {
    const tenantKey = given.freshTenant();
    const { memory } = await insertLineage(given.sql, { tenantKey });
    await given.sql("select demystify_memory.configure('refuse', null)");
    const stamps = [
      {},
      { opened_xid: "'3'" },
      { opened_xid: "((pg_current_xact_id()::text::bigint - 1)::text)::xid8" },
      { opened_at: "'2001-01-01'" },
      { origin: "'direct_delete'" },
    ];

    const observations = [];
    for (const stamp of stamps) {
      const seen = await asOwner(given, (sql) =>
        refused(given, ["ME005"], async () => {
          await sql("begin");
          await sql("savepoint evidence");
          await insertTombstone(sql, { tenantKey, memory, stamp });
          await sql("release savepoint evidence");
          await sql("delete from demystify_memory.memory where memory_id = $1", [memory]);
          await sql("commit");
        }),
      );
      observations.push(seen);
    }
    return observations;
  },
);
