import { CliError, EXIT, UsageError, type ExitCode } from "../../cli-error.js";
import { declareDatabase, withDatabase, type DatabaseOptions } from "../../connection/database-options.js";
import type { Queryable } from "../../database/database.js";
import { dropSchema, readInstalled } from "../../install/drop-schema.js";
import { askForLine, canAsk } from "../../terminal/ask.js";
import { defineCommand, type Invocation } from "../command.js";
import { declareJson } from "../json-option.js";

interface UninstallOptions extends DatabaseOptions {
  readonly confirm?: string;
}

/** `demystify-memory uninstall`: drops the schema, the evidence with it. */
export const uninstall = defineCommand<UninstallOptions>({
  name: "uninstall",
  group: "install",
  summary: "drop the schema with every memory and all evidence; asks for the database's name",
  declare: (command) =>
    void declareJson(declareDatabase(command))
      .option("--confirm <database>", "the database's name, where nobody can be asked for it")
      .addHelpText(
        "after",
        "\nTombstones go too, and with them the proof of every erasure: run export-tombstones for each tenant before.",
      ),
  run: (invocation) =>
    withDatabase(invocation, (database) => database.exclusive((session) => drop(invocation, session))),
});

async function drop(invocation: Invocation<UninstallOptions>, session: Queryable): Promise<ExitCode> {
  const { out, progress } = invocation;
  const installed = await readInstalled(session);
  if (installed === null) {
    return out.answer(EXIT.done, { dropped: false }, (sheet) => sheet.line("Nothing is installed here."));
  }
  progress.note(
    `This drops the schema demystify_memory of the database ${installed.database}: every memory of every tenant, and all evidence of what was erased.`,
  );
  await confirm(invocation, installed.database);
  const engineDropped = await dropSchema(session, installed);
  return out.answer(EXIT.done, { dropped: true, engineDropped }, (sheet) => {
    sheet.line("Dropped the schema demystify_memory.");
    if (installed.engine === null) return;
    sheet.line(
      engineDropped
        ? `Dropped the role ${installed.engine}.`
        : `The role ${installed.engine} stays: another database uses it, or you may not drop it.`,
    );
  });
}

async function confirm({ options, console, interrupt }: Invocation<UninstallOptions>, name: string): Promise<void> {
  interrupt.help = "Nothing was dropped.";
  if (options.confirm === undefined && !canAsk(console)) {
    throw new UsageError(
      "nobody can be asked for the database's name",
      `Give it with --confirm, if you mean it: demystify-memory uninstall --confirm DATABASE. Nothing was dropped.`,
    );
  }
  const typed =
    options.confirm ?? (await askForLine(console, interrupt, `Type the database's name to go on (${name})`));
  if (typed === name) return;
  throw new CliError({
    code: "declined",
    message: "that is not the name of the database",
    help: "Nothing was dropped. Run the command again if you mean it.",
    exitCode: EXIT.usage,
  });
}
