import cliProgress from "cli-progress";
import type { Console } from "./console.js";

/** Says on standard error what is going on: a bar on a terminal, one line elsewhere. */
export class Progress {
  readonly #console: Console;

  constructor(console: Console) {
    this.#console = console;
  }

  /** One line. */
  note(text: string): void {
    this.#console.stderr.write(`${text}\n`);
  }

  /** Runs a step of `total` parts. The bar is gone when it ends, however it ends. */
  async during<T>(label: string, total: number, work: (advance: (parts: number) => void) => Promise<T>): Promise<T> {
    if (this.#console.stderr.isTTY !== true) {
      this.note(`${label} (${total.toLocaleString("en")}) …`);
      return work(() => undefined);
    }
    const bar = new cliProgress.SingleBar({
      format: `${label} {bar} {value}/{total}`,
      stream: this.#console.stderr,
      clearOnComplete: true,
      hideCursor: true,
      // Its own handler would end the process in the middle of a step.
      gracefulExit: false,
    });
    bar.start(total, 0);
    try {
      return await work((parts) => bar.increment(parts));
    } finally {
      bar.stop();
    }
  }
}
