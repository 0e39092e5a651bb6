import type { ExitCode } from "../cli-error.js";
import { colorsFor, widthOf, type Console } from "../terminal/console.js";
import { Sheet } from "./sheet.js";

/** Raised when a field changes its meaning or goes; new fields may come at any time. */
export const FORMAT = 1;

/** What a command answers on standard output: one JSON document, or text for people. */
export class Output {
  readonly #console: Console;
  readonly #command: string;
  readonly json: boolean;

  constructor(console: Console, command: string, json: boolean) {
    this.#console = console;
    this.#command = command;
    this.json = json;
  }

  /** Ends a command: `fields` where JSON was asked for, else what `tell` writes. */
  answer(exitCode: ExitCode, fields: object, tell: (sheet: Sheet) => void): ExitCode {
    if (this.json) this.write(`${JSON.stringify(this.#document(exitCode, fields), null, 2)}\n`);
    else tell(this.sheet());
    return exitCode;
  }

  /** One of several answers, as a line of JSON or as text: for commands that go on looking. */
  update(exitCode: ExitCode, fields: object, tell: (sheet: Sheet) => void): void {
    if (this.json) this.write(`${JSON.stringify(this.#document(exitCode, fields))}\n`);
    else tell(this.sheet());
  }

  /** As it is: SQL, a page, a script. */
  write(text: string): void {
    this.#console.stdout.write(text);
  }

  /** Waits until whoever reads has taken what was written, so that a long export fills no memory. */
  async writeLine(text: string): Promise<void> {
    const { stdout } = this.#console;
    if (stdout.write(`${text}\n`) || stdout.destroyed) return;
    await new Promise<void>((resolve) => {
      const settle = () => {
        for (const event of ["drain", "close", "error"]) stdout.off(event, settle);
        resolve();
      };
      for (const event of ["drain", "close", "error"]) stdout.once(event, settle);
    });
  }

  sheet(): Sheet {
    const { stdout, env } = this.#console;
    return new Sheet({
      write: (text) => void stdout.write(text),
      colors: colorsFor(stdout, env),
      width: widthOf(stdout),
    });
  }

  #document(exitCode: ExitCode, fields: object): object {
    return { command: this.#command, format: FORMAT, ok: exitCode === 0, exitCode, ...fields };
  }
}

/** An error as the one JSON document of a run that came to none. */
export function errorDocument(
  command: string,
  error: { readonly code: string; readonly message: string; readonly help: string; readonly exitCode: ExitCode },
): string {
  const { code, message, help, exitCode } = error;
  return `${JSON.stringify({ command, format: FORMAT, ok: false, exitCode, error: { code, message, help } }, null, 2)}\n`;
}
