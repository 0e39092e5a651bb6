import { insertLineage, liveRows } from "../../sqlreal/rows.js";
import { libraryOn, sqlstateOf } from "../../sqlreal/sessions.js";
import { asHostJob } from "../actors.js";
import { bypass } from "../bypass.js";
import type { Observation } from "../bypass.js";
import { erasedAndRecorded, SUBJECT } from "../observe.js";

export const noTenant = bypass(
  {
    row: "16",
    attempt: "forget where no tenant is set, or another one, so that row-level security hides what is to go",
    as: ["host job", "application"],
    must: "closed",
    by: ["DELETE 0", "ERR_TENANT_SCOPE", "recorded"],
  },
  async (given) => {
    const tenantKey = given.freshTenant();
    await insertLineage(given.sql, { tenantKey });

    // Postgres says how many rows it was; nothing claims that anybody was erased.
    const deleted = await asHostJob(given, undefined, (sql) =>
      sql("delete from demystify_memory.memory returning memory_id"),
    );
    const { memories } = await liveRows(given.sql, tenantKey);
    const job: Observation =
      deleted.length === 0 && memories === 1
        ? { verdict: "closed", by: "DELETE 0" }
        : { verdict: "open", by: `deleted ${String(deleted.length)}, left ${String(memories)}` };

    const client = await given.connect("app");
    await client.query("select set_config('app.current_tenant', 'another', false)");
    const other: Observation = await libraryOn(client)
      .forget({ tenantKey, ...SUBJECT })
      .then(
        () => ({ verdict: "open", by: "it answered a receipt" }),
        (error: unknown) => ({ verdict: "closed", by: sqlstateOf(error) }),
      );
    await client.query("reset app.current_tenant");
    await libraryOn(client).forget({ tenantKey, ...SUBJECT });

    return [job, other, await erasedAndRecorded(given.sql, tenantKey, { memories: 1, derived: 2 })];
  },
);
