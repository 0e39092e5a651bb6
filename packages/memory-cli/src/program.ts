import { readFileSync } from "node:fs";
import { Command } from "commander";
import type { ExitCode } from "./cli-error.js";
import { COMMANDS } from "./commands/index.js";
import { GROUPS, type CommandDefinition } from "./commands/command.js";
import { Output } from "./render/output.js";
import type { Console } from "./terminal/console.js";
import { Interrupt } from "./terminal/interrupt.js";
import { Progress } from "./terminal/progress.js";

const EXIT_CODES = `
Exit codes: 0 done, 1 failed, 2 wrong usage or input (nothing was written), 3 warnings under --strict, 4 an erasure is
in progress, 5 something is there that should be gone, 130 stopped with Ctrl-C.

A person's key is never an argument, where the shell's history and the list of processes would keep it: it is asked for
on a terminal and read from standard input elsewhere. Data goes to standard output, everything else to standard error.`;

/** What a run has come to. */
export interface Outcome {
  /** The command that was run, once that is known. */
  command: string;
  exitCode: ExitCode;
}

/** The command line as commander knows it: also what help, completion and the reference are made from. */
export function buildProgram(console: Console, outcome: Outcome): Command {
  const program = new Command("demystify-memory")
    .description("Agent memory you can actually erase, and prove that you did.")
    .version(version(), "--version", "print the version")
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void console.stdout.write(text),
      writeErr: (text) => void console.stderr.write(text),
      outputError: (text, write) => write(withoutValues(text)),
      getOutHelpWidth: () => 100,
      getErrHelpWidth: () => 100,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .addHelpText("after", EXIT_CODES)
    .showHelpAfterError("Run the command with --help to see what it takes.");
  for (const definition of COMMANDS) add(program, definition, console, outcome);
  return program;
}

function add(program: Command, definition: CommandDefinition, console: Console, outcome: Outcome): void {
  const command = program
    .command(definition.name)
    .helpGroup(`${GROUPS[definition.group]}:`)
    .description(definition.summary)
    .allowExcessArguments(false);
  definition.declare(command);
  command.action(async () => {
    outcome.command = definition.name;
    const interrupt = Interrupt.listen();
    try {
      const options: Record<string, unknown> = command.opts();
      outcome.exitCode = await definition.run({
        options,
        args: command.processedArgs.filter((each): each is string => typeof each === "string"),
        console,
        interrupt,
        progress: new Progress(console),
        out: new Output(console, definition.name, options["json"] === true),
        sourceOf: (option) => command.getOptionValueSource(option),
      });
    } finally {
      interrupt.release();
    }
  });
}

/** commander quotes what was typed, and what was typed by mistake may be a person's key. Names of options stay. */
function withoutValues(text: string): string {
  return text
    .replace(/unknown command '[\s\S]*'/, "unknown command")
    .replace(/unknown option '([\s\S]*)'/, (_, typed: string) => {
      const name = /^-{1,2}[a-z][a-z-]*/.exec(typed)?.[0];
      return name === undefined ? "unknown option" : `unknown option '${name}'`;
    })
    .replace(/argument '[\s\S]*' is invalid/, "the value given is invalid");
}

export function version(): string {
  const manifest = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as { version: string };
  return manifest.version;
}
