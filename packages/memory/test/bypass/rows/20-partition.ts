import { insertLineage } from "../../sqlreal/rows.js";
import { asSuperuser } from "../actors.js";
import { bypass } from "../bypass.js";
import { refused } from "../observe.js";

export const partition = bypass(
  {
    row: "20",
    attempt: "a DELETE through a table that memory or derived was made a partition of, whose triggers fire instead",
    as: ["superuser"],
    must: "closed",
    by: ["0A000"],
    unpartitioned: true,
  },
  async (given) => {
    const tenantKey = given.freshTenant();
    await insertLineage(given.sql, { tenantKey });
    const observations = [];
    for (const table of ["memory", "derived"]) {
      await given.sql(
        `create table public.all_${table} (like demystify_memory.${table} including generated) partition by list (tenant_key)`,
      );
      observations.push(
        await asSuperuser(given, (sql) =>
          refused(given, ["0A000"], () =>
            sql(`alter table public.all_${table} attach partition demystify_memory.${table} default`),
          ),
        ),
      );
      // The rule is what refuses it: without it the table is attached.
      await asSuperuser(given, async (sql) => {
        await sql("begin");
        await sql(`drop trigger ${table}_joins_no_hierarchy on demystify_memory.${table}`);
        await sql(`alter table public.all_${table} attach partition demystify_memory.${table} default`);
        await sql("rollback");
      });
    }
    return observations;
  },
);
