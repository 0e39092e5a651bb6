import { grantsSql } from "@demystify/memory";
import { EXIT, UsageError } from "../../cli-error.js";
import { declareDatabase, withDatabase, type DatabaseOptions } from "../../connection/database-options.js";
import { defineCommand } from "../command.js";
import { declareJson } from "../json-option.js";

interface GrantsOptions extends DatabaseOptions {
  readonly app: string;
  readonly auditor?: string;
  readonly apply?: true;
}

/** `demystify-memory grants`: the SQL that lets other roles work with the schema. */
export const grants = defineCommand<GrantsOptions>({
  name: "grants",
  group: "install",
  summary: "print the SQL that lets an application and an auditor work with the schema",
  declare: (command) =>
    void declareJson(declareDatabase(command))
      .requiredOption("--app <role>", "the role the application connects as; it gets no right on any table")
      .option("--auditor <role>", "a role that may read the evidence")
      .option("--apply", "run it, as the role that installed the schema, instead of printing it"),
  run: async (invocation) => {
    const { options, out } = invocation;
    if (options.app === options.auditor) {
      throw new UsageError("--app and --auditor name one role", "An application gets the auditor's functions anyway.");
    }
    const { app: appRole, auditor: auditorRole } = options;
    const sql = grantsSql({ appRole, ...(auditorRole === undefined ? {} : { auditorRole }) });
    if (options.apply !== true) return out.answer(EXIT.done, { applied: false, sql }, () => out.write(sql));
    return withDatabase(invocation, async (database) => {
      for (const statement of sql.trim().split("\n")) await database.queryable.query(statement);
      return out.answer(EXIT.done, { applied: true, sql }, (sheet) => {
        sheet.line(`Granted at ${database.label}.`);
        sheet.line("Next: demystify-memory doctor, connected as that role.");
      });
    });
  },
});
