import type { MemoryStore } from "../../src/index.js";

/** Where a process ends: at the store call with this number (from 1), before it reaches the store or after it did. */
export interface StopAt {
  readonly call: number;
  readonly when: "before" | "after";
}

/** What the process that ended would have thrown, had there been one to catch it. */
export class ProcessEnded extends Error {}

/** A store whose process ends at one of its calls: from then on nothing reaches it. Without `stop` it only counts. */
export class InterruptedStore {
  readonly store: MemoryStore;
  calls = 0;
  #ended = false;
  readonly #stop: StopAt | undefined;

  constructor(store: MemoryStore, stop?: StopAt) {
    this.#stop = stop;
    this.store = this.#wrap(store);
  }

  #wrap<T extends object>(target: T): T {
    return new Proxy(target, {
      get: (_target, name): unknown => {
        const value: unknown = Reflect.get(target, name, target);
        if (typeof value === "function") return (...args: unknown[]) => this.#call(() => value.apply(target, args));
        return typeof value === "object" && value !== null ? this.#wrap(value) : value;
      },
    });
  }

  async #call(work: () => unknown): Promise<unknown> {
    this.calls += 1;
    const stop = this.calls === this.#stop?.call ? this.#stop.when : undefined;
    if (this.#ended || stop === "before") this.#end();
    const result = await work();
    if (stop === "after") this.#end();
    return result;
  }

  #end(): never {
    this.#ended = true;
    throw new ProcessEnded();
  }
}
