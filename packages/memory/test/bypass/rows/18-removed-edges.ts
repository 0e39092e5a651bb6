import { insertLineage } from "../../sqlreal/rows.js";
import { asApplication, asHostJob, asOwner, asOwnerMember, asReplica } from "../actors.js";
import { bypass } from "../bypass.js";
import { eachRefused, refused } from "../observe.js";

const STATEMENTS = [
  "update demystify_memory.derived set source_memories = '{}', source_derived = array[derived_id]",
  "update demystify_memory.derived set source_memories = source_memories || gen_random_uuid()",
  "update demystify_memory.derived set source_derived = '{}'",
];
const NAKED = `insert into demystify_memory.derived (tenant_key, derived_id, kind, text)
                 values ($1, gen_random_uuid(), 'summary', 'of nothing')`;

export const removedEdges = bypass(
  {
    row: "18",
    attempt: "removal, change or addition of the edges of a living derived row, or one without any",
    as: ["application", "host job", "owner", "owner member", "replica"],
    must: "closed",
    by: ["23514", "42501", "ME015"],
  },
  async (given) => {
    const tenantKey = given.freshTenant();
    await insertLineage(given.sql, { tenantKey });

    return [
      await asApplication(given, tenantKey, (sql) => eachRefused(given, ["42501"], sql, STATEMENTS)),
      await asOwner(given, (sql) => eachRefused(given, ["ME015"], sql, STATEMENTS)),
      await asOwnerMember(given, (sql) => eachRefused(given, ["ME015"], sql, STATEMENTS)),
      await asReplica(given, (sql) => eachRefused(given, ["ME015"], sql, STATEMENTS)),
      await asReplica(given, async (sql) => [await refused(given, ["23514"], () => sql(NAKED, [tenantKey]))]),
      await asHostJob(given, tenantKey, async (sql) => [
        await refused(given, ["23514"], () => sql(NAKED, [tenantKey])),
      ]),
    ].flat();
  },
);
