import { insertLineage } from "../../sqlreal/rows.js";
import { HOLLOW } from "../../sqlreal/sabotages/sabotage.js";
import { asApplication, asOwner, asSuperuser } from "../actors.js";
import { bypass } from "../bypass.js";
import { noticed, refused } from "../observe.js";

export const replacedBody = bypass(
  {
    row: "9",
    attempt: "CREATE OR REPLACE of a rule with a body that does nothing",
    as: ["application", "owner", "superuser"],
    must: "detected",
    by: ["42501", "routines_are_unchanged"],
  },
  async (given) => {
    const tenantKey = given.freshTenant();
    await insertLineage(given.sql, { tenantKey });

    // Not even the owner may: the right to create in the schema is taken back at the end of the migration.
    const application = await asApplication(given, tenantKey, (sql) =>
      refused(given, ["42501"], () => sql(HOLLOW("reach_derived"))),
    );
    const owner = await asOwner(given, (sql) => refused(given, ["42501"], () => sql(HOLLOW("reach_derived"))));
    await asSuperuser(given, (sql) => sql(HOLLOW("reach_derived")));

    return [application, owner, await noticed(given.sql, "routines_are_unchanged")];
  },
);
