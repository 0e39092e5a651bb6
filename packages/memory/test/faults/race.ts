import type pg from "pg";
import { insertDerived, insertLineage, insertMemory } from "../sqlreal/rows.js";
import { sqlOf } from "../sqlreal/databases.js";
import { libraryOn, sqlstateOf } from "../sqlreal/sessions.js";
import type { Sql } from "../support/sql.js";
import { interleave, type Part } from "./interleaving.js";
import { ledgerOf } from "./ledger.js";
import { randomFrom } from "./sample.js";

export const PAIRS = ["derive/forget", "remember/forget", "placement/forget", "forget/forget"] as const;
export const LEVELS = ["read committed", "repeatable read"] as const;

const SUBJECT = "customer:ramesh";

// What the gate says, and what a writer at REPEATABLE READ is told whose snapshot cannot show why. Never 40P01.
const EXPECTED = new Set(["stored", "rolled back", "complete", "ME003", "40001"]);

interface RaceParts {
  readonly seed: number;
  readonly pair: (typeof PAIRS)[number];
  readonly level: (typeof LEVELS)[number];
  /** As the superuser, on a connection of its own. */
  readonly sql: Sql;
  readonly clients: readonly [pg.Client, pg.Client];
  readonly tenantKey: string;
}

/** One schedule of a writer and an eraser (or of two erasers) on one person with a memory, a summary and a summary of it. */
export class Race {
  readonly outcomes: string[] = [];
  /** What was stored and committed, erased or not. */
  readonly stored = { memories: 1, derived: 2 };
  readonly #parts: RaceParts;
  readonly #random: () => number;
  #lineage: { readonly memory: string; readonly weekly: string; readonly monthly: string } | undefined;

  constructor(parts: RaceParts) {
    this.#parts = parts;
    this.#random = randomFrom(parts.seed * 7919 + PAIRS.indexOf(parts.pair) * 104_729 + LEVELS.indexOf(parts.level));
  }

