import type { Command } from "commander";
import type { Invocation } from "../commands/command.js";
import { askForLine, canAsk, readKeyFromStdin } from "../terminal/ask.js";

export interface SubjectOptions {
  readonly subjectStdin?: true;
}

/**
 * Adds how a person is named. The key is never an argument, where the shell's history and the list of processes would
 * keep it: it is asked for on a terminal, and read from standard input elsewhere.
 */
export function declareSubject(command: Command, description = SAYS_SO): Command {
  return command.option("--subject-stdin", description);
}

const SAYS_SO = "read the person's key from standard input, which is also done without it where there is no terminal";

/** Asks for the key on a terminal, or reads it from standard input. */
export async function readSubject(invocation: Invocation, commandLine: string, question: string): Promise<string> {
  const { console, interrupt } = invocation;
  if (canAsk(console)) return askForLine(console, interrupt, question);
  return readKeyFromStdin(console, interrupt, `printf %s 'customer:1' | demystify-memory ${commandLine}`);
}
