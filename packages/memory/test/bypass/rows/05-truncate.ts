import { insertLineage } from "../../sqlreal/rows.js";
import { asApplication, asOwner, asOwnerMember, asReplica, TABLES } from "../actors.js";
import { bypass } from "../bypass.js";
import { eachRefused } from "../observe.js";

export const truncate = bypass(
  {
    row: "5",
    attempt: "TRUNCATE of any table, evidence included",
    as: ["application", "owner", "owner member", "replica"],
    must: "closed",
    by: ["42501", "ME015"],
  },
  async (given) => {
    const tenantKey = given.freshTenant();
    await insertLineage(given.sql, { tenantKey });
    const statements = TABLES.map((table) => `truncate demystify_memory.${table} cascade`);

    return [
      await asApplication(given, tenantKey, (sql) => eachRefused(given, ["42501"], sql, statements)),
      await asOwner(given, (sql) => eachRefused(given, ["ME015"], sql, statements)),
      await asOwnerMember(given, (sql) => eachRefused(given, ["ME015"], sql, statements)),
      await asReplica(given, (sql) => eachRefused(given, ["ME015"], sql, statements)),
    ].flat();
  },
);
