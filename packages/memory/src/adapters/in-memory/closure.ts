import type { Rebuildable } from "../../domain/receipt.js";
import type { SourceRef } from "../../domain/rows.js";
import { countOthers, type Person } from "./persons.js";
import type { Selection } from "./selection.js";
import type { StoredPlacement } from "./stored-placement.js";
import type { StoredDerived, StoredMemory, StoredRow } from "./stored-row.js";
import type { TenantState } from "./tenant-state.js";

/** What a closure starts from: memories, and derived rows of their own. */
export type ClosureRoots = Pick<Selection, "memories" | "derived">;

/** The erased rows and everything derived from them, to a fixpoint. */
export interface Closure {
  readonly memories: readonly StoredMemory[];
  /** Nearest to the memories first. */
  readonly derived: readonly StoredDerived[];
  /** The longest shortest path. */
  readonly depth: number;
  readonly provenanceEdges: number;
}

/** Level by level, each row once, so that diamonds count once and a forged cycle ends. */
export function closureOf(
  state: TenantState,
  roots: ClosureRoots,
  includes: (row: StoredRow) => boolean = () => true,
): Closure {
  const memories = roots.memories.filter(includes);
  const reached = new Set<StoredDerived>();
  let depth = 0;
  let level: Iterable<StoredDerived> = [...memories.flatMap((row) => [...state.derivedFrom(row)]), ...roots.derived];
  for (;;) {
    const found: StoredDerived[] = [];
    for (const row of level) {
      if (reached.has(row) || !includes(row)) continue;
      reached.add(row);
      found.push(row);
    }
    if (found.length === 0) break;
    depth += 1;
    level = found.flatMap((row) => [...state.derivedFrom(row)]);
  }
  const derived = [...reached];
  return { memories, derived, depth, provenanceEdges: countEdges(derived) };
}

/** The part of the closure that no tombstone covers yet: what a preview shows. */
export function uncoveredClosureOf(state: TenantState, roots: ClosureRoots): Closure {
  return closureOf(state, roots, (row) => !state.log.covers(row.rowKind, row.id));
}

/**
 * The copies of a closure that are not known to be gone, by id; for a whole person also those that an earlier erasure
 * still waits for, so that a second request cannot succeed past the first.
 */
export function placementsOf(
  state: TenantState,
  closure: Closure,
  person: ReadonlySet<Person> | null,
): readonly StoredPlacement[] {
  const found = new Set<StoredPlacement>();
  for (const row of [...closure.memories, ...closure.derived]) {
    for (const placement of state.placements.madeFrom(row)) found.add(placement);
  }
  for (const { placements } of person ?? []) for (const placement of placements) found.add(placement);
  return [...found].filter(({ goneAt }) => goneAt === null).sort(byPlacementId);
}

/** The closure in an order in which no row is left without one of its sources: what was written last goes first. */
export function orderOfDestruction(closure: Closure): readonly StoredRow[] {
  const lastFirst = [...closure.derived].sort((a, b) => b.sequence - a.sequence);
  return [...lastFirst, ...closure.memories];
}

/** How many persons beside the erased one lose a row that is also filed under them. */
export function countOtherPersons(closure: Closure, erased: ReadonlySet<Person>): number {
  const persons = [...closure.memories, ...closure.derived].flatMap((row) => [...row.persons]);
  return countOthers(new Set(persons), erased);
}

/** The over-erased derived rows that can be made again, and from what. */
export function rebuildableAfter(state: TenantState, closure: Closure): readonly Rebuildable[] {
  const going = new Set<StoredRow | undefined>([...closure.memories, ...closure.derived]);
  const survives = (source: SourceRef) => {
    return !going.has(state.find(source)) && !state.log.covers(source.sourceKind, source.sourceId);
  };
  const entries = [...closure.derived].sort(byId).map(({ kind, sources }) => {
    const survivingSources = Object.freeze(sources.filter(survives).sort(compareSources));
    return Object.freeze({ derivedKind: kind, survivingSources });
  });
  return Object.freeze(entries.filter(({ survivingSources }) => survivingSources.length > 0));
}

export function countEdges(derived: readonly StoredDerived[]): number {
  return derived.reduce((edges, row) => edges + row.sources.length, 0);
}

/** Memories before derived rows, each by id. */
function compareSources(a: SourceRef, b: SourceRef): number {
  if (a.sourceKind !== b.sourceKind) return a.sourceKind === "memory" ? -1 : 1;
  return a.sourceId < b.sourceId ? -1 : 1;
}

function byId(a: StoredRow, b: StoredRow): number {
  return a.id < b.id ? -1 : 1;
}

export function byPlacementId(a: StoredPlacement, b: StoredPlacement): number {
  return a.placementId < b.placementId ? -1 : 1;
}
