import { randomUUID } from "node:crypto";
import type { Clock, MemoryStore, NewDerived, NewMemory, OpenErasure, StoreSubject } from "../../src/index.js";

/** A clock that shows what it was set to. */
export function aClock(at = "2024-05-01T00:00:00.000Z"): Clock & { set: (at: string) => void } {
  let now = new Date(at);
  return {
    now: () => now,
    set: (to) => {
      now = new Date(to);
    },
  };
}

export function aSubject(name: string, keyId: string | null = null): StoreSubject {
  const written = { hash: `${name}:${keyId ?? "plain"}`, keyId, check: keyId && `check of ${keyId}` };
  return { subjectKey: name, written, known: [written] };
}

/** Stores rows as a caller does who holds the keys their persons are filed under. */
export function insert(store: MemoryStore, tenantKey: string, rows: readonly NewMemory[]) {
  const keys = rows.flatMap(({ subjects }) => subjects.map(({ written: { keyId, check } }) => ({ keyId, check })));
  return store.insertMemories(tenantKey, rows, { keys, onRematerialise: "report" });
}

export function aNewMemory(given: Partial<NewMemory> = {}): NewMemory {
  return {
    memoryId: randomUUID(),
    subjects: [aSubject("ramesh")],
    kind: "memory",
    text: "said",
    metadata: {},
    embedding: null,
    termHashes: [1n],
    contentTags: [],
    capturedAt: null,
    expiresAt: null,
    idempotencyHash: null,
    provenanceKnown: true,
    ...given,
  };
}

export function aNewDerived(given: Partial<NewDerived>): NewDerived {
  return {
    derivedId: randomUUID(),
    kind: "summary",
    text: "written",
    metadata: {},
    embedding: null,
    termHashes: [1n],
    contentTags: [],
    sourceMemories: [],
    sourceDerived: [],
    ...given,
  };
}

export function anErasure(given: Partial<OpenErasure> = {}): OpenErasure {
  return {
    tenantKey: "t",
    tombstoneId: randomUUID(),
    target: { scope: "subject", subject: aSubject("ramesh") },
    reason: "subject_request",
    legalBasis: "unspecified",
    origin: "forget",
    requestedBy: { role: "unspecified", idHash: null },
    requestHash: null,
    previewToken: null,
    ...given,
  };
}
