import type { Memory, MemoryOptions, TombstoneRecord } from "../../src/index.js";
import { ForgetIncompleteError, NotFoundError } from "../../src/index.js";
import { aMemory, aSummaryOf, inTurn, LONG_AGO, sourceOf, UNKNOWN_ID } from "./builders.js";
import { aCopyOf, forgetIncompletely, refOf } from "./copies.js";

const SUBJECT = "customer:ramesh";
const OTHER = "customer:priya";
const PROOF = { proof: "unfindable", by: "worker" } as const;
const TICKET = { requestId: "ticket one" };

/** What an operation is tried on: a tenant of its own, and a text that may not outlive an erasure. */
export interface On {
  readonly memory: Memory;
  readonly tenantKey: string;
  readonly canary: string;
}

/** An operation of the library that a stop may interrupt. */
export interface Operation {
  readonly name: string;
  readonly options?: Omit<MemoryOptions, "store">;
  /** Whether the canary has to be gone when it is over. */
  readonly erases?: boolean;
  readonly prepare: (on: On) => Promise<Prepared>;
}

export interface Prepared {
  readonly run: (memory: Memory) => Promise<unknown>;
  /** What a host does that finds the operation interrupted; `run` again where nothing is said. */
  readonly recover?: (memory: Memory) => Promise<unknown>;
}

