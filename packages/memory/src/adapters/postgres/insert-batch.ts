import type { DerivedRow, MemoryRow } from "../../domain/rows.js";
import type { MemoryError } from "../../errors.js";
import {
  ContentForgottenError,
  RestrictedError,
  SourceForgottenError,
  StoreError,
  SubjectForgottenError,
  UnknownSourceError,
} from "../../errors.js";
import type { InsertOptions, InsertOutcome, NewDerived, NewMemory } from "../../ports/memory-store.js";
import type { Argument } from "./call.js";
import { plainArray, textArray, vectorArray } from "./literals.js";

/** The parallel arrays of `remember_many`. */
export function memoryArguments(rows: readonly NewMemory[], options: InsertOptions): Argument[] {
  const keyId = rows[0]?.subjects[0].written.keyId ?? null;
  const persons = rows
    .flatMap((row) => row.subjects.map((subject) => subject.known))
    .filter((known) => known.length > 1);
  return [
    ["uuid[]", plainArray(rows.map((row) => row.memoryId))],
    ["text[]", plainArray(rows.map((row) => row.subjects[0].written.hash))],
    ["text", keyId],
    ["text[]", textArray(rows.map((row) => row.subjects[0].subjectKey))],
    ["text[]", textArray(rows.map((row) => plainArray(row.subjects.slice(1).map((subject) => subject.written.hash))))],
    ["text[]", textArray(rows.map(alsoKeys))],
    ["jsonb", persons.length === 0 ? null : JSON.stringify(persons)],
    ["text[]", plainArray(rows.map((row) => row.kind))],
    ["text[]", textArray(rows.map((row) => row.text))],
    ["text[]", textArray(rows.map((row) => JSON.stringify(row.metadata)))],
    ["text[]", textArray(rows.map((row) => (row.embedding === null ? null : vectorArray(row.embedding))))],
    ["text[]", textArray(rows.map((row) => plainArray(row.termHashes)))],
    ["text[]", textArray(rows.map((row) => plainArray(row.contentTags)))],
    ["timestamptz[]", textArray(rows.map((row) => row.capturedAt))],
    ["timestamptz[]", textArray(rows.map((row) => row.expiresAt))],
    ["text[]", plainArray(rows.map((row) => row.idempotencyHash))],
    ["boolean[]", plainArray(rows.map((row) => row.provenanceKnown))],
    ["jsonb", JSON.stringify(options.keys)],
    ["boolean", options.onRematerialise === "refuse"],
  ];
}

function alsoKeys(row: NewMemory): string | null {
  const keys = row.subjects.slice(1).map((subject) => subject.subjectKey);
  return keys.length === 0 || keys.includes(null) ? null : textArray(keys);
}

export function memoryOutcomes(
  tenantKey: string,
  rows: readonly NewMemory[],
  answer: string | null,
  { onRematerialise }: InsertOptions,
): InsertOutcome<MemoryRow>[] {
  const { createdAt, createdAts, rematerialised, refused, existing } = parse<{
    createdAt: string;
    createdAts: Readonly<Record<string, string>> | null;
    rematerialised: string[] | null;
    refused: string[] | null;
    existing: (MemoryRow | { readonly restricted: true } | null)[] | null;
  }>(answer);
  const refusedIds = new Set(refused);
  const erasedBefore = new Set(rematerialised);
  return rows.map((row, index) => {
    const again = erasedBefore.has(row.memoryId);
    if (refusedIds.has(row.memoryId)) {
      const refusedForContent = again && onRematerialise === "refuse";
      return {
        status: "refused",
        error: refusedForContent ? new ContentForgottenError() : new SubjectForgottenError(),
      };
    }
    const found = existing?.[index] ?? null;
    if (found !== null) {
      return "restricted" in found
        ? { status: "refused", error: new RestrictedError("the row stored under this idempotency key is restricted") }
        : { status: "existing", row: found };
    }
    return {
      status: "stored",
      row: storedMemory(tenantKey, row, createdAts?.[row.memoryId] ?? createdAt),
      rematerialised: again,
    };
  });
}

