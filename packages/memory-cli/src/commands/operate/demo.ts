import { resolve } from "node:path";
import { Option } from "commander";
import { EXIT, UsageError, type ExitCode } from "../../cli-error.js";
import { openServer } from "../../database/server.js";
import { choosePerson } from "../../demo/choose-person.js";
import { SAMPLE } from "../../demo/sample.js";
import type { Columns } from "../../input/message.js";
import { readConversation } from "../../input/read-conversation.js";
import { JsonReport } from "../../render/json-report.js";
import { TextReport } from "../../render/text-report.js";
import { askToConfirm, canAsk } from "../../terminal/ask.js";
import { colorsFor, widthOf, type Console } from "../../terminal/console.js";
import type { Interrupt } from "../../terminal/interrupt.js";
import { defineCommand, type Invocation } from "../command.js";

const DEFAULT_FOLDER = ".demystify-memory-demo";

interface DemoOptions {
  readonly input?: string;
  readonly subjectColumn?: string;
  readonly textColumn?: string;
  readonly timeColumn?: string;
  readonly question?: string;
  readonly forget?: true;
  readonly folder?: string;
  readonly databaseUrl?: string;
  readonly json?: true;
  readonly yes?: true;
}

/** `demystify-memory demo`: the whole story on one conversation, ending in a proof. */
export const demo = defineCommand<DemoOptions>({
  name: "demo",
  group: "operate",
  summary: "remember a conversation, forget one of its people, and prove that nothing is left of them",
  declare: (command) =>
    void command
      .option(
        "--input <file>",
        "JSON Lines of {subject, at, text}, or .csv with a header (default: a sample that ships with this command)",
      )
      .option("--subject-column <name>", 'the field or column that names the person (default: "subject")')
      .option("--text-column <name>", 'the field or column with the text (default: "text")')
      .option("--time-column <name>", 'the field or column with the time (default: "at", where there is one)')
      .option("--question <text>", "what to ask recall (default: words that the person often used)")
      .option(
        "--forget",
        "choose whom to forget: asked on a terminal, else read from standard input (default: the sample's choice, or whoever wrote most)",
      )
      .option("--folder <folder>", `where the embedded Postgres keeps its files (default: "${DEFAULT_FOLDER}")`)
      .addOption(
        new Option("--database-url <url>", "use this Postgres instead of the embedded one").env("DATABASE_URL"),
      )
      .option("--json", "print one JSON document, without texts and keys, instead of the report")
      .option("--yes", "do not ask for confirmation")
      .addHelpText("after", HELP),
  run: (invocation) => runDemoCommand(invocation),
});

const HELP = `
The subject key is never an argument, where the shell's history and the list of processes would keep it:
  printf %s 'customer:1' | demystify-memory demo --input messages.jsonl --forget

Exit codes: 0 every check passed, 1 it failed, 2 wrong usage or input (nothing was written), 130 stopped with Ctrl-C.`;

async function runDemoCommand({
  console,
  interrupt,
  progress,
  options,
  sourceOf,
}: Invocation<DemoOptions>): Promise<ExitCode> {
  const urlFromEnvironment = sourceOf("databaseUrl") === "env";
  refuseContradictions(options, urlFromEnvironment);
  const sample = options.input === undefined;
  const conversation = await readConversation(options.input ?? SAMPLE.path, columnsOf(options));
  const person = await choosePerson(console, interrupt, conversation, { ask: options.forget === true, sample });
  const url = options.databaseUrl;
  if (url !== undefined) await confirmServer(console, interrupt, options, urlFromEnvironment);

  // Loaded when it is wanted: the embedded Postgres takes longer to load than most commands to run.
  const { runDemo } = await import("../../demo/run-demo.js");
  const passed = await runDemo(
    {
      conversation,
      sample,
      person,
      question: options.question ?? (sample && person.subjectKey === SAMPLE.subjectKey ? SAMPLE.question : null),
      opening:
        url === undefined
          ? "Opening the embedded Postgres (its first start in a new folder takes some seconds) …"
          : "Opening the database …",
      openDatabase: async () => {
        if (url !== undefined) return openServer(url);
        const { openEmbedded } = await import("../../database/embedded.js");
        return openEmbedded(resolve(options.folder ?? DEFAULT_FOLDER));
      },
      confirm: options.forget === true && options.yes !== true && canAsk(console),
    },
    { console, interrupt, progress, report: reportFor(console, options) },
  );
  return passed ? EXIT.done : EXIT.failed;
}

function reportFor(console: Console, options: DemoOptions): JsonReport | TextReport {
  const write = (text: string) => void console.stdout.write(text);
  if (options.json === true) return new JsonReport(write);
  return new TextReport({ write, colors: colorsFor(console.stdout, console.env), width: widthOf(console.stdout) });
}

function columnsOf(options: DemoOptions): Columns {
  return {
    subject: options.subjectColumn ?? "subject",
    text: options.textColumn ?? "text",
    time: { name: options.timeColumn ?? "at", required: options.timeColumn !== undefined },
  };
}

function refuseContradictions(options: DemoOptions, urlFromEnvironment: boolean): void {
  const named = [options.subjectColumn, options.textColumn, options.timeColumn].some((name) => name !== undefined);
  if (options.input === undefined && named) {
    throw new UsageError("columns are named, but no file is", "Give the file with --input.");
  }
  if (options.folder !== undefined && options.databaseUrl !== undefined) {
    throw new UsageError(
      `--folder is for the embedded Postgres, but a server is named by ${urlFromEnvironment ? "DATABASE_URL" : "--database-url"}`,
      urlFromEnvironment ? "Unset DATABASE_URL, or leave --folder out." : "Give one of the two.",
    );
  }
  for (const [name, value] of Object.entries(options)) {
    if (value === "") throw new UsageError(`the option for ${name} is empty`, "Give a value, or leave the option out.");
  }
}

/** A demo adds a schema and rows to the server, so somebody has to have meant it. */
async function confirmServer(
  console: Console,
  interrupt: Interrupt,
  options: DemoOptions,
  urlFromEnvironment: boolean,
): Promise<void> {
  if (options.yes === true) return;
  const named = urlFromEnvironment ? "the database that DATABASE_URL names" : "the database of --database-url";
  const what = `The demo adds the schema demystify_memory (where it is missing) and a tenant of its own to ${named}.`;
  if (!canAsk(console)) {
    throw new UsageError(
      what,
      `Agree with --yes, or ${urlFromEnvironment ? "unset DATABASE_URL" : "leave the URL out"} to use the embedded Postgres.`,
    );
  }
  if (!(await askToConfirm(console, interrupt, `${what} Go on?`))) throw interrupt.error();
}
