import { insertLineage } from "../../sqlreal/rows.js";
import { asApplication, asOwnerMember } from "../actors.js";
import { bypass } from "../bypass.js";
import { libraryAnswers, noticed, refused, SUBJECT } from "../observe.js";

export const drop = bypass(
  {
    row: "10",
    attempt: "DROP of a table, or of the whole schema",
    as: ["application", "owner member", "superuser"],
    must: "detected",
    by: ["42501", "ERR_INSTALL", "all_tables_exist"],
  },
  async (given) => {
    const tenantKey = given.freshTenant();
    await insertLineage(given.sql, { tenantKey });
    const dropTable = "drop table demystify_memory.derived cascade";

    const application = await asApplication(given, tenantKey, (sql) => refused(given, ["42501"], () => sql(dropTable)));
    const member = await asOwnerMember(given, async (sql) => {
      await sql(dropTable);
      return noticed(sql, "all_tables_exist");
    });
    await given.sql("drop schema demystify_memory cascade");
    const whole = await libraryAnswers("ERR_INSTALL", () => given.memory().forget({ tenantKey, ...SUBJECT }));

    return [application, member, whole];
  },
);
