import type pg from "pg";
import type { Memory } from "../../src/index.js";
import { insertDerived } from "./rows.js";
import { libraryOn, sqlstateOf } from "./sessions.js";
import { sqlOf } from "./databases.js";

const CONNECTIONS = 3;
const STEPS = 7;
const WORKERS = ["worker_a", "worker_b"];
const PEOPLE = ["customer:ramesh", "customer:priya"];

type Source = { readonly sourceKind: "memory" | "derived"; readonly sourceId: string };

/**
 * Three connections that remember, derive, derive from derived rows, copy to a sink, open, forget, resume and confirm at
 * once, on one tenant with two people. What each connection does is decided by the seed; how they interleave, by the
 * server. The sink is a map: what is written there stays until a worker destroys it, as in any other.
 */
export class Schedule {
  readonly tenantKey: string;
  /** What was stored and committed, erased or not. */
  readonly stored = { memories: 0, derived: 0, edges: 0 };
  /** What was refused: the step, and the SQLSTATE. */
  readonly refusals: string[] = [];
  readonly #pool: pg.Pool;
  readonly #seed: number;
  readonly #sources: Source[] = [];
  /** Placement → what is in the sink for it. */
  readonly sink = new Map<string, string>();
  /** In every text, and in every ref. */
  readonly canary: string;

  constructor(given: {
    readonly seed: number;
    readonly pool: pg.Pool;
    readonly tenantKey: string;
    readonly canary: string;
  }) {
    this.#seed = given.seed;
    this.canary = given.canary;
    this.#pool = given.pool;
    this.tenantKey = given.tenantKey;
  }

  /** Every other schedule destroys in chunks, of fewer rows than a person has. */
  #library(client: pg.PoolClient | pg.Pool): Memory {
    return libraryOn(client, this.#seed % 2 === 0 ? { destroyChunkRows: 2 } : {});
  }

