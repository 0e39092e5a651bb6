import { insertLineage } from "../../sqlreal/rows.js";
import { asSuperuser } from "../actors.js";
import { bypass } from "../bypass.js";
import { exportOf, missed, noticed, SUBJECT } from "../observe.js";
import { onOwnServer } from "../own-server.js";

export const belowTheDatabase = bypass(
  {
    row: "34",
    attempt: "an edit of the catalog, or older data files put back under a stopped server",
    as: ["superuser"],
    must: "needs export",
    by: ["evidence_missing", "triggers_fire_always"],
    server: "own",
  },
  async (given) => {
    const catalog = await asSuperuser(given, async (sql) => {
      await sql("update pg_trigger set tgenabled = 'D' where tgname = 'tombstone_is_append_only'");
      return noticed(sql, "triggers_fire_always");
    });
    const files = await onOwnServer({}, async (server) => {
      const tenantKey = "acme";
      await insertLineage((await server.database("host")).sql, { tenantKey });
      const older = await server.copyFiles();
      const before = await server.database("host");
      await before.memory().forget({ tenantKey, ...SUBJECT });
      const exported = await exportOf(before, tenantKey);
      await server.putBack(older);

      return missed(await server.database("host"), tenantKey, exported);
    });
    return [catalog, files];
  },
);
