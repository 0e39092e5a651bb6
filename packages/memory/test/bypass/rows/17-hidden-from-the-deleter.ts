import { insertLineage, liveRows } from "../../sqlreal/rows.js";
import { asSuperuser } from "../actors.js";
import { bypass } from "../bypass.js";
import type { Observation } from "../bypass.js";
import { erasedAndRecorded } from "../observe.js";

export const hiddenFromTheDeleter = bypass(
  {
    row: "17",
    attempt: "a DELETE by somebody from whom row-level security hides what was derived",
    as: ["host job", "superuser"],
    must: "closed",
    by: ["other tenant untouched", "recorded"],
  },
  async (given) => {
    const [tenantKey, second, third] = [given.freshTenant(), given.freshTenant(), given.freshTenant()];
    const { memory } = await insertLineage(given.sql, { tenantKey });
    const { memory: inSecond } = await insertLineage(given.sql, { tenantKey: second });
    await insertLineage(given.sql, { tenantKey: third });
    // A policy that shows this role memories and no derived row at all; it may not touch those either.
    const job = await given.createRole();
    await given.sql(`grant usage on schema demystify_memory to ${job}`);
    await given.sql(`grant select, delete on demystify_memory.memory to ${job}`);
    await given.sql(`create policy hides on demystify_memory.derived as restrictive to ${job} using (false)`);

    await given.session({ role: job, tenantKey }, (sql) => sql("delete from demystify_memory.memory"));
    await asSuperuser(given, async (sql) => {
      await sql("select set_config('app.current_tenant', $1, false)", [third]);
      await sql("delete from demystify_memory.memory where memory_id = any($1)", [[memory, inSecond]]);
    });

    const left = await liveRows(given.sql, third);
    const untouched: Observation =
      left.memories === 1 && left.derived === 2
        ? { verdict: "closed", by: "other tenant untouched" }
        : { verdict: "open", by: `left ${JSON.stringify(left)} of another tenant` };
    await given.sql("drop policy hides on demystify_memory.derived");
    return [
      await erasedAndRecorded(given.sql, tenantKey, { memories: 1, derived: 2 }),
      await erasedAndRecorded(given.sql, second, { memories: 1, derived: 2 }),
      untouched,
    ];
  },
);
