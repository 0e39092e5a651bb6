import type { SourceRef } from "../../domain/rows.js";
import {
  InvalidInputError,
  type MemoryError,
  ProvenanceRequiredError,
  RestrictedError,
  SourceForgottenError,
  UnknownSourceError,
} from "../../errors.js";
import { rowKey, type StoredRow } from "./stored-row.js";
import { hasExpired, type TenantState } from "./tenant-state.js";

const MAX_SOURCES = 4096;

/** What a derived row and a placement are both made from. */
export interface Sources {
  readonly sourceMemories: readonly string[];
  readonly sourceDerived: readonly string[];
}

export function sourceRefs({ sourceMemories, sourceDerived }: Sources): readonly SourceRef[] {
  return Object.freeze([
    ...sourceMemories.map((sourceId) => Object.freeze({ sourceKind: "memory", sourceId } as const)),
    ...sourceDerived.map((sourceId) => Object.freeze({ sourceKind: "derived", sourceId } as const)),
  ]);
}

/**
 * Why nothing may be made from these sources; `null` where it may. Forgotten is asked before unknown: once destroyed,
 * a forgotten source is also missing.
 */
export function refusalOfSources(state: TenantState, refs: readonly SourceRef[], now: string): MemoryError | null {
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
    return row === undefined || hasExpired(row, now);
  });
  if (unknown.length > 0) return new UnknownSourceError(unknown.map(({ sourceId }) => sourceId));
  return rowsOf(state, refs).some((row) => state.isRestricted(row)) ? new RestrictedError() : null;
}

export function rowsOf(state: TenantState, refs: readonly SourceRef[]): readonly StoredRow[] {
  return refs.flatMap((ref) => state.find(ref) ?? []);
}
