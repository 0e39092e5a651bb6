import { CommanderError } from "commander";
import { InvalidInputError, MemoryError } from "@demystify/memory";
import { CliError, EXIT, type ExitCode } from "./cli-error.js";
import { buildProgram, type Outcome } from "./program.js";
import { errorDocument } from "./render/output.js";
import { assumeWidth, colorsFor, type Console } from "./terminal/console.js";

/** Runs one command line. Data goes to standard output, everything else to standard error. */
export async function main(args: readonly string[], console: Console): Promise<ExitCode> {
  for (const stream of [console.stdout, console.stderr]) assumeWidth(stream);
  const outcome: Outcome = { command: "demystify-memory", exitCode: EXIT.done };
  const program = buildProgram(console, outcome);
  const named = program.commands.find((command) => command.name() === args[0]);
  if (named !== undefined) outcome.command = named.name();
  try {
    await program.parseAsync(args, { from: "user" });
    return outcome.exitCode;
  } catch (error) {
    return explain(error, outcome.command, args.includes("--json"), console);
  }
}

function explain(error: unknown, command: string, json: boolean, console: Console): ExitCode {
  if (error instanceof CommanderError) {
    // commander has printed its own message; for --help and --version its code is 0.
    if (error.exitCode === 0) return EXIT.done;
    const told = {
      code: "usage",
      message: "the command line is not right",
      help: `Run demystify-memory ${command === "demystify-memory" ? "" : `${command} `}--help to see what it takes.`,
      exitCode: EXIT.usage,
    };
    if (json) console.stdout.write(errorDocument(command, told));
    return EXIT.usage;
  }
  const told = tell(error);
  const { red, yellow } = colorsFor(console.stderr, console.env);
  const word = told.exitCode === EXIT.interrupted ? yellow("stopped:") : red("error:");
  console.stderr.write(`\n${word} ${told.message}\n${told.help}\n`);
  if (json) console.stdout.write(errorDocument(command, told));
  return told.exitCode;
}

interface Told {
  readonly code: string;
  readonly message: string;
  readonly help: string;
  readonly exitCode: ExitCode;
}

function tell(error: unknown): Told {
  if (error instanceof CliError) return error;
  if (error instanceof MemoryError) {
    const { code, message, help } = error;
    const exitCode = error instanceof InvalidInputError ? EXIT.usage : EXIT.failed;
    return { code, message: `${code}: ${message}`, help: code === "ERR_INSTALL" ? INSTALL_HELP : help, exitCode };
  }
  const { code } = error as { code?: unknown };
  if (typeof code === "string" && /^[0-9A-Z]{5}$/.test(code)) return refusedByDatabase(code);
  return defect(error, typeof code === "string" ? code : null);
}

/** What the library says of an installation is meant for whoever calls its functions. */
const INSTALL_HELP =
  "As the role that owns the installation: demystify-memory migrate (--again where a part is missing), then demystify-memory grants --app ROLE --apply for the role that connects. demystify-memory doctor tells which of the two it is.";

/** A driver's message may quote the values of a row, so only the SQLSTATE is shown. */
function refusedByDatabase(sqlstate: string): Told {
  const denied = sqlstate === "42501";
  return {
    code: denied ? "not_permitted" : "database",
    message: denied
      ? "the role that connects may not do this (SQLSTATE 42501)"
      : `the database refused the statement (SQLSTATE ${sqlstate})`,
    help: denied
      ? "Connect as the role that installed the schema, or as an administrator; demystify-memory doctor tells what a role may do."
      : "Look the SQLSTATE up in the Postgres documentation, and in the server's own log for details.",
    exitCode: EXIT.failed,
  };
}

/** Of an unforeseen error only its name, code and place are shown. */
function defect(error: unknown, code: string | null): Told {
  const name = error instanceof Error ? error.name : typeof error;
  const places = error instanceof Error ? (error.stack ?? "").split("\n").filter((line) => /^\s+at /.test(line)) : [];
  return {
    code: "defect",
    message: `an unforeseen failure (${name}${code === null ? "" : `, ${code}`})\n${places.slice(0, 6).join("\n")}`,
    help: "This is a fault of the command. Please report it with the lines above; they hold no data.",
    exitCode: EXIT.failed,
  };
}
