import { insertLineage } from "../../sqlreal/rows.js";
import { asApplication, asOwner } from "../actors.js";
import { bypass } from "../bypass.js";
import { libraryAnswers, noticed, refused, SUBJECT } from "../observe.js";

export const ruleInstead = bypass(
  {
    row: "14",
    attempt: "a rule ON DELETE DO INSTEAD NOTHING, under which a delete reports success and the row lives",
    as: ["application", "owner"],
    must: "detected",
    by: ["42501", "ERR_INSTALL", "no_rules"],
  },
  async (given) => {
    const tenantKey = given.freshTenant();
    await insertLineage(given.sql, { tenantKey });
    const createRule = "create rule keeps as on delete to demystify_memory.memory do instead nothing";

    const application = await asApplication(given, tenantKey, (sql) =>
      refused(given, ["42501"], () => sql(createRule)),
    );
    await asOwner(given, (sql) => sql(createRule));

    return [
      application,
      await noticed(given.sql, "no_rules"),
      await libraryAnswers("ERR_INSTALL", () => given.memory().forget({ tenantKey, ...SUBJECT })),
    ];
  },
);
