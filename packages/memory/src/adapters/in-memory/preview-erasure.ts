import type { ErasurePreview } from "../../domain/receipt.js";
import type { StoreScope } from "../../ports/memory-store.js";
import {
  type Closure,
  closureOf,
  countOtherPersons,
  placementsOf,
  rebuildableAfter,
  uncoveredClosureOf,
} from "./closure.js";
import { previewToken } from "./preview-token.js";
import { type Selection, select } from "./selection.js";
import type { StoredPlacement } from "./stored-placement.js";
import type { StoredRow } from "./stored-row.js";
import type { TenantState } from "./tenant-state.js";

/** What an erasure of a selection would take that none has taken yet, and the copies it would have to see gone. */
export interface Reach {
  readonly closure: Closure;
  readonly placements: readonly StoredPlacement[];
}

export function reachOf(state: TenantState, selection: Selection, wholePerson: boolean): Reach {
  const all = closureOf(state, selection);
  return {
    closure: uncoveredClosureOf(state, selection),
    placements: placementsOf(state, all, wholePerson ? selection.persons : null),
  };
}

/** The same closure that an erasure would open now. */
export function previewErasure(state: TenantState, scope: StoreScope): ErasurePreview {
  const selection = select(state, scope);
  const { closure, placements } = reachOf(state, selection, scope.scope === "subject");
  const ids = (rows: readonly StoredRow[]) => Object.freeze(rows.map(({ id }) => id).sort());
  return Object.freeze({
    ids: Object.freeze({
      memories: ids(closure.memories),
      derived: ids(closure.derived),
      placements: Object.freeze(placements.map(({ placementId }) => placementId)),
    }),
    counts: Object.freeze({
      memories: closure.memories.length,
      derived: closure.derived.length,
      provenanceEdges: closure.provenanceEdges,
      placements: placements.length,
    }),
    cascadeDepth: closure.depth,
    otherSubjects: countOtherPersons(closure, selection.persons),
    sinks: countBySink(placements),
    rebuildable: rebuildableAfter(state, closure),
    token: previewToken(closure, placements),
  });
}

function countBySink(placements: readonly StoredPlacement[]): ErasurePreview["sinks"] {
  const counts = new Map<string, number>();
  for (const { sink } of placements) counts.set(sink, (counts.get(sink) ?? 0) + 1);
  const sinks = [...counts].sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.freeze(sinks.map(([sink, count]) => Object.freeze({ sink, placements: count })));
}
