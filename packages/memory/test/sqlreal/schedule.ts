import type pg from "pg";
import { insertDerived } from "./rows.js";
import { libraryOn, sqlstateOf } from "./sessions.js";
import { sqlOf } from "./databases.js";

const CONNECTIONS = 3;
const STEPS = 7;
const PEOPLE = ["customer:ramesh", "customer:priya"];

type Source = { readonly sourceKind: "memory" | "derived"; readonly sourceId: string };

/**
 * Three connections that remember, derive, derive from derived rows, open, forget, resume and DELETE at once, on one
 * tenant with two people. What each connection does is decided by the seed; how they interleave, by the server.
 */
export class Schedule {
  readonly tenantKey: string;
  /** What was stored and committed, erased or not. */
  readonly stored = { memories: 0, derived: 0, edges: 0 };
  /** The SQLSTATEs of what was refused. */
  readonly refusals: string[] = [];
  readonly #pool: pg.Pool;
  readonly #seed: number;
  readonly #sources: Source[] = [];

  constructor(given: { readonly seed: number; readonly pool: pg.Pool; readonly tenantKey: string }) {
    this.#seed = given.seed;
    this.#pool = given.pool;
    this.tenantKey = given.tenantKey;
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

  /** Resumes every erasure that was left open. */
  async finish(): Promise<void> {
    const { tenantKey } = this;
    const memory = libraryOn(this.#pool);
    const { receipts } = await memory.erasures.list({ tenantKey, state: "in_progress", limit: 1000 });
    for (const { tombstoneId } of receipts) await memory.erasures.resume({ tenantKey, tombstoneId });
  }

  async #connection(client: pg.PoolClient, random: () => number): Promise<void> {
    for (let step = 0; step < STEPS; step++) {
      try {
        await this.#step(client, random);
      } catch (error) {
        this.refusals.push(sqlstateOf(error));
        await client.query("rollback");
      }
    }
  }

  async #step(client: pg.PoolClient, random: () => number): Promise<void> {
    const { tenantKey } = this;
    const person = pick(PEOPLE, random);
    const repeatable = random() < 0.3;
    const dice = random();
    if (dice < 0.3) return this.#remember(client, person, repeatable);
    if (dice < 0.7) return this.#derive(client, random, repeatable);
    if (dice < 0.75) return this.#insertPlainly(client, random);
    const erasures = libraryOn(client).erasures;
    if (dice < 0.85) {
      await erasures.open({ tenantKey, subjectKey: person });
    } else if (dice < 0.95) {
      await libraryOn(client).forget({ tenantKey, subjectKey: person }).catch(onlyIfIncomplete);
    } else {
      const { receipts } = await erasures.list({ tenantKey, state: "in_progress" });
      for (const { tombstoneId } of receipts) await erasures.resume({ tenantKey, tombstoneId });
    }
  }

  async #remember(client: pg.PoolClient, subjectKey: string, repeatable: boolean): Promise<void> {
    const { tenantKey } = this;
    const others = PEOPLE.filter((person) => person !== subjectKey);
    const alsoAbout = repeatable ? others : [];
    const { memory } = await inTransaction(client, repeatable, () =>
      libraryOn(client).remember({ tenantKey, subjectKey, alsoAbout, text: "something said" }),
    );
    this.stored.memories += 1;
    this.#sources.push({ sourceKind: "memory", sourceId: memory.memoryId });
  }

  async #derive(client: pg.PoolClient, random: () => number, repeatable: boolean): Promise<void> {
    const { tenantKey } = this;
    const sources = this.#pickSources(random);
    const { derived } = await inTransaction(client, repeatable, () =>
      libraryOn(client).derive({ tenantKey, kind: "summary", text: "a summary", sources }),
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
