import type { Rebuildable } from "../../domain/receipt.js";
import type { SourceRef } from "../../domain/rows.js";
import type { Person } from "./persons.js";
import type { StoredDerived, StoredMemory, StoredRow } from "./stored-row.js";
import type { TenantState } from "./tenant-state.js";

/** The erased memories and everything derived from them, to a fixpoint. */
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
  memories: Iterable<StoredMemory>,
  includes: (row: StoredRow) => boolean = () => true,
): Closure {
  const erased = [...memories].filter(includes);
  const reached = new Set<StoredDerived>();
  let depth = 0;
  let level: readonly StoredRow[] = erased;
  while (level.length > 0) {
    const next: StoredDerived[] = [];
    for (const row of level) {
      for (const derived of state.derivedFrom(row)) {
        if (reached.has(derived) || !includes(derived)) continue;
        reached.add(derived);
        next.push(derived);
      }
    }
    if (next.length > 0) depth += 1;
    level = next;
  }
  const derived = [...reached];
  return { memories: erased, derived, depth, provenanceEdges: countEdges(derived) };
}

/** The part of the closure that no tombstone covers yet: what a preview shows. */
export function uncoveredClosureOf(state: TenantState, memories: Iterable<StoredMemory>): Closure {
  return closureOf(state, memories, (row) => !state.log.covers(row.rowKind, row.id));
}

/** The closure in an order in which no row is left without one of its sources: what was written last goes first. */
export function orderOfDestruction(closure: Closure): readonly StoredRow[] {
  const lastFirst = [...closure.derived].sort((a, b) => b.sequence - a.sequence);
  return [...lastFirst, ...closure.memories];
}

/** How many persons beside the erased one lose a row that is also filed under them. */
export function countOtherPersons(closure: Closure, erased: ReadonlySet<Person>): number {
  const others = new Set<Person>();
  for (const row of [...closure.memories, ...closure.derived]) {
    for (const person of row.persons) if (!erased.has(person)) others.add(person);
  }
  return others.size;
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