  async run(): Promise<void> {
    const clients = await Promise.all(Array.from({ length: CONNECTIONS }, () => this.#pool.connect()));
    try {
      await this.#remember(clients[0]!, PEOPLE[0]!, false);
      await Promise.all(clients.map((client, index) => this.#connection(client, randomFrom(this.#seed * 31 + index))));
    } finally {
      for (const client of clients) client.release();
    }
  }

  /** Resumes every erasure that was left open, and sees its copies gone. */
  async finish(): Promise<void> {
    const memory = this.#library(this.#pool);
    await this.#resumeAll(memory);
    await this.#confirmOutstanding(memory, "finisher");
  }

  /** Forgets whoever is left, so that nothing of the schedule may be anywhere. */
  async forgetEverybody(): Promise<void> {
    const memory = this.#library(this.#pool);
    for (const subjectKey of PEOPLE) {
      await memory.forget({ tenantKey: this.tenantKey, subjectKey }).catch(onlyIfIncomplete);
    }
    await this.finish();
  }

  async #connection(client: pg.PoolClient, random: () => number): Promise<void> {
    for (let step = 0; step < STEPS; step++) {
      const { name, run } = this.#step(client, random);
      try {
        await run();
      } catch (error) {
        this.refusals.push(`${name}: ${sqlstateOf(error)}`);
        await client.query("rollback");
      }
    }
  }

  #step(client: pg.PoolClient, random: () => number): { readonly name: string; readonly run: () => Promise<unknown> } {
    const { tenantKey } = this;
    const subjectKey = pick(PEOPLE, random);
    const repeatable = random() < 0.3;
    const dice = random();
    const memory = this.#library(client);
    if (dice < 0.25) return { name: "remember", run: () => this.#remember(client, subjectKey, repeatable) };
    if (dice < 0.5) return { name: "derive", run: () => this.#derive(client, random, repeatable) };
    if (dice < 0.55) return { name: "insert", run: () => this.#insertPlainly(client, random) };
    if (dice < 0.7) return { name: "copy", run: () => this.#copy(client, random) };
    if (dice < 0.78) return { name: "confirm", run: () => this.#confirmOutstanding(memory, pick(WORKERS, random)) };
    if (dice < 0.86) return { name: "open", run: () => memory.erasures.open({ tenantKey, subjectKey }) };
    if (dice < 0.95) {
      return { name: "forget", run: () => memory.forget({ tenantKey, subjectKey }).catch(onlyIfIncomplete) };
    }
    return { name: "resume", run: () => this.#resumeAll(memory) };
  }

  async #remember(client: pg.PoolClient, subjectKey: string, repeatable: boolean): Promise<void> {
    const { tenantKey } = this;
    const others = PEOPLE.filter((person) => person !== subjectKey);
    const alsoAbout = repeatable ? others : [];
    const { memory } = await inTransaction(client, repeatable, () =>
      this.#library(client).remember({ tenantKey, subjectKey, alsoAbout, text: `something said: ${this.canary}` }),
    );
    this.stored.memories += 1;
    this.#sources.push({ sourceKind: "memory", sourceId: memory.memoryId });
  }

  async #derive(client: pg.PoolClient, random: () => number, repeatable: boolean): Promise<void> {
    const { tenantKey } = this;
    const sources = this.#pickSources(random);
    const { derived } = await inTransaction(client, repeatable, () =>
      this.#library(client).derive({ tenantKey, kind: "summary", text: `a summary: ${this.canary}`, sources }),
    );
    this.#derivedStored(derived.derivedId, sources.length);
  }

  /** A job of the host that does not use the library; it has a right to insert, and its tenant set. */
  async #insertPlainly(client: pg.PoolClient, random: () => number): Promise<void> {
    const { tenantKey } = this;
    const sources = this.#pickSources(random);
    const ids = (kind: Source["sourceKind"]) =>
      sources.filter(({ sourceKind }) => sourceKind === kind).map(({ sourceId }) => sourceId);
    await client.query("begin");
    await client.query("select set_config('app.current_tenant', $1, true)", [tenantKey]);
    const id = await insertDerived(sqlOf(client), { tenantKey, memories: ids("memory"), derived: ids("derived") });
    await client.query("commit");
    this.#derivedStored(id, sources.length);
  }

  /** Records, writes and reports. Whoever is forgotten in between is told so, and the copy is then waited for. */
  async #copy(client: pg.PoolClient, random: () => number): Promise<void> {
    const { tenantKey, canary } = this;
    const memory = this.#library(client);
    const sources = this.#pickSources(random);
    const ref = `${canary}/${String(random())}`;
    const copy = { tenantKey, sink: "cache", ref, kind: "answer", sources, writeWithin: 3600 };
    const { placementId } = (await memory.recordPlacement(copy)).placement;
    this.sink.set(placementId, ref);
    await memory.placements.written({ tenantKey, placementId, ref });
  }

  /** A worker: takes what nobody else has, destroys it in the sink, and then says so. */
  async #confirmOutstanding(memory: Memory, owner: string): Promise<void> {
    const { tenantKey } = this;
    const { receipts } = await memory.erasures.list({ tenantKey, state: "in_progress", limit: 1000 });
    for (const { tombstoneId } of receipts) {
      const ref = { tenantKey, tombstoneId };
      for (const { placementId } of await memory.erasures.outstanding(ref, { lease: { owner, seconds: 0 } })) {
        this.sink.delete(placementId);
        await memory.erasures.confirm({ ...ref, placementId, proof: "unfindable", by: owner }).catch(onlyIfTooEarly);
      }
    }
  }

  async #resumeAll(memory: Memory): Promise<void> {
    const { tenantKey } = this;
    const { receipts } = await memory.erasures.list({ tenantKey, state: "in_progress", limit: 1000 });
    for (const { tombstoneId } of receipts) await memory.erasures.resume({ tenantKey, tombstoneId });
  }

  #derivedStored(id: string, edges: number): void {
    this.stored.derived += 1;
    this.stored.edges += edges;
    this.#sources.push({ sourceKind: "derived", sourceId: id });
  }

  #pickSources(random: () => number): Source[] {
    // Mostly recent ones, so that they are often those of a row that is just being erased.
    const recent = this.#sources.slice(-8);
    const wanted = 1 + Math.floor(random() * 3);
    return [...new Set(Array.from({ length: wanted }, () => pick(recent, random)))];
  }
}

async function inTransaction<T>(client: pg.PoolClient, repeatable: boolean, work: () => Promise<T>): Promise<T> {
  if (!repeatable) return work();
  await client.query("begin isolation level repeatable read");
  const result = await work();
  await client.query("commit");
  return result;
}

// Another connection may have the rest of it in hand; `finish` sees it through.
function onlyIfIncomplete(error: unknown): void {
  if ((error as { code?: unknown }).code !== "ERR_FORGET_INCOMPLETE") throw error;
}

function pick<T>(from: readonly T[], random: () => number): T {
  return from[Math.floor(random() * from.length)]!;
}

// The writer of the copy has not reported yet: whoever comes next looks again.
function onlyIfTooEarly(error: unknown): void {
  if ((error as { code?: unknown }).code !== "ERR_CONFIRMATION_REJECTED") throw error;
}

/** Mulberry32: small, and the same sequence for the same seed everywhere. */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
