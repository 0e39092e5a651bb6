import type { Placement, RequiredProof, SinkRegistration } from "../../domain/placement.js";
import type { SourceRef } from "../../domain/rows.js";
import type { Person } from "./persons.js";
import { rowKey, type StoredRow } from "./stored-row.js";

/** The record of one copy. Only what becomes known of the copy changes; sink, sources and identity never do. */
export interface StoredPlacement {
  readonly placementId: string;
  readonly sink: string;
  readonly kind: string;
  readonly sources: readonly SourceRef[];
  readonly createdAt: string;
  /** Everybody its sources are filed under. */
  readonly persons: Set<Person>;
  /** It may itself be personal: it is nowhere else, and goes with the fingerprint once the copy is gone. */
  ref: string | null;
  fingerprint: string | null;
  /** `null`: the write was done, or happened at once. */
  writeDeadline: string | null;
  writtenAt: string | null;
  goneAt: string | null;
}

export function placementView(tenantKey: string, placement: StoredPlacement): Placement {
  const { placementId, sink, kind, ref, createdAt } = placement;
  return Object.freeze({ tenantKey, placementId, sink, kind, ref, state: stateOf(placement), createdAt });
}

/** Whether the writer may still be at it: its own deadline has not come, and it has not reported. */
export function isBeingWritten({ writeDeadline, writtenAt }: StoredPlacement, now: string): boolean {
  return writeDeadline !== null && writtenAt === null && writeDeadline > now;
}

function stateOf({ goneAt, writeDeadline, writtenAt }: StoredPlacement): Placement["state"] {
  if (goneAt !== null) return "gone";
  return writeDeadline !== null && writtenAt === null ? "writing" : "written";
}

/** Which worker has taken an outstanding copy, and until when. */
export interface Lease {
  readonly owner: string;
  readonly leasedUntil: string;
  /** Nobody is at it: it is only kept until it is due again. */
  readonly idle: boolean;
}

/** The copies of one tenant, by id, by fingerprint, by source and by person, and the sinks they went to. */
export class PlacementTable {
  readonly sinks = new Map<string, SinkRegistration>();
  private readonly byId = new Map<string, StoredPlacement>();
  private readonly byFingerprint = new Map<string, StoredPlacement>();
  private readonly bySource = new Map<string, Set<StoredPlacement>>();
  /** Copy → the erasures that wait for it → who works on it. Not evidence. */
  private readonly leases = new Map<string, Map<string, Lease>>();

  get(placementId: string): StoredPlacement | undefined {
    return this.byId.get(placementId);
  }

  withFingerprint(fingerprint: string): StoredPlacement | undefined {
    return this.byFingerprint.get(fingerprint);
  }

  /** Those made directly from the row, gone or not. */
  madeFrom(row: Pick<StoredRow, "rowKind" | "id">): Iterable<StoredPlacement> {
    return this.bySource.get(rowKey(row.rowKind, row.id)) ?? [];
  }

  all(): Iterable<StoredPlacement> {
    return this.byId.values();
  }

  requiredProof(sink: string): RequiredProof {
    return this.sinks.get(sink)?.requiredProof ?? "unfindable";
  }

  leaseOf(placementId: string, tombstoneId: string): Lease | undefined {
    return this.leases.get(placementId)?.get(tombstoneId);
  }

  lease(placementId: string, tombstoneId: string, lease: Lease): void {
    const leases = this.leases.get(placementId) ?? new Map<string, Lease>();
    this.leases.set(placementId, leases.set(tombstoneId, lease));
  }

  /** Whoever is at the copy has looked at what it was before. */
  endLeases(placementId: string): void {
    this.leases.delete(placementId);
  }

  add(placement: StoredPlacement): void {
    this.byId.set(placement.placementId, placement);
    if (placement.fingerprint !== null) this.byFingerprint.set(placement.fingerprint, placement);
    for (const { sourceKind, sourceId } of placement.sources) {
      const source = rowKey(sourceKind, sourceId);
      const made = this.bySource.get(source);
      if (made) made.add(placement);
      else this.bySource.set(source, new Set([placement]));
    }
    for (const person of placement.persons) person.placements.add(placement);
  }

  /** The copy is known to be gone: what may be personal about it goes too. */
  release(placement: StoredPlacement, now: string): void {
    if (placement.fingerprint !== null) this.byFingerprint.delete(placement.fingerprint);
    placement.goneAt ??= now;
    placement.ref = null;
    placement.fingerprint = null;
    this.leases.delete(placement.placementId);
  }
}