/** Every operation that writes. Chunks of one row, so that a destruction has as many steps as it can have. */
export const OPERATIONS: readonly Operation[] = [
  {
    name: "remember",
    prepare: ({ tenantKey }) => ready((memory) => memory.remember(aMemory({ tenantKey, idempotencyKey: "first" }))),
  },
  {
    name: "rememberMany",
    prepare: ({ tenantKey }) =>
      ready((memory) =>
        memory.rememberMany([
          aMemory({ tenantKey, idempotencyKey: "first" }),
          aMemory({ tenantKey, idempotencyKey: "second", alsoAbout: [OTHER] }),
        ]),
      ),
  },
  {
    name: "derive",
    prepare: async ({ memory, tenantKey }) => {
      const source = await memory.remember(aMemory({ tenantKey }));
      return {
        run: (on) => on.derive(aSummaryOf(source)),
        recover: async (on) => {
          const { rows } = await on.listDerived({ tenantKey });
          if (rows.length === 0) await on.derive(aSummaryOf(source));
        },
      };
    },
  },
  {
    name: "recordPlacement",
    prepare: async ({ memory, tenantKey }) => {
      const source = await memory.remember(aMemory({ tenantKey }));
      return { run: (on) => on.recordPlacement(aCopyOf(source)) };
    },
  },
  {
    name: "placements.written",
    prepare: async ({ memory, tenantKey }) => {
      const { placementId } = await aSlowCopy({ memory, tenantKey });
      return { run: (on) => on.placements.written({ tenantKey, placementId, ref: "point 2" }) };
    },
  },
  {
    name: "placements.written, too late",
    erases: true,
    prepare: async (on) => {
      const { placementId } = await aSlowCopy(on);
      const ref = refOf(await forgetIncompletely(on.memory, { tenantKey: on.tenantKey, subjectKey: SUBJECT }));
      await on.memory.placements.abandoned({ tenantKey: on.tenantKey, placementId });
      await on.memory.erasures.confirm({ ...ref, placementId, ...PROOF });
      const written = (memory: Memory) =>
        memory.placements.written({ tenantKey: on.tenantKey, placementId, ref: "point 2" });
      return {
        run: (memory) => written(memory).catch(onlyForgotten),
        // Asked again only where the first report is not known: an open erasure says that it is.
        recover: async (memory) => {
          const { receipts } = await memory.erasures.list({ tenantKey: on.tenantKey, state: "in_progress" });
          if (receipts.length === 0) await written(memory).catch(onlyForgotten);
          await confirmAll(memory, on.tenantKey);
        },
      };
    },
  },
  {
    name: "placements.abandoned",
    prepare: async ({ memory, tenantKey }) => {
      const { placementId } = await aSlowCopy({ memory, tenantKey });
      return { run: (on) => on.placements.abandoned({ tenantKey, placementId }) };
    },
  },
  {
    name: "erasures.open",
    prepare: async (on) => {
      await aFamily(on);
      return { run: (memory) => memory.erasures.open({ tenantKey: on.tenantKey, subjectKey: SUBJECT, ...TICKET }) };
    },
  },
  {
    name: "forget of a person",
    erases: true,
    options: { destroyChunkRows: 1 },
    prepare: async (on) => {
      await aFamily(on);
      return forgetting(on.tenantKey, { subjectKey: SUBJECT });
    },
  },
  {
    name: "forget of a person in one transaction",
    erases: true,
    prepare: async (on) => {
      await aFamily(on);
      return forgetting(on.tenantKey, { subjectKey: SUBJECT });
    },
  },
  {
    name: "forget of chosen memories",
    erases: true,
    options: { destroyChunkRows: 1 },
    prepare: async (on) => {
      const memoryIds = await aFamily(on);
      return forgetting(on.tenantKey, { memoryIds });
    },
  },
  {
    name: "forget of somebody unknown",
    prepare: (on) => Promise.resolve(forgetting(on.tenantKey, { subjectKey: SUBJECT })),
  },
  {
    name: "forget where a copy is outstanding, and its confirmation",
    erases: true,
    prepare: async (on) => {
      const { tenantKey } = on;
      const source = await on.memory.remember(aMemory({ tenantKey, text: on.canary }));
      await on.memory.recordPlacement({ ...aCopyOf(source), ref: on.canary });
      const run = async (memory: Memory) => {
        await memory.forget({ tenantKey, subjectKey: SUBJECT, ...TICKET }).catch(onlyIncomplete);
        await confirmAll(memory, tenantKey);
      };
      return { run };
    },
  },
  {
    name: "attestation of a copy",
    erases: true,
    prepare: async (on) => {
      const { tenantKey } = on;
      const source = await on.memory.remember(aMemory({ tenantKey, text: on.canary }));
      const { placement } = await on.memory.recordPlacement({ ...aCopyOf(source), ref: on.canary });
      const ref = refOf(await forgetIncompletely(on.memory, { tenantKey, subjectKey: SUBJECT }));
      const { placementId } = placement;
      return { run: (memory) => memory.erasures.attest({ ...ref, placementId, by: "dpo", reference: "OPS-1" }) };
    },
  },
  {
    name: "escalation and attestation of an unknown closure",
    erases: true,
    prepare: async (on) => {
      const { tenantKey } = on;
      await on.memory.remember(aMemory({ tenantKey, text: on.canary, provenanceKnown: false }));
      const run = async (memory: Memory) => {
        await memory.forget({ tenantKey, subjectKey: SUBJECT, ...TICKET }).catch(onlyIncomplete);
        const { receipts } = await memory.erasures.list({ tenantKey, state: "escalated" });
        for (const receipt of receipts) {
          await memory.erasures.attest({ ...refOf(receipt), closure: true, by: "dpo", reference: "OPS-1" });
        }
      };
      return { run };
    },
  },
  {
    name: "correct",
    erases: true,
    options: { destroyChunkRows: 1 },
    prepare: async (on) => {
      const { tenantKey } = on;
      const source = await on.memory.remember(aMemory({ tenantKey, text: on.canary }));
      await on.memory.derive({ ...aSummaryOf(source), text: on.canary });
      const { memoryId } = source.memory;
      const correct = (memory: Memory) => memory.correct({ tenantKey, memoryId, text: "prefers a letter" });
      return {
        run: correct,
        recover: async (memory) => {
          if ((await memory.getMemory(tenantKey, memoryId)) !== null) await correct(memory);
          await resumeAll(memory, tenantKey);
        },
      };
    },
  },
  {
    name: "expire",
    erases: true,
    options: { destroyChunkRows: 1 },
    prepare: async ({ memory, tenantKey, canary }) => {
      await inTurn([SUBJECT, OTHER], (subjectKey) =>
        memory.remember(aMemory({ tenantKey, subjectKey, text: canary, expiresAt: LONG_AGO })),
      );
      return resumedAndRepeated(tenantKey, (on) => on.erasures.expire({ tenantKey }));
    },
  },
  {
    name: "forgetTenant",
    erases: true,
    options: { destroyChunkRows: 1 },
    prepare: async (on) => {
      await aFamily(on);
      await on.memory.remember(aMemory({ tenantKey: on.tenantKey, subjectKey: "customer:asha", text: on.canary }));
      const { tenantKey } = on;
      return resumedAndRepeated(tenantKey, (memory) => memory.erasures.forgetTenant({ tenantKey, confirm: tenantKey }));
    },
  },
  {
    name: "reconcile with repair",
    erases: true,
    options: { subjectHashPepper: "a secret of at least thirty-two bytes" },
    prepare: async ({ memory, tenantKey, canary }) => {
      await memory.remember(aMemory({ tenantKey, text: canary }));
      await memory.forget({ tenantKey, subjectKey: SUBJECT });
      await memory.remember(aMemory({ tenantKey, text: canary }));
      return resumedAndRepeated(tenantKey, (on) => on.erasures.reconcile({ tenantKey, repair: true }));
    },
  },
  {
    name: "replay",
    erases: true,
    options: { destroyChunkRows: 1 },
    prepare: async (on) => {
      const { tenantKey } = on;
      const memoryIds = await aFamily(on);
      const line: TombstoneRecord = {
        v: 1,
        tombstoneId: UNKNOWN_ID,
        tenantKey,
        scope: "memories",
        subjectHash: on.memory.subjectFingerprint(tenantKey, SUBJECT),
        subjectKeyId: null,
        origin: "forget",
        reason: "subject_request",
        legalBasis: "unspecified",
        openedAt: LONG_AGO,
        memoryIds,
        derivedIds: [],
        placementIds: [],
      };
      const tombstones = [JSON.stringify(line)];
      return resumedAndRepeated(tenantKey, (memory) => memory.erasures.replay({ tenantKey, tombstones }));
    },
  },
  {
    name: "restrict and lift",
    prepare: async ({ memory, tenantKey }) => {
      await memory.remember(aMemory({ tenantKey }));
      const kept = await memory.restrictions.restrict({ tenantKey, subjectKey: SUBJECT, basis: "gdpr_18_1_a" });
      return { run: (on) => on.restrictions.lift({ tenantKey, ...kept }).catch(onlyNotFound) };
    },
  },
  {
    name: "restrict",
    prepare: async ({ memory, tenantKey }) => {
      await memory.remember(aMemory({ tenantKey }));
      return { run: (on) => on.restrictions.restrict({ tenantKey, subjectKey: SUBJECT, basis: "gdpr_18_1_a" }) };
    },
  },
  {
    name: "release of a hold",
    prepare: async ({ memory, tenantKey }) => {
      await memory.remember(aMemory({ tenantKey }));
      const hold = await memory.holds.place({ tenantKey, subjectKey: SUBJECT, code: "litigation" });
      return { run: (on) => on.holds.release({ tenantKey, ...hold }).catch(onlyNotFound) };
    },
  },
  {
    name: "placing of a hold",
    prepare: async ({ memory, tenantKey }) => {
      await memory.remember(aMemory({ tenantKey }));
      const place = (on: Memory) => on.holds.place({ tenantKey, subjectKey: SUBJECT, code: "litigation" });
      return {
        run: place,
        recover: async (on) => {
          if ((await on.holds.list({ tenantKey })).length === 0) await place(on);
        },
      };
    },
  },
  {
    name: "registration of a sink",
    prepare: ({ tenantKey }) =>
      ready((memory) => memory.sinks.register({ tenantKey, sink: "cache", requiredProof: "absent" })),
  },
  {
    name: "setEmbeddings",
    prepare: async ({ memory, tenantKey }) => {
      const { memory: row } = await memory.remember(aMemory({ tenantKey }));
      const items = [{ kind: "memory" as const, id: row.memoryId, embedding: [1, 0] }];
      return { run: (on) => on.setEmbeddings({ tenantKey, items }) };
    },
  },
];