  async run(): Promise<void> {
    const { sql, clients, pair, tenantKey } = this.#parts;
    this.#lineage = await insertLineage(sql, { tenantKey });
    const eraser = this.#eraser(clients[1], "eraser");
    const other = pair === "forget/forget" ? this.#eraser(clients[0], "eraser 2") : this.#writer(clients[0]);
    await interleave(sql, [other, eraser], this.#random);
  }

  /** Whoever comes next: finishes what is open, and sees the copies gone. */
  async finish(): Promise<void> {
    const { tenantKey, clients } = this.#parts;
    const memory = libraryOn(clients[1]);
    const { receipts } = await memory.erasures.list({ tenantKey, limit: 100 });
    for (const { tombstoneId, state } of receipts) {
      if (state === "complete") continue;
      const ref = { tenantKey, tombstoneId };
      await memory.erasures.resume(ref);
      for (const { placementId } of await memory.erasures.outstanding(ref)) {
        await memory.erasures.confirm({ ...ref, placementId, proof: "unfindable", by: "worker" });
      }
      const { state: now } = await memory.erasures.status(ref);
      if (now !== "complete") throw new Error(`the erasure stays ${now}`);
    }
  }

  /** Rows and copies that should be gone, with why: covered, without a source, or certified although they are there. */
  async survivors(): Promise<readonly unknown[]> {
    const { sql, tenantKey } = this.#parts;
    const left = await sql(
      `select 'covered' as why, x.id::text from (
           select memory_id as id from demystify_memory.memory where tenant_key = $1
           union all select derived_id from demystify_memory.derived where tenant_key = $1
           union all select placement_id from demystify_memory.placement where tenant_key = $1 and gone_at is null) x
        where exists (select from demystify_memory.tombstone_item i where i.tenant_key = $1 and i.item_id = x.id)
       union all
       select 'source missing', d.derived_id::text
         from demystify_memory.derived d, unnest(d.source_memories || d.source_derived) s
        where d.tenant_key = $1
          and not exists (select from demystify_memory.memory m where m.tenant_key = $1 and m.memory_id = s)
          and not exists (select from demystify_memory.derived e where e.tenant_key = $1 and e.derived_id = s)
       union all
       select 'copy without a source', p.placement_id::text
         from demystify_memory.placement p, unnest(p.source_memories || p.source_derived) s
        where p.tenant_key = $1 and p.gone_at is null
          and not exists (select from demystify_memory.memory m where m.tenant_key = $1 and m.memory_id = s)
          and not exists (select from demystify_memory.derived e where e.tenant_key = $1 and e.derived_id = s)
       union all
       select 'older than the erasure', m.memory_id::text
         from demystify_memory.memory m
        where m.tenant_key = $1
          and m.created_at < (select max(t.opened_at) from demystify_memory.tombstone t
                               where t.tenant_key = $1 and t.scope = 'subject')`,
      [tenantKey],
    );
    const { falselyComplete, destroyedButLive } = await ledgerOf(sql, tenantKey);
    return [...left, ...falselyComplete, ...destroyedButLive];
  }

  /** What all receipts and all live rows say together. */
  async certified(): Promise<{ memories: number; derived: number }> {
    const { memories, derived } = await ledgerOf(this.#parts.sql, this.#parts.tenantKey);
    return { memories, derived };
  }

  unexpected(): readonly string[] {
    return this.outcomes.filter((outcome) => !EXPECTED.has(outcome.slice(outcome.indexOf(": ") + 2)));
  }

  /** A transaction of a host: begin, perhaps a look, the write, and the end, whichever. */
  #writer(client: pg.Client): Part {
    const { level } = this.#parts;
    const looksFirst = this.#random() < 0.5;
    const ending = this.#random() < 0.85 ? "commit" : "rollback";
    const write = this.#write(client);
    return {
      client,
      steps: [
        () => client.query(`begin isolation level ${level}`),
        // The snapshot of a repeatable read is taken by its first statement.
        ...(looksFirst ? [() => client.query("select 1")] : []),
        () =>
          write.run().catch(async (error: unknown) => {
            this.outcomes.push(`writer: ${sqlstateOf(error)}`);
            await client.query("rollback");
            throw error;
          }),
        async () => {
          await client.query(ending);
          this.outcomes.push(`writer: ${ending === "commit" ? "stored" : "rolled back"}`);
          if (ending === "commit") {
            this.stored.memories += write.memories;
            this.stored.derived += write.derived;
          }
        },
      ],
    };
  }

  #write(client: pg.Client) {
    const { pair, tenantKey } = this.#parts;
    const { memory, weekly, monthly } = this.#lineage!;
    const library = libraryOn(client);
    const plainly = this.#random() < 0.4;
    const derivedFrom = this.#random() < 0.5 ? weekly : monthly;
    const fromMemory = this.#random() < 0.5;
    const asTenant = () => client.query("select set_config('app.current_tenant', $1, true)", [tenantKey]);
    const source = fromMemory
      ? ({ sourceKind: "memory", sourceId: memory } as const)
      : ({ sourceKind: "derived", sourceId: derivedFrom } as const);
    switch (pair) {
      case "remember/forget":
        return {
          memories: 1,
          derived: 0,
          run: async () => {
            if (!plainly) return library.remember({ tenantKey, subjectKey: SUBJECT, text: "said meanwhile" });
            await asTenant();
            return insertMemory(sqlOf(client), { tenantKey, subjectKey: SUBJECT });
          },
        };
      case "placement/forget": {
        const copy = { tenantKey, sink: "cache", ref: "copy", kind: "answer", sources: [source] };
        return { memories: 0, derived: 0, run: () => library.recordPlacement(copy) };
      }
      default:
        return {
          memories: 0,
          derived: 1,
          run: async () => {
            if (!plainly) return library.derive({ tenantKey, kind: "summary", text: "a summary", sources: [source] });
            await asTenant();
            return insertDerived(
              sqlOf(client),
              fromMemory ? { tenantKey, memories: [memory] } : { tenantKey, derived: [derivedFrom] },
            );
          },
        };
    }
  }

  /** In one call, or step by step in transactions of a host, which may end in between. */
  #eraser(client: pg.Client, name: string): Part {
    const { tenantKey, level } = this.#parts;
    const memory = libraryOn(client);
    const noted = (step: () => Promise<unknown>) => () =>
      step().catch(async (error: unknown) => {
        this.outcomes.push(`${name}: ${sqlstateOf(error)}`);
        await client.query("rollback");
        throw error;
      });
    const scope = { tenantKey, subjectKey: SUBJECT };
    const complete = () => this.outcomes.push(`${name}: complete`);
    if (this.#random() < 0.5) {
      // The session's default may be the stricter level: the procedure sets its own.
      return {
        client,
        steps: [
          () => client.query(`set default_transaction_isolation = '${level}'`),
          noted(() => memory.forget(scope).then(complete, onlyIncomplete)),
          () => client.query("reset default_transaction_isolation"),
        ],
      };
    }
    let tombstoneId = "";
    return {
      client,
      steps: [
        () => client.query("begin"),
        noted(async () => {
          ({ tombstoneId } = await memory.erasures.open(scope));
        }),
        () => client.query("commit"),
        noted(async () => {
          const { state } = await memory.erasures.resume({ tenantKey, tombstoneId });
          if (state === "complete") complete();
        }),
      ],
    };
  }
}

// A copy that was recorded first is waited for; the end sees it gone.
function onlyIncomplete(error: unknown): void {
  if ((error as { code?: unknown }).code !== "ERR_FORGET_INCOMPLETE") throw error;
}
