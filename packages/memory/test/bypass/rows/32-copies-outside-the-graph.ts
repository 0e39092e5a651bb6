import { insertLineage } from "../../sqlreal/rows.js";
import { asApplication, asHostJob, asSuperuser } from "../actors.js";
import { bypass } from "../bypass.js";
import { eachRefused, notCovered, noticed, SUBJECT } from "../observe.js";

export const copiesOutsideTheGraph = bypass(
  {
    row: "32",
    attempt: "a materialised view, a view, CREATE TABLE AS, COPY TO or a dump, which keep the text outside the graph",
    as: ["application", "host job", "superuser"],
    must: "detected",
    by: ["42501", "backups", "no_foreign_views", "no_view_copies_payload", "unrecorded_copies"],
  },
  async (given) => {
    const tenantKey = given.freshTenant();
    await insertLineage(given.sql, { tenantKey });

    const application = await asApplication(given, tenantKey, (sql) =>
      eachRefused(given, ["42501"], sql, [
        "create temp table kept as select text from demystify_memory.memory",
        "copy demystify_memory.memory to stdout",
      ]),
    );
    await asSuperuser(given, (sql) =>
      sql("create materialized view public.kept as select text from demystify_memory.memory"),
    );
    await asSuperuser(given, (sql) => sql("create view public.seen as select text from demystify_memory.derived"));
    const views = [await noticed(given.sql, "no_view_copies_payload"), await noticed(given.sql, "no_foreign_views")];
    // What somebody may read, he may keep. No database can tell; so every receipt says what it does not reach.
    await asHostJob(given, tenantKey, (sql) =>
      sql("create temp table kept as select text from demystify_memory.memory"),
    );
    const receipt = await given.memory().forget({ tenantKey, ...SUBJECT });

    return [...application, ...views, notCovered(receipt, "unrecorded_copies"), notCovered(receipt, "backups")];
  },
);
