import { readFileSync } from "node:fs";
import { Command, CommanderError } from "commander";
import { MemoryError } from "@demystify/memory";
import { CliError, EXIT, type ExitCode } from "./cli-error.js";
import { addDemo } from "./commands/demo.js";
import { errorDocument } from "./render/json-report.js";
import { colorsFor, type Console } from "./terminal/console.js";

/** Runs one command line. Data goes to standard output, everything else to standard error. */
export async function main(args: readonly string[], console: Console): Promise<ExitCode> {
  let exit: ExitCode = EXIT.done;
  const program = new Command("demystify-memory")
    .description("Agent memory you can actually erase, and prove that you did.")
    .version(version(), "--version", "print the version")
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void console.stdout.write(text),
      writeErr: (text) => void console.stderr.write(text),
    })
    .showHelpAfterError("Run the command with --help to see what it takes.");
  addDemo(program, console, (code) => (exit = code));

  try {
    await program.parseAsync(args, { from: "user" });
    return exit;
  } catch (error) {
    return explain(error, args.includes("--json"), console);
  }
}

function explain(error: unknown, json: boolean, console: Console): ExitCode {
  // commander has printed its own message; for --help and --version its code is 0.
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
  const told = tell(error);
  const { red, yellow } = colorsFor(console.stderr, console.env);
  const word = told.exitCode === EXIT.interrupted ? yellow("stopped:") : red("error:");
  console.stderr.write(`\n${word} ${told.message}\n${told.help}\n`);
  if (json) console.stdout.write(errorDocument(told));
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
    return { code, message: `${code}: ${message}`, help, exitCode: EXIT.failed };
  }
  const { code } = error as { code?: unknown };
  return defect(error, typeof code === "string" ? code : null);
}

/** A driver's message may quote the values of a row, so of an unforeseen error only its name, code and place are shown. */
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

function version(): string {
  const manifest = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as { version: string };
  return manifest.version;
}
