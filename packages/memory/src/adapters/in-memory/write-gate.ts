import { ownTags } from "../../domain/content-tag.js";
import type { DerivedRow, MemoryRow } from "../../domain/rows.js";
import {
  ContentForgottenError,
  InvalidInputError,
  type MemoryError,
  RestrictedError,
  SourceForgottenError,
  SubjectForgottenError,
  UnknownSourceError,
} from "../../errors.js";
import type { InsertOptions, InsertOutcome, NewDerived, NewMemory, StoreSubject } from "../../ports/memory-store.js";
import { frozenCopy } from "./json.js";
import type { Person } from "./persons.js";
import { refusalOfSources, rowsOf, sourceRefs } from "./source-gate.js";
import { derivedView, memoryView, type StoredDerived, type StoredMemory, type StoredRow } from "./stored-row.js";
import { hasExpired, type TenantState } from "./tenant-state.js";

/** Takes the keys of a batch first: rows under a wrong secret would be found by nobody else. */
export function insertMemories(
  state: TenantState,
  rows: readonly NewMemory[],
  { keys, onRematerialise }: InsertOptions,
  now: string,
): readonly InsertOutcome<MemoryRow>[] {
  state.keys.register(keys);
  return rows.map((row) => insertMemory(state, row, onRematerialise, now));
}

/** Stores a memory, unless a tombstone covers it or its idempotency key stored one before. */
function insertMemory(
  state: TenantState,
  input: NewMemory,
  onRematerialise: InsertOptions["onRematerialise"],
  now: string,
): InsertOutcome<MemoryRow> {
  const rematerialised = state.log.hasErased(input.contentTags);
  if (onRematerialise === "refuse" && state.log.hasErased(ownTags(input.contentTags))) {
    return refused(new ContentForgottenError());
  }
  const earlier = input.idempotencyHash === null ? undefined : state.idempotency.get(input.idempotencyHash);
  if (earlier && isKept(state, earlier, now)) {
    if (state.isRestricted(earlier))
      return refused(new RestrictedError("what this idempotency key stored is restricted"));
    return existing(memoryView(state.tenantKey, earlier));
  }
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
  return { status: "stored", row: memoryView(state.tenantKey, row), rematerialised };
}

/** A row of the same batch is no source yet: what a batch is made from is stored before it. */
export function insertDerivedRows(
  state: TenantState,
  rows: readonly NewDerived[],
  now: string,
): readonly InsertOutcome<DerivedRow>[] {
  const batch = new Set(rows.map(({ derivedId }) => derivedId));
  return rows.map((row) => {
    const early = row.sourceDerived.filter((id) => batch.has(id));
    return early.length > 0 ? refused(new UnknownSourceError(early)) : insertDerived(state, row, now);
  });
}

/** Stores a derived row, unless one of its sources is forgotten, unknown or expired. */
export function insertDerived(state: TenantState, input: NewDerived, now: string): InsertOutcome<DerivedRow> {
  const refs = sourceRefs(input);
  const error = refusalOfSources(state, refs, now);
  if (error) return refused(error);
  if (state.log.covers("derived", input.derivedId)) return refused(new SourceForgottenError([input.derivedId]));
  if (state.derived.get(input.derivedId)) return refused(new InvalidInputError("derivedId", "is taken"));

  const sources = rowsOf(state, refs);
  const rematerialised = state.log.hasErased(input.contentTags);
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
    sources: refs,
    persons: new Set<Person>(sources.flatMap(({ persons }) => [...persons])),
    embedding: input.embedding && Float32Array.from(input.embedding),
    termHashes: [...input.termHashes],
  };
  state.add(row);
  return { status: "stored", row: derivedView(state.tenantKey, row), rematerialised };
}

/** Whether an idempotency key still stands for the row: once erased or expired, the key can be used anew. */
function isKept({ log }: TenantState, row: StoredMemory, now: string): boolean {
  return !log.covers("memory", row.id) && !hasExpired(row, now);
}

/** Enrols first and looks up afterwards: enrolling one may show that two of them are the same person. */
function enrolAll({ persons, keys }: TenantState, subjects: readonly StoreSubject[]): Set<Person> {
  for (const subject of subjects) {
    persons.enrol(subject);
    keys.note(subject.written.keyId, null);
  }
  return persons.find(subjects.map(({ written }) => written.hash));
}

/** Captured before the person was forgotten, but written after: an answer that was still under way. */
function isLate(state: TenantState, { subjects, capturedAt }: NewMemory): boolean {
  if (capturedAt === null) return false;
  return subjects.some((subject) => {
    return [...state.persons.findSubject(subject)].some((person) => person.forgottenSince(capturedAt));
  });
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
