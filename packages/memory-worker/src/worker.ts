import { letGo } from "./finish-erasure.js";
import { Remembered, Round, type RunReport } from "./round.js";
import { runRound, type RunOptions } from "./run-once.js";
import { sweepSinks } from "./sweep.js";
import { readSettings, type Settings, type WorkerOptions } from "./worker-options.js";
import { codeOf } from "./worker-memory.js";

/**
 * The loop: finishes erasures in the sinks until it is stopped. Any number of them, in any number of processes, may
 * work on one store; each erasure is with one of them at a time, and a dead one frees what it had.
 *
 * ```ts
 * const worker = new Worker({ memory, sinks, tenantKeys: ["acme"] });
 * process.once("SIGTERM", () => void worker.stop());
 * await worker.start();
 * ```
 */
export class Worker {
  readonly #settings: Settings;
  readonly #remembered = new Remembered();
  #stop: AbortController | undefined;
  #running: Promise<void> | undefined;
  #lastSweep: number | undefined;
  #rounds: Promise<void> = Promise.resolve();

  /** @throws InvalidInputError */
  constructor(options: WorkerOptions) {
    this.#settings = readSettings(options);
  }

  /** Works until `stop`, or until the signal is aborted. Resolves then; a failing sink or store does not end it. */
  async start(options: { readonly signal?: AbortSignal } = {}): Promise<void> {
    if (this.#running !== undefined) return this.#running;
    const stop = new AbortController();
    const end = () => stop.abort();
    if (options.signal?.aborted === true) stop.abort();
    options.signal?.addEventListener("abort", end, { once: true });
    this.#stop = stop;
    this.#running = this.#loop(stop.signal).finally(() => {
      options.signal?.removeEventListener("abort", end);
      this.#running = undefined;
      this.#stop = undefined;
    });
    return this.#running;
  }

  /** Lets the call under way end, gives back what is leased, and resolves when the loop is over. */
  async stop(): Promise<void> {
    this.#stop?.abort();
    await this.#running;
  }

  /** One round of this worker, with what it remembers; after the one under way, if there is one. */
  async runOnce(run: RunOptions = {}): Promise<RunReport> {
    const round = new Round(this.#settings, this.#remembered, run.signal, run.retryGivenUp === true);
    // Leases keep other workers apart, and not this one from itself.
    const turn = this.#rounds.then(() => runRound(round, run.only));
    this.#rounds = turn.then(
      () => undefined,
      () => undefined,
    );
    return turn;
  }

  async #loop(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.runOnce({ signal });
      await this.#sweepIfDue(signal);
      await pause(this.#settings.pollSeconds, signal);
    }
    await this.#letGo();
  }

  async #letGo(): Promise<void> {
    try {
      await letGo(new Round(this.#settings, this.#remembered, undefined, false));
    } catch (thrown) {
      this.#settings.emit({ type: "store_failed", tenantKey: null, code: codeOf(thrown) });
    }
  }

  async #sweepIfDue(signal: AbortSignal): Promise<void> {
    const { sweepEverySeconds, now } = this.#settings;
    if (signal.aborted || sweepEverySeconds === 0) return;
    if (this.#lastSweep !== undefined && now() < this.#lastSweep + sweepEverySeconds * 1000) return;
    this.#lastSweep = now();
    try {
      const tenantKeys = await this.#settings.tenantKeys();
      await sweepSinks({ ...this.#settings, tenantKeys, repair: true, signal });
    } catch (thrown) {
      this.#settings.emit({ type: "store_failed", tenantKey: null, code: codeOf(thrown) });
    }
  }
}

function pause(seconds: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, seconds * 1000);
    signal.addEventListener("abort", done, { once: true });
  });
}