/** What anybody can see of a tenant, without ids and times: two tenants where the same happened look the same. */
export async function visibleState(memory: Memory, tenantKey: string) {
  const { rows: memories } = await memory.listMemories({ tenantKey });
  const { rows: derived } = await memory.listDerived({ tenantKey });
  const { receipts } = await memory.erasures.list({ tenantKey });
  const lineages = await inTurn(memories, ({ memoryId }) =>
    memory.lineage({ tenantKey, kind: "memory", id: memoryId }),
  );
  const holds = await memory.holds.list({ tenantKey });
  return {
    memories: memories.map(({ subjectKey, alsoAbout, text, dimensions }) => ({
      subjectKey,
      alsoAbout,
      text,
      dimensions,
    })),
    derived: derived.map(({ text, sources }) => ({ text, sources: sources.length })),
    copies: lineages.map((lineage) => lineage?.placements.map(({ sink }) => sink)),
    erasures: receipts
      .map(({ scope, origin, state, closure, counts, cascadeDepth, matched, outstanding, escalation }) => ({
        scope,
        origin,
        state,
        closure,
        counts,
        cascadeDepth,
        matched,
        outstanding: outstanding.length,
        escalation: escalation?.code,
      }))
      .sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)),
    holds: holds.map(({ code, releasedAt }) => ({ code, released: releasedAt !== null })),
    sinks: await memory.sinks.list({ tenantKey }),
  };
}

