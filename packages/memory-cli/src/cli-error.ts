/** What the process answers to the shell. Part of the command's contract: scripts branch on it. */
export const EXIT = {
  /** Everything asked for was done, and every check passed. */
  done: 0,
  /** The work failed, or a check did, or something could not be looked at. */
  failed: 1,
  /** The command line, the input file or the answer was wrong. Nothing was written. */
  usage: 2,
  /** Done, with warnings, where `--strict` was given. */
  warnings: 3,
  /** An erasure is open: something is still outstanding. */
  inProgress: 4,
  /** Something is there that should be gone. */
  residue: 5,
  /** Stopped with Ctrl-C (128 + SIGINT, as shells have it). */
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** An error whose message was written for the person at the terminal. Anything else that is thrown is a defect. */
export class CliError extends Error {
  readonly exitCode: ExitCode;
  /** A stable word for scripts. */
  readonly code: string;
  /** What to do next. */
  readonly help: string;

  constructor(parts: { code: string; message: string; help: string; exitCode: ExitCode }) {
    super(parts.message);
    this.name = new.target.name;
    this.code = parts.code;
    this.help = parts.help;
    this.exitCode = parts.exitCode;
  }
}

/** The command line or an answer was wrong. Nothing was written. */
export class UsageError extends CliError {
  constructor(message: string, help: string) {
    super({ code: "usage", message, help, exitCode: EXIT.usage });
  }
}

/** What was asked for could not be done. */
export class FailedError extends CliError {
  constructor(code: string, message: string, help: string) {
    super({ code, message, help, exitCode: EXIT.failed });
  }
}

/** Ctrl-C. Thrown between two steps, never within one. */
export class InterruptedError extends CliError {
  constructor(help: string) {
    super({ code: "interrupted", message: "as you asked", help, exitCode: EXIT.interrupted });
  }
}