function storedMemory(tenantKey: string, row: NewMemory, createdAt: string): MemoryRow {
  const also = row.subjects.slice(1).map((subject) => subject.subjectKey);
  return {
    tenantKey,
    memoryId: row.memoryId,
    subjectKey: row.subjects[0].subjectKey,
    subjectHash: row.subjects[0].written.hash,
    alsoAbout: also.filter((key) => key !== null),
    kind: row.kind,
    text: row.text,
    metadata: structuredClone(row.metadata),
    embedded: row.embedding !== null,
    dimensions: row.embedding?.length ?? null,
    capturedAt: row.capturedAt,
    expiresAt: row.expiresAt,
    createdAt,
    provenanceKnown: row.provenanceKnown,
  };
}

/** The parallel arrays of `derive_many`. */
export function derivedArguments(rows: readonly NewDerived[]): Argument[] {
  return [
    ["uuid[]", plainArray(rows.map((row) => row.derivedId))],
    ["text[]", plainArray(rows.map((row) => row.kind))],
    ["text[]", textArray(rows.map((row) => row.text))],
    ["text[]", textArray(rows.map((row) => JSON.stringify(row.metadata)))],
    ["text[]", textArray(rows.map((row) => (row.embedding === null ? null : vectorArray(row.embedding))))],
    ["text[]", textArray(rows.map((row) => plainArray(row.termHashes)))],
    ["text[]", textArray(rows.map((row) => plainArray(row.contentTags)))],
    ["text[]", textArray(rows.map((row) => plainArray(row.sourceMemories)))],
    ["text[]", textArray(rows.map((row) => plainArray(row.sourceDerived)))],
  ];
}

export function derivedOutcomes(
  tenantKey: string,
  rows: readonly NewDerived[],
  answer: string | null,
): InsertOutcome<DerivedRow>[] {
  const { stored, refused, rematerialised } = parse<{
    rematerialised: string[];
    stored: Record<string, [createdAt: string, expiresAt: string | null]> | null;
    refused: Record<string, { code: string; ids: string[] }>;
  }>(answer);
  const erasedBefore = new Set(rematerialised);
  return rows.map((row) => {
    const refusal = refused[row.derivedId];
    if (refusal !== undefined) return { status: "refused", error: refusalError(refusal) };
    const [createdAt, expiresAt] = stored?.[row.derivedId] ?? unanswered();
    return {
      status: "stored",
      row: storedDerived(tenantKey, row, createdAt, expiresAt),
      rematerialised: erasedBefore.has(row.derivedId),
    };
  });
}

function refusalError(refusal: { code: string; ids: string[] }): MemoryError {
  if (refusal.code === "ME008") return new RestrictedError();
  return refusal.code === "ME003" ? new SourceForgottenError(refusal.ids) : new UnknownSourceError(refusal.ids);
}

function storedDerived(tenantKey: string, row: NewDerived, createdAt: string, expiresAt: string | null): DerivedRow {
  return {
    tenantKey,
    derivedId: row.derivedId,
    kind: row.kind,
    text: row.text,
    metadata: structuredClone(row.metadata),
    embedded: row.embedding !== null,
    dimensions: row.embedding?.length ?? null,
    sources: [
      ...row.sourceMemories.map((sourceId) => ({ sourceKind: "memory" as const, sourceId })),
      ...row.sourceDerived.map((sourceId) => ({ sourceKind: "derived" as const, sourceId })),
    ],
    expiresAt,
    createdAt,
  };
}

function parse<T>(answer: string | null): T {
  return answer === null ? unanswered() : (JSON.parse(answer) as T);
}

function unanswered(): never {
  throw new StoreError("the database gave no answer that this package understands", {
    retryable: false,
    help: "Check that the driver returns text columns as strings.",
  });
}
