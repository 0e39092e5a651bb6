import { insertLineage, insertMemory } from "../../sqlreal/rows.js";
import { asHostJob } from "../actors.js";
import { bypass } from "../bypass.js";
import { refused, SUBJECT } from "../observe.js";

export const settingAsPermission = bypass(
  {
    row: "4",
    attempt: "a DELETE under every setting that the schema itself uses",
    as: ["host job"],
    must: "closed",
    by: ["ME005"],
  },
  async (given) => {
    const tenantKey = given.freshTenant();
    const { memory } = await insertLineage(given.sql, { tenantKey, subjectKey: "customer:priya" });
    await insertMemory(given.sql, { tenantKey, ...SUBJECT });
    await given.sql("select demystify_memory.configure('refuse', null)");
    const { tombstoneId } = await given.memory().erasures.open({ tenantKey, ...SUBJECT });
    const settings = { destroying: tombstoneId, reason: "subject_request", engine: "on", installer: "on" };

    const seen = await asHostJob(given, tenantKey, async (sql) => {
      for (const [name, value] of Object.entries(settings)) {
        await sql("select set_config($1, $2, false)", [`demystify_memory.${name}`, value]);
      }
      return refused(given, ["ME005"], () => sql("delete from demystify_memory.memory where memory_id = $1", [memory]));
    });

    return [seen];
  },
);
