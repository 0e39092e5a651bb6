import { insertLineage } from "../../sqlreal/rows.js";
import { asHostJob, asOwner } from "../actors.js";
import { bypass } from "../bypass.js";
import { eachRefused, refused } from "../observe.js";
import type { Sql } from "../../support/sql.js";

const STATEMENTS = [
  "merge into demystify_memory.memory m using (select 1) s on true when matched then delete",
  "delete from demystify_memory.memory m using demystify_memory.derived d where m.tenant_key = d.tenant_key",
  "with gone as (delete from demystify_memory.memory returning memory_id) select count(*) from gone",
  "do $$ begin delete from demystify_memory.derived; end $$",
];

const whereCurrentOf = async (sql: Sql) => {
  await sql("begin");
  await sql("declare each cursor for select * from demystify_memory.memory");
  await sql("fetch each");
  await sql("delete from demystify_memory.memory where current of each");
  await sql("commit");
};

export const otherDeletes = bypass(
  {
    row: "22",
    attempt: "MERGE … DELETE, DELETE … WHERE CURRENT OF, and deletes in a CTE, a join or a block",
    as: ["host job", "owner"],
    must: "closed",
    by: ["ME005"],
  },
  async (given) => {
    const tenantKey = given.freshTenant();
    await insertLineage(given.sql, { tenantKey });
    await given.sql("select demystify_memory.configure('refuse', null)");

    return [
      await asHostJob(given, tenantKey, (sql) => eachRefused(given, ["ME005"], sql, STATEMENTS)),
      await asHostJob(given, tenantKey, async (sql) => [await refused(given, ["ME005"], () => whereCurrentOf(sql))]),
      await asOwner(given, (sql) => eachRefused(given, ["ME005"], sql, STATEMENTS)),
      await asOwner(given, async (sql) => [await refused(given, ["ME005"], () => whereCurrentOf(sql))]),
    ].flat();
  },
);
