import type { ErasureReceipt } from "../../src/domain/receipt.js";
import type { DerivedRow, MemoryRow } from "../../src/domain/rows.js";
import type { InsertOutcome, MemoryStore, NewDerived, NewMemory, RankedRows } from "../../src/ports/memory-store.js";

export type Calls = readonly (readonly [method: keyof MemoryStore, ...args: unknown[]])[];

type Stored<Row> = Extract<InsertOutcome<Row>, { readonly status: "stored" }>;

export interface FakeStore extends MemoryStore {
  /** Every call, in order. */
  readonly calls: Calls;
  callsOf(method: keyof MemoryStore): readonly (readonly unknown[])[];
}

/** A store that keeps nothing, remembers how it was called, and answers as it is told. */
export function aFakeStore(answers: Partial<MemoryStore> = {}): FakeStore {
  const calls: (readonly [keyof MemoryStore, ...unknown[]])[] = [];
  const all = { ...DEFAULTS, ...answers };
  const recording =
    (name: string, answer: object) =>
    async (...args: unknown[]): Promise<unknown> => {
      calls.push([name as keyof MemoryStore, ...args]);
      return (answer as (...given: unknown[]) => unknown)(...args);
    };
  const recorded = Object.fromEntries(
    Object.entries(all).map(([name, answer]) => [
      name,
      typeof answer === "function" ? recording(name, answer) : answer,
    ]),
  ) as unknown as MemoryStore;
  return {
    ...recorded,
    calls,
    callsOf: (method) => calls.filter(([called]) => called === method).map(([, ...args]) => args),
  };
}

export function aReceipt(given: Partial<ErasureReceipt> = {}): ErasureReceipt {
  return {
    tombstoneId: "018f3c2a-7b1d-7c4e-9a5f-6b7c8d9e0f1a",
    tenantKey: "acme",
    scope: "subject",
    subjectHash: "0".repeat(64),
    subjectHashKeyed: false,
    reason: "subject_request",
    legalBasis: "unspecified",
    origin: "forget",
    requestedBy: { role: "unspecified", idHash: null },
    state: "complete",
    closure: "confirmed",
    owner: "library",
    openedAt: "2024-05-01T00:00:00.000Z",
    destroyedAt: "2024-05-01T00:00:01.000Z",
    completedAt: "2024-05-01T00:00:02.000Z",
    counts: {
      memories: 1,
      derived: 0,
      provenanceEdges: 0,
      placements: { total: 0, confirmed: 0, attested: 0, outstanding: 0 },
    },
    cascadeDepth: 0,
    matched: true,
    unknownIds: { alreadyErased: 0, neverSeen: 0 },
    rebuildable: [],
    otherSubjects: 0,
    outstanding: [],
    notCovered: ["unrecorded_copies"],
    ...given,
  };
}

/** The receipt of an erasure that is open and nothing more. */
export function anOpenReceipt(given: Partial<ErasureReceipt> = {}): ErasureReceipt {
  const { closure: _closure, destroyedAt: _destroyedAt, completedAt: _completedAt, ...receipt } = aReceipt();
  return { ...receipt, state: "in_progress", ...given };
}

export function storedMemory(tenantKey: string, row: NewMemory): Stored<MemoryRow> {
  return {
    status: "stored",
    rematerialised: false,
    row: {
      tenantKey,
      memoryId: row.memoryId,
      subjectKey: row.subjects[0].subjectKey,
      subjectHash: row.subjects[0].written.hash,
      alsoAbout: [],
      kind: row.kind,
      text: row.text,
      metadata: row.metadata,
      embedded: row.embedding !== null,
      dimensions: row.embedding?.length ?? null,
      capturedAt: row.capturedAt,
      expiresAt: row.expiresAt,
      createdAt: "2024-05-01T00:00:00.000Z",
      provenanceKnown: row.provenanceKnown,
    },
  };
}

export function storedDerived(tenantKey: string, row: NewDerived): Stored<DerivedRow> {
  return {
    status: "stored",
    rematerialised: false,
    row: {
      tenantKey,
      derivedId: row.derivedId,
      kind: row.kind,
      text: row.text,
      metadata: row.metadata,
      embedded: row.embedding !== null,
      dimensions: row.embedding?.length ?? null,
      sources: [],
      expiresAt: null,
      createdAt: "2024-05-01T00:00:00.000Z",
    },
  };
}

export function noHits(ranking: RankedRows["ranking"]): RankedRows {
  return {
    hits: [],
    ranking,
    coverage: { considered: 0, skippedNoVector: 0, skippedDimension: 0, skippedNoTerms: 0, truncated: false },
  };
}

const PAGE = { rows: [], nextCursor: null };

const DEFAULTS: Omit<MemoryStore, "useClock"> = {
  capabilities: () =>
    Promise.resolve({
      vectorSearch: "pgvector",
      lexicalSearch: "postgres",
      durable: true,
      enforcedByDatabase: true,
      notCovered: ["backups"],
    }),
  placements: {} as MemoryStore["placements"],
  restrictions: {} as MemoryStore["restrictions"],
  upkeep: {} as MemoryStore["upkeep"],
  insertMemories: (tenantKey, rows) => Promise.resolve(rows.map((row) => storedMemory(tenantKey, row))),
  insertDerived: (tenantKey, rows) => Promise.resolve(rows.map((row) => storedDerived(tenantKey, row))),
  setEmbeddings: (_tenantKey, items) => Promise.resolve({ updated: items.length, unknown: 0 }),
  rowsWithoutTerms: () => Promise.resolve([]),
  setTerms: (_tenantKey, items) => Promise.resolve({ updated: items.length }),
  getMemory: () => Promise.resolve(null),
  getDerived: () => Promise.resolve(null),
  listMemories: () => Promise.resolve(PAGE),
  listDerived: () => Promise.resolve(PAGE),
  lineage: () => Promise.resolve(null),
  recallLexical: () => Promise.resolve(noHits("postgres")),
  recallVector: () => Promise.resolve(noHits("pgvector")),
  previewErasure: () => Promise.reject(new Error("no preview was set up")),
  openErasure: ({ tombstoneId }) => Promise.resolve(anOpenReceipt({ tombstoneId })),
  advanceErasure: (_tenantKey, tombstoneId) => Promise.resolve({ receipt: aReceipt({ tombstoneId }), advanced: false }),
  forget: ({ tombstoneId }) => Promise.resolve(aReceipt({ tombstoneId })),
  receipt: (_tenantKey, tombstoneId) => Promise.resolve(aReceipt({ tombstoneId })),
  listReceipts: () => Promise.resolve(PAGE),
  tombstones: () => Promise.resolve([]),
  tombstoneCovering: () => Promise.resolve(null),
};
