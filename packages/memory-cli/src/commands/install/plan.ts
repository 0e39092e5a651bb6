import { plan as planMigrations } from "@demystify/memory";
import { EXIT } from "../../cli-error.js";
import { declareDatabase, withDatabase, type DatabaseOptions } from "../../connection/database-options.js";
import { amount } from "../../render/words.js";
import { defineCommand } from "../command.js";
import { declareJson } from "../json-option.js";

/** `demystify-memory plan`: the SQL that `migrate` would run, on standard output. */
export const plan = defineCommand<DatabaseOptions>({
  name: "plan",
  group: "install",
  summary: "print the SQL that migrate would run here, and run nothing",
  declare: (command) => void declareJson(declareDatabase(command)),
  run: (invocation) =>
    withDatabase(invocation, async (database) => {
      const { out, progress } = invocation;
      const { currentVersion, targetVersion, pending, sql } = await planMigrations(database.queryable);
      const migrations = pending.map(({ version, name }) => ({ version, name }));
      return out.answer(EXIT.done, { currentVersion, targetVersion, pending: migrations, sql }, () => {
        progress.note(
          pending.length === 0
            ? `Nothing to do: ${database.label} is at version ${currentVersion}.`
            : `${database.label} is at version ${currentVersion}; ${amount(pending.length, "migration")} would bring it to ${targetVersion}.`,
        );
        out.write(sql);
      });
    }),
});
