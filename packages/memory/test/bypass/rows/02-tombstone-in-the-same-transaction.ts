import { insertLineage } from "../../sqlreal/rows.js";
import { asOwner, asOwnerMember } from "../actors.js";
import { bypass } from "../bypass.js";
import { insertTombstone } from "../forged-tombstone.js";
import { refused } from "../observe.js";

export const tombstoneInTheSameTransaction = bypass(
  {
    row: "2",
    attempt: "a tombstone and the DELETE it is to allow, in one transaction",
    as: ["owner", "owner member"],
    must: "closed",
    by: ["ME005"],
  },
  async (given) => {
    const tenantKey = given.freshTenant();
    const { memory } = await insertLineage(given.sql, { tenantKey });

    const owner = await asOwner(given, (sql) =>
      refused(given, ["ME005"], async () => {
        await sql("begin");
        await insertTombstone(sql, { tenantKey, memory });
        await sql("delete from demystify_memory.memory where memory_id = $1", [memory]);
        await sql("commit");
      }),
    );
    const member = await asOwnerMember(given, async (sql) => {
      await insertTombstone(sql, { tenantKey, memory });
      return refused(given, ["ME005"], () => sql("delete from demystify_memory.memory where memory_id = $1", [memory]));
    });

    return [owner, member];
  },
);
