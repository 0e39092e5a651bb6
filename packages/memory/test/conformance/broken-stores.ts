import { InMemoryStore } from "../../src/index.js";
import type {
  DerivedRow,
  ErasureReceipt,
  MemoryRow,
  MemoryStore,
  NewDerived,
  OpenErasure,
  PlacementStore,
  StoreScope,
} from "../../src/index.js";

/** A store that breaks one promise, in a way that has happened. */
export interface BrokenStore {
  readonly how: string;
  /** The case that has to notice; others may as well. */
  readonly noticedBy: RegExp;
  readonly create: () => MemoryStore;
}

type Override = (inner: InMemoryStore) => Partial<MemoryStore>;

/** A store that works, but for the methods that are given. */
function broken(how: string, noticedBy: RegExp, override: Override): BrokenStore {
  return {
    how,
    noticedBy,
    create() {
      const inner = new InMemoryStore();
      return overridden<MemoryStore>(inner, override(inner));
    },
  };
}

function overridden<Whole extends object>(inner: Whole, methods: Partial<Whole>): Whole {
  return new Proxy(inner, {
    get(target, name) {
      const value: unknown = Reflect.get(name in methods ? methods : target, name);
      return typeof value === "function" ? (value.bind(name in methods ? methods : target) as unknown) : value;
    },
  });
}

function receiptsThrough(
  inner: InMemoryStore,
  change: (receipt: ErasureReceipt) => ErasureReceipt,
): Partial<MemoryStore> {
  const each = (receipt: ErasureReceipt | null) => (receipt === null ? null : change(receipt));
  return {
    openErasure: async (request) => change(await inner.openErasure(request)),
    advanceErasure: async (...args) => {
      const { receipt, advanced } = await inner.advanceErasure(...args);
      return { receipt: change(receipt), advanced };
    },
    forget: async (...args) => change(await inner.forget(...args)),
    receipt: async (...args) => each(await inner.receipt(...args)),
    listReceipts: async (...args) => {
      const page = await inner.listReceipts(...args);
      return { ...page, rows: page.rows.map(change) };
    },
  };
}

const claimComplete = (receipt: ErasureReceipt): ErasureReceipt =>
  receipt.state === "in_progress" && receipt.destroyedAt !== undefined
    ? { ...receipt, state: "complete", closure: "confirmed", owner: "library", completedAt: receipt.destroyedAt }
    : receipt;

const countOnlyMemories = (receipt: ErasureReceipt): ErasureReceipt => ({
  ...receipt,
  counts: { ...receipt.counts, derived: 0, provenanceEdges: 0 },
});

const keyOf = (target: StoreScope) => (target.scope === "subject" ? target.subject.subjectKey : null);

