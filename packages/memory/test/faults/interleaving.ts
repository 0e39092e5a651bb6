import { setTimeout as pause } from "node:timers/promises";
import type pg from "pg";
import type { Sql } from "../support/sql.js";

const PATIENCE_MS = 20_000;

/** One connection's part: its steps in order. A step that is refused ends the part. */
export interface Part {
  readonly client: pg.Client | pg.PoolClient;
  readonly steps: readonly (() => Promise<unknown>)[];
}

/**
 * Runs the parts of two connections in an order that `random` picks, step by step. A step that has to wait for the other
 * connection is left waiting and the other goes on; now and then both are set off at once, and the server decides.
 */
export async function interleave(sql: Sql, parts: readonly [Part, Part], random: () => number): Promise<void> {
  const runs = parts.map((part) => new Run(sql, part));
  for (;;) {
    const open = runs.filter((run) => !run.over);
    if (open.length === 0) return;
    const ready = open.filter((run) => !run.waiting);
    if (ready.length === 0) {
      // Both wait: for each other, which the server resolves, or for what is about to be answered.
      await Promise.race(open.map((run) => run.settled()));
      continue;
    }
    const chosen = ready.length === 2 && random() < 0.25 ? ready : [ready[Math.floor(random() * ready.length)]!];
    await Promise.all(chosen.map((run) => run.next()));
  }
}

class Run {
  readonly #sql: Sql;
  readonly #part: Part;
  #step = 0;
  #running: Promise<void> | undefined;
  #failed = false;

  constructor(sql: Sql, part: Part) {
    this.#sql = sql;
    this.#part = part;
  }

  get waiting(): boolean {
    return this.#running !== undefined;
  }

  get over(): boolean {
    return this.#running === undefined && (this.#failed || this.#step === this.#part.steps.length);
  }

  async settled(): Promise<void> {
    await this.#running;
  }

  /** Starts the next step; comes back when it is done, or when it waits for the other connection. */
  async next(): Promise<void> {
    const step = this.#part.steps[this.#step]!;
    this.#step += 1;
    const running = step()
      .catch(() => {
        this.#failed = true;
      })
      .then(() => {
        this.#running = undefined;
      });
    this.#running = running;
    const { processID } = this.#part.client as unknown as { processID: number };
    const deadline = Date.now() + PATIENCE_MS;
    while (this.waiting) {
      await Promise.race([running, pause(2)]);
      const [row] = await this.#sql("select cardinality(pg_blocking_pids($1)) as blockers", [processID]);
      if (Number(row?.["blockers"]) > 0) return;
      if (Date.now() > deadline) throw new Error("a step neither ends nor waits for the other connection");
    }
  }
}
