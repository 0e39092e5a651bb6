import { insertLineage } from "../../sqlreal/rows.js";
import { asApplication, asHostJob } from "../actors.js";
import { bypass } from "../bypass.js";
import { erasedAndRecorded, refused } from "../observe.js";

export const plainDelete = bypass(
  {
    row: "1",
    attempt: "a plain DELETE of what no tombstone covers",
    as: ["application", "host job"],
    must: "closed",
    by: ["42501", "ME005", "recorded"],
  },
  async (given) => {
    const tenantKey = given.freshTenant();
    const { memory } = await insertLineage(given.sql, { tenantKey });
    const plainly = "delete from demystify_memory.memory where memory_id = $1";

    const application = await asApplication(given, tenantKey, (sql) =>
      refused(given, ["42501"], () => sql(plainly, [memory])),
    );
    await given.sql("select demystify_memory.configure('refuse', null)");
    const whereRefused = await asHostJob(given, tenantKey, (sql) =>
      refused(given, ["ME005"], () => sql(plainly, [memory])),
    );
    await given.sql("select demystify_memory.configure('record', null)");
    await asHostJob(given, tenantKey, (sql) => sql(plainly, [memory]));
    const whereRecorded = await erasedAndRecorded(given.sql, tenantKey, { memories: 1, derived: 2 });

    return [application, whereRefused, whereRecorded];
  },
);
