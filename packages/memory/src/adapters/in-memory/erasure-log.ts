import type { EscalationCode, RowKind } from "../../domain/codes.js";
import type { Rebuildable, Tombstone } from "../../domain/receipt.js";
import { InvalidInputError } from "../../errors.js";
import type { OpenErasure } from "../../ports/memory-store.js";

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

export type ErasureEvent =
  | { readonly type: "destroyed"; readonly at: string; readonly counts: DestroyedCounts }
  | { readonly type: "escalated"; readonly at: string; readonly code: EscalationCode }
  | { readonly type: "completed"; readonly at: string };

/** What an erasure was opened for, without a key or a text, so that a reused request id can be told from a retry. */
export interface ErasureTarget {
  readonly scope: "subject" | "memories";
  /** The hashes the person was named by; empty where only ids were given. */
  readonly hashes: readonly string[];
  /** Sorted; empty for scope `subject`. */
  readonly memoryIds: readonly string[];
}

/** One erasure: the evidence that it was opened, and what has happened to it since. Nothing here is ever changed. */
export interface Erasure {
  readonly tombstone: Omit<Tombstone, "state">;
  readonly target: ErasureTarget;
  readonly rebuildable: readonly Rebuildable[];
  /** `false`: a covered row was imported with derivations that nobody recorded. */
  readonly closureKnown: boolean;
  /** In the order of destruction: what is derived before what it was derived from. */
  readonly items: readonly TombstoneItem[];
  /** Append-only, like everything above. */
  readonly events: ErasureEvent[];
  /** Not evidence: how far the destruction has come. */
  readonly progress: { next: number; memories: number; derived: number; provenanceEdges: number };
}

/** The append-only record of one tenant's erasures. */
export class ErasureLog {
  private readonly erasures = new Map<string, Erasure>();
  /** A tombstone id that was asked for, but joined another erasure. */
  private readonly joined = new Map<string, string>();
  private readonly requests = new Map<string, { readonly target: ErasureTarget; readonly tombstoneId: string }>();
  /** Covered row → the tombstones with an item for it, oldest first. */
  private readonly covering = { memory: new Map<string, string[]>(), derived: new Map<string, string[]>() };

  get(tombstoneId: string): Erasure | undefined {
    return this.erasures.get(this.joined.get(tombstoneId) ?? tombstoneId);
  }

  /** Newest first. */
  newestFirst(): Erasure[] {
    return [...this.erasures.values()].sort((a, b) => -compareErasures(a, b));
  }

  /** Whether an erasure was opened for the row; it may be there still, or gone for good. */
  covers(kind: RowKind, id: string): boolean {
    return this.covering[kind].has(id);
  }

  /** The newest tombstone with an item for the row. */
  newestCovering(kind: RowKind, id: string): string | null {
    return this.covering[kind].get(id)?.at(-1) ?? null;
  }

  /** The erasure that this very request, known by its tombstone id or its request id, opened or joined before. */
  answerTo({ requestHash, tombstoneId }: OpenErasure, target: ErasureTarget): Erasure | undefined {
    const request = requestHash === null ? undefined : this.requests.get(requestHash);
    if (request === undefined) return this.get(tombstoneId);
    if (sameTarget(request.target, target)) return this.erasures.get(request.tombstoneId);
    throw new InvalidInputError(
      "requestId",
      "was used before for another scope",
      "Use a new requestId for a new request.",
    );
  }

  /** Records that the request is answered by an erasure that is open already. */
  join(request: OpenErasure, target: ErasureTarget, erasure: Erasure): Erasure {
    this.joined.set(request.tombstoneId, erasure.tombstone.tombstoneId);
    this.rememberRequest(request, target, erasure);
    return erasure;
  }

  open(request: OpenErasure, erasure: Erasure): void {
    const { tombstoneId } = erasure.tombstone;
    this.erasures.set(tombstoneId, erasure);
    this.rememberRequest(request, erasure.target, erasure);
    for (const { rowKind, id } of erasure.items) {
      const tombstones = this.covering[rowKind].get(id);
      if (tombstones) tombstones.push(tombstoneId);
      else this.covering[rowKind].set(id, [tombstoneId]);
    }
  }

  private rememberRequest({ requestHash }: OpenErasure, target: ErasureTarget, { tombstone }: Erasure): void {
    if (requestHash !== null) this.requests.set(requestHash, { target, tombstoneId: tombstone.tombstoneId });
  }
}

export function hasEvent(erasure: Erasure, type: ErasureEvent["type"]): boolean {
  return erasure.events.some((event) => event.type === type);
}

/** Oldest first; equal instants by id. */
export function compareErasures({ tombstone: a }: Erasure, { tombstone: b }: Erasure): number {
  if (a.openedAt !== b.openedAt) return a.openedAt < b.openedAt ? -1 : 1;
  return a.tombstoneId < b.tombstoneId ? -1 : 1;
}

function sameTarget(a: ErasureTarget, b: ErasureTarget): boolean {
  const unnamed = a.hashes.length === 0 || b.hashes.length === 0;
  const samePerson = unnamed || a.hashes.some((hash) => b.hashes.includes(hash));
  return a.scope === b.scope && samePerson && String(a.memoryIds) === String(b.memoryIds);
}
