import { insertLineage } from "../../sqlreal/rows.js";
import { bypass } from "../bypass.js";
import { notCovered, SUBJECT } from "../observe.js";
import { onOwnServer, until } from "../own-server.js";

export const delayedStandby = bypass(
  {
    row: "28",
    attempt: "a read on a standby that replays an hour late and still serves the erased row",
    as: ["superuser"],
    must: "detected",
    by: ["replicas"],
    server: "own",
  },
  () =>
    onOwnServer({}, async (server) => {
      const tenantKey = "acme";
      await insertLineage((await server.database("host")).sql, { tenantKey });
      const standby = await server.standby({ recovery_min_apply_delay: "1h" });
      const primary = await server.database("host");
      const receipt = await primary.memory().forget({ tenantKey, ...SUBJECT });
      const [flushed] = await primary.sql("select pg_current_wal_flush_lsn()::text as lsn");
      const replica = await standby.database("host");
      await until(replica.sql, `select where pg_last_wal_receive_lsn() >= '${String(flushed?.["lsn"])}'`);

      // It has the log of the erasure, and the row.
      const [served] = await replica.sql("select count(*)::int as rows from demystify_memory.memory");
      if (served?.["rows"] !== 1) throw new Error("the standby has replayed the erasure: nothing was attempted");
      return [notCovered(receipt, "replicas")];
    }),
);
