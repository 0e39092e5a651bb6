import { insertDerived, insertMemory } from "../../sqlreal/rows.js";
import { bypass } from "../bypass.js";
import { SUBJECT, swept } from "../observe.js";
import { onOwnServer, until } from "../own-server.js";

export const logicalReplication = bypass(
  {
    row: "25",
    attempt: "a delete that logical replication applies on a subscriber, where it fires no statement trigger",
    as: ["superuser"],
    must: "detected",
    by: ["source_missing"],
    server: "own",
  },
  () =>
    onOwnServer({ wal_level: "logical" }, async (server) => {
      const tenantKey = "acme";
      const publisher = await server.database("publisher");
      const subscriber = await server.database("subscriber");
      await publisher.sql("create publication memories for table demystify_memory.memory");
      await publisher.sql("select pg_create_logical_replication_slot('memories', 'pgoutput')");
      const [version] = await subscriber.sql("select current_setting('server_version_num')::int as number");
      // From 16 on a subscription works as the owner of the table, whom forced row-level security refuses.
      const runAsOwner = Number(version?.["number"]) >= 160_000 ? ", run_as_owner = true" : "";
      await subscriber.sql(
        `create subscription memories connection '${server.connection("publisher")}' publication memories
           with (create_slot = false, slot_name = 'memories', copy_data = false${runAsOwner})`,
      );
      const memory = await insertMemory(publisher.sql, { tenantKey, ...SUBJECT });
      await until(subscriber.sql, "select from demystify_memory.memory");
      const summary = await insertDerived(subscriber.sql, { tenantKey, memories: [memory] });

      await publisher.memory().forget({ tenantKey, ...SUBJECT });
      await until(subscriber.sql, "select where not exists (select from demystify_memory.memory)");

      const seen = await swept(subscriber, tenantKey, "source_missing", summary);
      await subscriber.sql("alter subscription memories disable");
      await subscriber.sql("alter subscription memories set (slot_name = none)");
      await subscriber.sql("drop subscription memories");
      return [seen];
    }),
);
