import { insertLineage } from "../../sqlreal/rows.js";
import { outcomeOf } from "../../sqlreal/sessions.js";
import { asSuperuser } from "../actors.js";
import { bypass } from "../bypass.js";
import type { Observation } from "../bypass.js";
import { noticed, refused } from "../observe.js";

export const detachedPartition = bypass(
  {
    row: "21",
    attempt: "DETACH and DROP of a partition: of the tables as they are, and of tables rebuilt to have one",
    as: ["superuser"],
    must: "detected",
    by: ["0A000", "no partition", "tables_join_no_hierarchy"],
    unpartitioned: true,
  },
  async (given) => {
    const tenantKey = given.freshTenant();
    await insertLineage(given.sql, { tenantKey });

    // Which code says that there is nothing to detach from differs between versions.
    const asTheyAre = await refused(given, ["42809", "42P17"], () =>
      given.sql("alter table demystify_memory.memory detach partition demystify_memory.memory"),
    );
    const rebuilt = await asSuperuser(given, async (sql): Promise<Observation> => {
      await sql("begin");
      await sql("alter table demystify_memory.memory rename to part");
      await sql(`create table demystify_memory.memory (like demystify_memory.part including generated)
                   partition by list (tenant_key)`);
      const code = await outcomeOf(
        sql("alter table demystify_memory.memory attach partition demystify_memory.part default"),
      );
      await sql("rollback");
      return { verdict: code === undefined ? "open" : "closed", by: code ?? "it was carried out" };
    });
    await asSuperuser(given, (sql) => sql("drop trigger derived_joins_no_hierarchy on demystify_memory.derived"));

    return [{ ...asTheyAre, by: "no partition" }, rebuilt, await noticed(given.sql, "tables_join_no_hierarchy")];
  },
);
