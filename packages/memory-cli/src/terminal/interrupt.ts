import { setTimeout } from "node:timers/promises";
import { EXIT, InterruptedError } from "../cli-error.js";

/**
 * Ctrl-C, kept until a step has ended: a database that is stopped between two statements is whole, and one that is
 * torn out of a write may not be. A second Ctrl-C ends the process at once.
 */
export class Interrupt {
  readonly #controller = new AbortController();
  /** What has been stored so far, for the message. The command keeps it up to date. */
  help = "Nothing was stored. Run the same command again to start.";

  readonly #onSignal = () => {
    if (this.#controller.signal.aborted) {
      process.stderr.write(`\n${this.help}\n`);
      process.exit(EXIT.interrupted);
    }
    this.#controller.abort();
    process.stderr.write("\nStopping after this step. Press Ctrl-C again to stop at once.\n");
  };

  /** Listens until `release`. */
  static listen(): Interrupt {
    const interrupt = new Interrupt();
    process.on("SIGINT", interrupt.#onSignal);
    process.on("SIGTERM", interrupt.#onSignal);
    return interrupt;
  }

  /** For prompts and streams that wait. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Throws if Ctrl-C was pressed. Lets a signal that came during a long synchronous step be noticed first. */
  async check(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    if (this.#controller.signal.aborted) throw this.error();
  }

  /** Waits, or throws as soon as Ctrl-C is pressed. */
  async pause(milliseconds: number): Promise<void> {
    try {
      await setTimeout(milliseconds, undefined, { signal: this.#controller.signal });
    } catch {
      throw this.error();
    }
  }

  error(): InterruptedError {
    return new InterruptedError(this.help);
  }

  release(): void {
    process.off("SIGINT", this.#onSignal);
    process.off("SIGTERM", this.#onSignal);
  }
}