/** Two people, three memories, one of them shared, and a summary of a summary. Answers the ids of the first person's. */
async function aFamily({ memory, tenantKey, canary }: On): Promise<readonly string[]> {
  const own = await memory.remember(aMemory({ tenantKey, text: canary }));
  const shared = await memory.remember(aMemory({ tenantKey, text: canary, alsoAbout: [OTHER] }));
  const other = await memory.remember(aMemory({ tenantKey, subjectKey: OTHER, text: "likes tea" }));
  const weekly = await memory.derive({ ...aSummaryOf(own, other), text: canary });
  await memory.derive({ ...aSummaryOf(weekly, shared), text: canary });
  return [own.memory.memoryId, shared.memory.memoryId];
}

async function aSlowCopy({ memory, tenantKey }: Pick<On, "memory" | "tenantKey">) {
  const source = await memory.remember(aMemory({ tenantKey }));
  const { placement } = await memory.recordPlacement({ ...aCopyOf(source), writeWithin: 3600 });
  return { placementId: placement.placementId, source: sourceOf(source) };
}

function forgetting(
  tenantKey: string,
  scope: { readonly subjectKey: string } | { readonly memoryIds: readonly string[] },
) {
  const run = (memory: Memory) => memory.forget({ tenantKey, ...scope, ...TICKET });
  return { run };
}

/** What a host's nightly job does: it finishes what is open, and then asks for the rest. */
function resumedAndRepeated(tenantKey: string, run: Prepared["run"]): Prepared {
  return {
    run,
    recover: async (memory) => {
      await resumeAll(memory, tenantKey);
      await run(memory);
    },
  };
}

async function resumeAll(memory: Memory, tenantKey: string): Promise<void> {
  const { receipts } = await memory.erasures.list({ tenantKey, state: "in_progress" });
  for (const receipt of receipts) await memory.erasures.resume(refOf(receipt));
}

async function confirmAll(memory: Memory, tenantKey: string): Promise<void> {
  const { receipts } = await memory.erasures.list({ tenantKey, state: "in_progress" });
  for (const receipt of receipts) {
    const ref = refOf(receipt);
    for (const { placementId } of await memory.erasures.outstanding(ref)) {
      await memory.erasures.confirm({ ...ref, placementId, ...PROOF });
    }
  }
}

function ready(run: Prepared["run"]): Promise<Prepared> {
  return Promise.resolve({ run });
}

function onlyIncomplete(error: unknown): void {
  if (!(error instanceof ForgetIncompleteError)) throw error;
}

function onlyNotFound(error: unknown): void {
  if (!(error instanceof NotFoundError)) throw error;
}

function onlyForgotten(error: unknown): void {
  if ((error as { code?: unknown }).code !== "ERR_SOURCE_FORGOTTEN") throw error;
}
