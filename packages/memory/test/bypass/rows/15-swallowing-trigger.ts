import { insertLineage } from "../../sqlreal/rows.js";
import { asApplication, asSuperuser } from "../actors.js";
import { bypass } from "../bypass.js";
import { libraryAnswers, noticed, refused, SUBJECT } from "../observe.js";

const CREATE_TRIGGER = `create trigger "AAA" before delete on demystify_memory.derived
                          for each row execute function public.keeps()`;

export const swallowingTrigger = bypass(
  {
    row: "15",
    attempt: "a BEFORE trigger that returns NULL, so that the cascade reports success and the summary lives",
    as: ["application", "superuser"],
    must: "detected",
    by: ["42501", "ERR_INSTALL", "no_foreign_triggers"],
  },
  async (given) => {
    const tenantKey = given.freshTenant();
    await insertLineage(given.sql, { tenantKey });
    await given.sql("create function public.keeps() returns trigger language plpgsql as 'begin return null; end'");

    const application = await asApplication(given, tenantKey, (sql) =>
      refused(given, ["42501"], () => sql(CREATE_TRIGGER)),
    );
    await asSuperuser(given, (sql) => sql(CREATE_TRIGGER));

    return [
      application,
      await noticed(given.sql, "no_foreign_triggers"),
      await libraryAnswers("ERR_INSTALL", () => given.memory().forget({ tenantKey, ...SUBJECT })),
    ];
  },
);