export const BROKEN_STORES: readonly BrokenStore[] = [
  broken(
    "no cascade: derived rows are served from a cache that erasure does not reach",
    /everything derived/,
    (inner) => {
      const cache = new Map<string, DerivedRow>();
      return {
        async insertDerived(tenantKey, rows) {
          const outcomes = await inner.insertDerived(tenantKey, rows);
          for (const outcome of outcomes)
            if (outcome.status === "stored") cache.set(outcome.row.derivedId, outcome.row);
          return outcomes;
        },
        async getDerived(tenantKey, derivedId) {
          const cached = cache.get(derivedId);
          return cached?.tenantKey === tenantKey ? cached : inner.getDerived(tenantKey, derivedId);
        },
      };
    },
  ),
  broken("the tombstone is written with the delete, not before it", /no tombstone, no destruction/, (inner) => {
    const waiting = new Map<string, OpenErasure>();
    return {
      async openErasure(request) {
        const preview = await inner.previewErasure(request.tenantKey, request.target);
        waiting.set(request.tombstoneId, request);
        return promised(request, preview.counts);
      },
      async advanceErasure(tenantKey, tombstoneId, chunkRows) {
        const request = waiting.get(tombstoneId);
        waiting.delete(tombstoneId);
        if (request !== undefined) await inner.openErasure(request);
        return inner.advanceErasure(tenantKey, tombstoneId, chunkRows);
      },
    };
  }),
  broken(
    "success without confirmation: complete means that the rows are gone",
    /completes when the last copy/,
    (inner) => receiptsThrough(inner, claimComplete),
  ),
  broken("keys are matched by prefix", /keys are compared exactly/, (inner) => {
    const seen = new Map<string, OpenErasure["target"] & { scope: "subject" }>();
    return {
      async insertMemories(tenantKey, rows, options) {
        for (const { subjects } of rows) {
          const [subject] = subjects;
          if (subject.subjectKey !== null) seen.set(subject.subjectKey, { scope: "subject", subject });
        }
        return inner.insertMemories(tenantKey, rows, options);
      },
      async forget(request, chunkRows) {
        const key = keyOf(request.target);
        for (const [other, target] of seen) {
          if (key === null || other === key || !other.startsWith(key)) continue;
          const tombstoneId = request.tombstoneId.replace(/.{4}$/, "0000");
          await inner.forget({ ...request, tombstoneId, target, previewToken: null, requestHash: null }, chunkRows);
        }
        return inner.forget(request, chunkRows);
      },
    };
  }),
  broken("an edge is lost: the last of several sources is not kept", /no edge is lost/, (inner) => ({
    insertDerived: async (tenantKey, rows) => inner.insertDerived(tenantKey, rows.map(withoutLastSource)),
  })),
  broken("a late write is stored and hidden instead of refused", /not stored and hidden/, (inner) => {
    const hidden = new Map<string, MemoryRow>();
    return {
      async insertMemories(tenantKey, rows, options) {
        const outcomes = await inner.insertMemories(tenantKey, rows, options);
        return outcomes.map((outcome, index) => {
          const late = rows[index];
          if (outcome.status !== "refused" || late === undefined || late.capturedAt === null) return outcome;
          const row = { ...late, tenantKey, subjectKey: late.subjects[0].subjectKey } as unknown as MemoryRow;
          hidden.set(late.memoryId, row);
          return { status: "stored", row, rematerialised: false };
        });
      },
    };
  }),
  broken("counts lie: a receipt counts memories only", /everything derived/, (inner) =>
    receiptsThrough(inner, countOnlyMemories),
  ),
  broken("an error quotes the row it refuses", /quotes nothing/, (inner) => ({
    async insertDerived(tenantKey, rows) {
      const outcomes = await inner.insertDerived(tenantKey, rows);
      return outcomes.map((outcome, index) => {
        if (outcome.status !== "refused") return outcome;
        outcome.error.message += `; failing row contains (${rows[index]?.text ?? ""})`;
        return outcome;
      });
    },
  })),
  broken("a promise is taken for a proof", /completes when the last copy/, (inner) => ({
    placements: overridden<PlacementStore>(inner.placements, {
      confirmPlacement: (tenantKey, confirmation) =>
        inner.placements.confirmPlacement(tenantKey, { ...confirmation, proof: "purged" }),
    }),
  })),
  broken("two workers get the same lease", /leased to one owner/, (inner) => ({
    placements: overridden<PlacementStore>(inner.placements, {
      outstanding: (tenantKey, tombstoneId) => inner.placements.outstanding(tenantKey, tombstoneId, null),
    }),
  })),
  broken("a row is found by its id in any tenant", /another tenant's rows/, (inner) => {
    const tenants = new Map<string, string>();
    return {
      async insertMemories(tenantKey, rows, options) {
        for (const { memoryId } of rows) tenants.set(memoryId, tenantKey);
        return inner.insertMemories(tenantKey, rows, options);
      },
      getMemory: async (tenantKey, memoryId) => inner.getMemory(tenants.get(memoryId) ?? tenantKey, memoryId),
    };
  }),
  broken("a restricted row is still recalled", /restricted rows are hidden/, (inner) => {
    const rows = new Map<string, MemoryRow>();
    return {
      async insertMemories(tenantKey, inserted, options) {
        const outcomes = await inner.insertMemories(tenantKey, inserted, options);
        for (const outcome of outcomes) if (outcome.status === "stored") rows.set(tenantKey, outcome.row);
        return outcomes;
      },
      async recallLexical(tenantKey, query) {
        const answer = await inner.recallLexical(tenantKey, query);
        const row = rows.get(tenantKey);
        const covered = row === undefined ? null : await inner.tombstoneCovering(tenantKey, "memory", row.memoryId);
        if (answer.hits.length > 0 || row === undefined || covered !== null) return answer;
        return { ...answer, hits: [{ kind: "memory", row, score: 1 }] };
      },
    };
  }),
  broken("the same request opens a second erasure", /same request id/, (inner) => ({
    forget: (request, chunkRows) => inner.forget({ ...request, requestHash: null }, chunkRows),
  })),
];

/** A store that does everything right, and also writes every text to a log. */
export function aStoreThatLogs(log: string[]): MemoryStore {
  const inner = new InMemoryStore();
  return overridden<MemoryStore>(inner, {
    async insertMemories(tenantKey, rows, options) {
      log.push(...rows.map(({ text }) => text));
      return inner.insertMemories(tenantKey, rows, options);
    },
  });
}

function withoutLastSource(row: NewDerived): NewDerived {
  if (row.sourceMemories.length > 1) return { ...row, sourceMemories: row.sourceMemories.slice(0, -1) };
  return row;
}

/** The receipt of an erasure that was accepted and is not recorded anywhere. */
function promised(
  request: OpenErasure,
  counts: { readonly memories: number; readonly derived: number; readonly provenanceEdges: number },
): ErasureReceipt {
  const { tombstoneId, tenantKey, reason, legalBasis, origin, requestedBy } = request;
  return {
    tombstoneId,
    tenantKey,
    scope: request.target.scope,
    subjectHash: request.target.scope === "subject" ? request.target.subject.written.hash : null,
    subjectHashKeyed: false,
    reason,
    legalBasis,
    origin,
    requestedBy,
    state: "in_progress",
    owner: "library",
    openedAt: new Date().toISOString(),
    counts: { ...counts, placements: { total: 0, confirmed: 0, attested: 0, outstanding: 0 } },
    cascadeDepth: 0,
    matched: counts.memories > 0,
    unknownIds: { alreadyErased: 0, neverSeen: 0 },
    rebuildable: [],
    otherSubjects: 0,
    outstanding: [],
    notCovered: ["unrecorded_copies"],
  };
}
