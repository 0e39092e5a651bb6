import { CliError, EXIT } from "../cli-error.js";

/** One thing that is wrong with a file. It names the line and the rule, and never quotes the line. */
export interface LineProblem {
  readonly line: number;
  readonly problem: string;
}

/** The input file cannot be used. Nothing was stored. */
export class InputFileError extends CliError {
  constructor(message: string, help: string) {
    super({ code: "input_file", message, help, exitCode: EXIT.usage });
  }
}

/** How many bad lines are shown before reading stops. */
export const SHOWN_PROBLEMS = 5;

/** One error for all the bad lines found in a file. */
export function badLines(file: string, problems: readonly LineProblem[]): InputFileError {
  const shown = problems.map(({ line, problem }) => `  line ${line}: ${problem}`).join("\n");
  const stopped = problems.length >= SHOWN_PROBLEMS ? "\n  reading stopped here; there may be more" : "";
  return new InputFileError(
    `${file} was not read:\n${shown}${stopped}`,
    "Correct these lines and run the command again. Nothing was stored.",
  );
}
