import type { EscalationCode, RowKind } from "../../domain/codes.js";
import type { ProofLevel } from "../../domain/placement.js";
import type { ErasureCounts, Rebuildable, Tombstone, TombstoneScope } from "../../domain/receipt.js";

/** One covered row: its sort, its id and its keyed content tags. Never its content. */
export interface TombstoneItem {
  readonly rowKind: RowKind;
  readonly id: string;
  readonly contentTags: readonly string[];
}

export interface DestroyedCounts {
  readonly memories: number;
  readonly derived: number;
  readonly provenanceEdges: number;
}

export type ErasureEvent = { readonly at: string } & (
  | { readonly type: "destroyed"; readonly counts: DestroyedCounts }
  | { readonly type: "escalated"; readonly code: EscalationCode }
  | { readonly type: "completed" }
  | { readonly type: "closure_attested"; readonly by: string; readonly reference: string }
  | PlacementEvent
);

export type PlacementEvent = { readonly placementId: string } & (
  | {
      readonly type: "attempt";
      readonly proof: ProofLevel | null;
      readonly code: string | null;
      readonly by: string | null;
    }
  | { readonly type: "confirmed"; readonly proof: ProofLevel; readonly by: string }
  | { readonly type: "attested"; readonly by: string; readonly reference: string }
  | { readonly type: "late_write" }
);

/** What an erasure was opened for, without a key or a text, so that a reused request id can be told from a retry. */
export interface ErasureTarget {
  readonly scope: TombstoneScope;
  /** The hashes the person was named by; empty where only ids were given. */
  readonly hashes: readonly string[];
  /** Sorted; empty for scope `subject`. */
  readonly ids: readonly string[];
}

/** One erasure: the evidence that it was opened, and what has happened to it since. Nothing here is ever changed. */
export interface Erasure {
  readonly tombstone: Omit<Tombstone, "state" | "counts"> & { readonly planned: Omit<ErasureCounts, "placements"> };
  /** The key that the person's hash was made under. */
  readonly subjectKeyId: string | null;
  readonly target: ErasureTarget;
  /** The tombstone of another store that this one carries out again, and when that was opened. */
  readonly replays: { readonly tombstoneId: string; readonly openedAt: string } | null;
  /** Where it stands among the tenant's rows, whatever the clock does. */
  readonly sequence: number;
  readonly rebuildable: readonly Rebuildable[];
  /** `false`: a covered row was imported with derivations that nobody recorded. */
  readonly closureKnown: boolean;
  /** In the order of destruction: what is derived before what it was derived from. */
  readonly items: readonly TombstoneItem[];
  /** The copies it has to see gone, by id. */
  readonly placementIds: readonly string[];
  /** Append-only, like everything above. */
  readonly events: ErasureEvent[];
  /** Not evidence: how far the destruction has come. */
  readonly progress: { next: number; memories: number; derived: number; provenanceEdges: number };
}

export function hasEvent(erasure: Erasure, type: ErasureEvent["type"]): boolean {
  return erasure.events.some((event) => event.type === type);
}

export function eventsOf<Type extends ErasureEvent["type"]>(erasure: Erasure, type: Type) {
  return erasure.events.filter((event): event is Extract<ErasureEvent, { type: Type }> => event.type === type);
}

/** What is known of one copy. */
export interface Standing {
  confirmed: boolean;
  attested: boolean;
  attempts: number;
  lastErrorCode: string | null;
}

/**
 * The copies of an erasure with what is known of each, by id. A write reported after the fact makes a copy
 * outstanding again, so what counts is what came after the last of those.
 */
export function standings({ placementIds, events }: Erasure): ReadonlyMap<string, Readonly<Standing>> {
  const found = new Map<string, Standing>();
  for (const id of placementIds) found.set(id, { confirmed: false, attested: false, attempts: 0, lastErrorCode: null });
  for (const event of events) {
    if (!("placementId" in event)) continue;
    const standing = found.get(event.placementId);
    if (standing === undefined) continue;
    switch (event.type) {
      case "attempt":
        standing.attempts += 1;
        standing.lastErrorCode = event.code ?? standing.lastErrorCode;
        break;
      case "confirmed":
        standing.confirmed = true;
        break;
      case "attested":
        standing.attested = true;
        break;
      case "late_write":
        standing.confirmed = false;
        standing.attested = false;
        break;
    }
  }
  return found;
}

/** The ids of the copies that the erasure still waits for, in order. */
export function outstandingOf(erasure: Erasure): readonly string[] {
  return [...standings(erasure)].filter(([, { confirmed, attested }]) => !confirmed && !attested).map(([id]) => id);
}

/** Oldest first; equal instants by id. */
export function compareErasures({ tombstone: a }: Erasure, { tombstone: b }: Erasure): number {
  if (a.openedAt !== b.openedAt) return a.openedAt < b.openedAt ? -1 : 1;
  return a.tombstoneId < b.tombstoneId ? -1 : 1;
}
