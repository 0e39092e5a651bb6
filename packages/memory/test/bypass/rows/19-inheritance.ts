import { insertLineage } from "../../sqlreal/rows.js";
import { asOwnerMember, asSuperuser } from "../actors.js";
import { bypass } from "../bypass.js";
import { noticed, refused } from "../observe.js";

export const inheritance = bypass(
  {
    row: "19",
    attempt: "a DELETE on a parent that memory was made to inherit from, or rows kept in a child of it",
    as: ["owner member", "superuser"],
    must: "detected",
    by: ["0A000", "no_inheritance"],
    unpartitioned: true,
  },
  async (given) => {
    const tenantKey = given.freshTenant();
    await insertLineage(given.sql, { tenantKey });
    await given.sql("create table public.parent (tenant_key text not null, memory_id uuid not null)");
    await given.sql("grant all on public.parent to demystify_memory_engine");
    const inherit = "alter table demystify_memory.memory inherit public.parent";

    const superuser = await asSuperuser(given, (sql) => refused(given, ["0A000"], () => sql(inherit)));
    const member = await asOwnerMember(given, async (sql) => {
      await sql("reset session authorization");
      await sql("alter table public.parent owner to demystify_memory_engine");
      await sql("set local role demystify_memory_engine");
      return refused(given, ["0A000"], () => sql(inherit));
    });
    await asSuperuser(given, (sql) => sql("create table public.child () inherits (demystify_memory.memory)"));

    return [superuser, member, await noticed(given.sql, "no_inheritance")];
  },
);
