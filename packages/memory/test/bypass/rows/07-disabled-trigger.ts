import { insertLineage } from "../../sqlreal/rows.js";
import { asApplication, asOwner, asOwnerMember } from "../actors.js";
import { bypass } from "../bypass.js";
import { noticed, refused, swept } from "../observe.js";

const DISABLE = "alter table demystify_memory.memory disable trigger memory_delete_2_reaches_derived";
const ENABLE = "alter table demystify_memory.memory enable always trigger memory_delete_2_reaches_derived";

export const disabledTrigger = bypass(
  {
    row: "7",
    attempt: "a DELETE while the cascade is disabled, which is enabled again afterwards",
    as: ["application", "owner", "owner member"],
    must: "detected",
    by: ["42501", "source_missing", "triggers_fire_always"],
  },
  async (given) => {
    const tenantKey = given.freshTenant();
    const { memory, weekly } = await insertLineage(given.sql, { tenantKey });

    const application = await asApplication(given, tenantKey, (sql) => refused(given, ["42501"], () => sql(DISABLE)));
    const member = await asOwnerMember(given, async (sql) => {
      await sql(DISABLE);
      return noticed(sql, "triggers_fire_always");
    });
    const owner = await asOwner(given, async (sql) => {
      await sql(DISABLE);
      const whileOff = await noticed(given.sql, "triggers_fire_always");
      await sql("alter table demystify_memory.memory disable trigger memory_delete_3_is_settled");
      await sql("delete from demystify_memory.memory where memory_id = $1", [memory]);
      await sql("alter table demystify_memory.memory enable always trigger memory_delete_3_is_settled");
      await sql(ENABLE);
      return whileOff;
    });

    return [application, member, owner, await swept(given, tenantKey, "source_missing", weekly)];
  },
);
