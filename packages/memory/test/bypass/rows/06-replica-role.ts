import { insertDerived, insertLineage } from "../../sqlreal/rows.js";
import { asReplica, asSuperuser } from "../actors.js";
import { bypass } from "../bypass.js";
import { erasedAndRecorded, refused, SUBJECT } from "../observe.js";

export const replicaRole = bypass(
  {
    row: "6",
    attempt: "a DELETE, or a row on a forgotten source, in a session that switched ordinary triggers off",
    as: ["replica", "host job"],
    must: "closed",
    by: ["ME003", "ME005", "recorded"],
  },
  async (given) => {
    const [tenantKey, other] = [given.freshTenant(), given.freshTenant()];
    const { memory } = await insertLineage(given.sql, { tenantKey });
    const { memory: forgotten } = await insertLineage(given.sql, { tenantKey: other });
    await given.memory().forget({ tenantKey: other, ...SUBJECT });

    const written = await asReplica(given, (sql) =>
      refused(given, ["ME003"], () => insertDerived(sql, { tenantKey: other, memories: [forgotten] })),
    );
    await given.sql("select demystify_memory.configure('refuse', null)");
    const granted = await asSuperuser(given, async (sql) => {
      // A role that was granted the setting, as some hosts do: never committed, because roles are the whole server's.
      await sql("begin");
      await sql("create role memory_granted");
      await sql("grant set on parameter session_replication_role to memory_granted");
      await sql("grant usage on schema demystify_memory to memory_granted");
      await sql("grant select, delete on demystify_memory.memory to memory_granted");
      await sql("set local session authorization memory_granted");
      await sql("select set_config('app.current_tenant', $1, true)", [tenantKey]);
      await sql("set local session_replication_role = replica");
      return refused(given, ["ME005"], () => sql("delete from demystify_memory.memory where memory_id = $1", [memory]));
    });
    await given.sql("select demystify_memory.configure('record', null)");
    await asReplica(given, (sql) => sql("delete from demystify_memory.memory where memory_id = $1", [memory]));

    return [written, granted, await erasedAndRecorded(given.sql, tenantKey, { memories: 1, derived: 2 })];
  },
);
