import { randomUUID } from "node:crypto";
import { expect } from "vitest";
import type pg from "pg";
import { Memory, PgMemoryStore, verifyInstall } from "../../src/index.js";
import { aMemory, aSummaryOf } from "./builders.js";
import { aCanary } from "./canary.js";
import { aCopyOf, collect, forgetIncompletely, refOf } from "./copies.js";
import { dumpSchema, literalsIn } from "./dump.js";
import type { Row, Sql } from "./sql.js";

const PEPPER = { subjectHashPepper: "a secret of at least thirty-two bytes" };
const RAMESH = "customer:ramesh";
const ASHA = "customer:asha";

/** What an operator does around a restore, and what must be true at each point. The databases are given by who drills. */
export class RestoreDrill {
  readonly tenantKey = `tenant-${randomUUID()}`;
  readonly canaries = [aCanary(), aCanary(), aCanary(), aCanary()] as const;
  #chosenId = "";
  #exported: readonly string[] = [];
  #tombstoneOfPerson = "";

  /** Before the backup: three persons, a summary, and a copy in a sink. */
  async store(client: pg.Client): Promise<void> {
    const { tenantKey } = this;
    const memory = on(client);
    const [said, chosen, copied, direct] = this.canaries;
    const first = await memory.remember(aMemory({ tenantKey, text: said, metadata: { note: said } }));
    const second = await memory.remember(aMemory({ tenantKey, text: chosen }));
    this.#chosenId = second.memory.memoryId;
    const priya = await memory.remember(aMemory({ tenantKey, subjectKey: "customer:priya", text: "likes tea" }));
    const summary = await memory.derive({ ...aSummaryOf(first, priya), text: copied });
    await memory.recordPlacement({ ...aCopyOf(summary), ref: copied });
    await memory.remember(aMemory({ tenantKey, subjectKey: ASHA, text: direct }));
  }

  /** After it: a chosen memory, then the person with the copy, then a row by plain SQL. The export leaves the database. */
  async erase(client: pg.Client): Promise<void> {
    const { tenantKey } = this;
    const memory = on(client);
    await memory.forget({ tenantKey, memoryIds: [this.#chosenId] });
    const open = await forgetIncompletely(memory, { tenantKey, subjectKey: RAMESH });
    this.#tombstoneOfPerson = open.tombstoneId;
    for (const { placementId } of await memory.erasures.outstanding(refOf(open))) {
      await memory.erasures.confirm({ ...refOf(open), placementId, proof: "unfindable", by: "worker" });
    }
    const asha = memory.subjectFingerprint(tenantKey, ASHA);
    await client.query("delete from demystify_memory.memory where tenant_key = $1 and subject_hash = $2", [
      tenantKey,
      asha,
    ]);
    this.#exported = await collect(memory.erasures.exportTombstones({ tenantKey }));

    expect(await this.#found(client)).toEqual([]);
    expect(this.#exported).toHaveLength(3);
    expect(literalsIn(this.#exported.join("\n"), [...this.canaries, RAMESH, ASHA])).toEqual([]);
  }

  /** In the restored database: all of it is back, which is detected, erased again, and then stays as it is. */
  async recover(client: pg.Client): Promise<void> {
    const { tenantKey } = this;
    const memory = on(client);
    const [ofChosen, ofPerson, ofDelete] = this.#exported;
    expect(await this.#found(client)).toEqual([...this.canaries]);
    expect((await verifyInstall(client)).filter(({ ok }) => !ok)).toEqual([]);
    const later = await memory.remember(aMemory({ tenantKey, text: "said after the restore" }));

    const detected = await memory.erasures.reconcile({ tenantKey, against: this.#exported });
    expect(detected.verdict).toBe("residue");
    expect(detected.findings.map(({ code, id }) => [code, id])).toEqual(
      this.#exported.map((line) => ["evidence_missing", (JSON.parse(line) as { tombstoneId: string }).tombstoneId]),
    );

    // The erasure of the person alone: her ids, and what was stored not later than it, the chosen memory too.
    const { receipts } = await memory.erasures.replay({ tenantKey, tombstones: [ofPerson!] });
    expect(JSON.parse(ofPerson!)).toMatchObject({ tombstoneId: this.#tombstoneOfPerson, scope: "subject" });
    expect(receipts).toMatchObject([
      {
        origin: "replay",
        scope: "subject",
        state: "in_progress",
        counts: { memories: 2, derived: 1 },
        outstanding: [{}],
      },
    ]);
    for (const { placementId } of await memory.erasures.outstanding(refOf(receipts[0]!))) {
      await memory.erasures.confirm({ ...refOf(receipts[0]!), placementId, proof: "unfindable", by: "worker" });
    }
    expect(await memory.erasures.status(refOf(receipts[0]!))).toMatchObject({
      state: "complete",
      closure: "confirmed",
    });
    expect(await this.#found(client)).toEqual([this.canaries[3]]);

    const rest = await memory.erasures.replay({ tenantKey, tombstones: this.#exported });
    expect(rest).toMatchObject({ replayed: 2, alreadyKnown: 1, skippedHeld: 0 });
    expect(rest.receipts.map(({ origin, state, counts }) => [origin, state, counts.memories])).toEqual([
      ["replay", "complete", 0],
      ["replay", "complete", 1],
    ]);
    expect([ofChosen, ofDelete].map((line) => (JSON.parse(line!) as { origin: string }).origin)).toEqual([
      "forget",
      "direct_delete",
    ]);

    expect(await this.#found(client)).toEqual([]);
    const left = await memory.listMemories({ tenantKey });
    expect(left.rows.map(({ text }) => text).sort()).toEqual(["likes tea", "said after the restore"]);
    expect(left.rows).toContainEqual(later.memory);
    expect(await memory.erasures.replay({ tenantKey, tombstones: this.#exported })).toEqual({
      replayed: 0,
      alreadyKnown: 3,
      skippedHeld: 0,
      receipts: [],
    });
    expect(await memory.erasures.reconcile({ tenantKey, against: this.#exported })).toMatchObject({
      verdict: "clean",
      findings: [],
    });
  }

  async #found(client: pg.Client): Promise<readonly string[]> {
    const sql: Sql = async (text, params = []) => (await client.query<Row>(text, [...params])).rows;
    return literalsIn(await dumpSchema(sql), this.canaries);
  }
}

function on(client: pg.Client): Memory {
  return new Memory({ ...PEPPER, store: new PgMemoryStore(client) });
}
