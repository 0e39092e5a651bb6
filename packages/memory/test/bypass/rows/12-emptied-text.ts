import { insertLineage } from "../../sqlreal/rows.js";
import { asApplication, asOwner, asOwnerMember, asReplica } from "../actors.js";
import { bypass } from "../bypass.js";
import { eachRefused } from "../observe.js";

const STATEMENTS = [
  "update demystify_memory.memory set text = ''",
  "update demystify_memory.derived set text = '[erased]'",
  "update demystify_memory.memory set metadata = '{}' where false",
  `merge into demystify_memory.memory m using (select 1) s on true when matched then update set text = ''`,
];

export const emptiedText = bypass(
  {
    row: "12",
    attempt: "UPDATE of a text to nothing, which destroys without a tombstone",
    as: ["application", "owner", "owner member", "replica"],
    must: "closed",
    by: ["42501", "ME015"],
  },
  async (given) => {
    const tenantKey = given.freshTenant();
    await insertLineage(given.sql, { tenantKey });

    return [
      await asApplication(given, tenantKey, (sql) => eachRefused(given, ["42501"], sql, STATEMENTS)),
      await asOwner(given, (sql) => eachRefused(given, ["ME015"], sql, STATEMENTS)),
      await asOwnerMember(given, (sql) => eachRefused(given, ["ME015"], sql, STATEMENTS)),
      await asReplica(given, (sql) => eachRefused(given, ["ME015"], sql, STATEMENTS)),
    ].flat();
  },
);
