import {
  InvalidInputError,
  type MemoryError,
  ProvenanceRequiredError,
  SourceForgottenError,
  SubjectForgottenError,
  UnknownSourceError,
} from "../../errors.js";
import type { DerivedRow, MemoryRow, SourceRef } from "../../domain/rows.js";
import type { InsertOutcome, NewDerived, NewMemory, StoreSubject } from "../../ports/memory-store.js";
import { frozenCopy } from "./json.js";
import type { Person } from "./persons.js";
import {
  derivedView,
  memoryView,
  rowKey,
  type StoredDerived,
  type StoredMemory,
  type StoredRow,
} from "./stored-row.js";
import type { TenantState } from "./tenant-state.js";

const MAX_SOURCES = 4096;

/** Stores a memory, unless a tombstone covers it or its idempotency key stored one before. */
export function insertMemory(state: TenantState, input: NewMemory, now: string): InsertOutcome<MemoryRow> {
  const earlier = input.idempotencyHash === null ? undefined : state.idempotency.get(input.idempotencyHash);
  if (earlier && state.isVisible(earlier, now)) return existing(memoryView(state.tenantKey, earlier));
  if (state.log.covers("memory", input.memoryId)) return refused(new SubjectForgottenError());
  if (state.memories.get(input.memoryId)) return refused(new InvalidInputError("memoryId", "is taken"));
  if (isLate(state, input)) return refused(new SubjectForgottenError());

  const row: StoredMemory = {
    rowKind: "memory",
    id: input.memoryId,
    kind: input.kind,
    text: input.text,
    metadata: frozenCopy(input.metadata),
    contentTags: [...input.contentTags],
    createdAt: now,
    sequence: state.nextSequence(),
    capturedAt: input.capturedAt,
    expiresAt: input.expiresAt,
    idempotencyHash: input.idempotencyHash,
    provenanceKnown: input.provenanceKnown,
    filedUnder: input.subjects.map(({ subjectKey, written: { hash, keyId } }) => ({ hash, keyId, subjectKey })),
    persons: enrolAll(state, input.subjects),
    embedding: input.embedding && Float32Array.from(input.embedding),
    termHashes: [...input.termHashes],
  };
  state.add(row);
  return { status: "stored", row: memoryView(state.tenantKey, row), rematerialised: false };
}

/** Stores a derived row, unless one of its sources is forgotten, unknown or expired. */
export function insertDerived(state: TenantState, input: NewDerived, now: string): InsertOutcome<DerivedRow> {
  const refs: SourceRef[] = [
    ...input.sourceMemories.map((sourceId) => ({ sourceKind: "memory", sourceId }) as const),
    ...input.sourceDerived.map((sourceId) => ({ sourceKind: "derived", sourceId }) as const),
  ];
  const error = refusalOfSources(state, refs, now);
  if (error) return refused(error);
  if (state.log.covers("derived", input.derivedId)) return refused(new SourceForgottenError([input.derivedId]));
  if (state.derived.get(input.derivedId)) return refused(new InvalidInputError("derivedId", "is taken"));

  const sources = refs.flatMap((ref) => state.find(ref) ?? []);
  const row: StoredDerived = {
    rowKind: "derived",
    id: input.derivedId,
    kind: input.kind,
    text: input.text,
    metadata: frozenCopy(input.metadata),
    contentTags: [...input.contentTags],
    createdAt: now,
    sequence: state.nextSequence(),
    expiresAt: earliestExpiry(sources),
    sources: Object.freeze(refs.map((ref) => Object.freeze(ref))),
    persons: new Set<Person>(sources.flatMap(({ persons }) => [...persons])),
    embedding: input.embedding && Float32Array.from(input.embedding),
    termHashes: [...input.termHashes],
  };
  state.add(row);
  return { status: "stored", row: derivedView(state.tenantKey, row), rematerialised: false };
}

/** Enrols first and looks up afterwards: enrolling one may show that two of them are the same person. */
function enrolAll({ persons }: TenantState, subjects: readonly StoreSubject[]): Set<Person> {
  for (const subject of subjects) persons.enrol(subject);
  return persons.find(subjects.map(({ written }) => written.hash));
}

/** Captured before the person was forgotten, but written after: an answer that was still under way. */
function isLate(state: TenantState, { subjects, capturedAt }: NewMemory): boolean {
  if (capturedAt === null) return false;
  return subjects.some((subject) => {
    return [...state.persons.findSubject(subject)].some((person) => person.forgottenSince(capturedAt));
  });
}

function refusalOfSources(state: TenantState, refs: readonly SourceRef[], now: string): MemoryError | null {
  if (refs.length === 0) return new ProvenanceRequiredError();
  if (refs.length > MAX_SOURCES) {
    return new InvalidInputError(
      "sources",
      `more than ${MAX_SOURCES}`,
      "Derive in two levels: digests first, then a digest of these.",
    );
  }
  if (new Set(refs.map((ref) => rowKey(ref.sourceKind, ref.sourceId))).size < refs.length) {
    return new InvalidInputError("sources", "names a source twice");
  }
  const forgotten = refs.filter((ref) => state.log.covers(ref.sourceKind, ref.sourceId));
  if (forgotten.length > 0) return new SourceForgottenError(forgotten.map(({ sourceId }) => sourceId));
  const unknown = refs.filter((ref) => {
    const row = state.find(ref);
    return row === undefined || !state.isVisible(row, now);
  });
  return unknown.length > 0 ? new UnknownSourceError(unknown.map(({ sourceId }) => sourceId)) : null;
}

function earliestExpiry(sources: readonly StoredRow[]): string | null {
  const expiries = sources.flatMap(({ expiresAt }) => expiresAt ?? []);
  return expiries.reduce<string | null>((earliest, at) => (earliest === null || at < earliest ? at : earliest), null);
}

function existing<Row>(row: Row): InsertOutcome<Row> {
  return { status: "existing", row };
}

function refused<Row>(error: MemoryError): InsertOutcome<Row> {
  return { status: "refused", error };
}
