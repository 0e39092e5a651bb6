import type { HoldCode, LegalHold } from "../../domain/restriction.js";

export interface PlacedHold {
  readonly holdId: string;
  readonly subjectHash: string;
  readonly code: HoldCode;
  readonly until: string | null;
  readonly placedAt: string;
}

/** The append-only record of one tenant's legal holds: placed, released, and what they refused. */
export class HoldLog {
  private readonly placed = new Map<string, PlacedHold>();
  private readonly released = new Map<string, string>();
  private readonly refusals = new Map<string, string[]>();

  place(hold: PlacedHold): void {
    this.placed.set(hold.holdId, hold);
  }

  /** `false` where there is no such hold, or it is released already. One past its `until` can still be released. */
  release(holdId: string, at: string): boolean {
    if (!this.placed.has(holdId) || this.released.has(holdId)) return false;
    this.released.set(holdId, at);
    return true;
  }

  /** Those in force. */
  active(now: string): PlacedHold[] {
    return [...this.placed.values()].filter(({ holdId, until }) => {
      return !this.released.has(holdId) && (until === null || until > now);
    });
  }

  recordRefusal(holdId: string, at: string): void {
    const refusals = this.refusals.get(holdId);
    if (refusals) refusals.push(at);
    else this.refusals.set(holdId, [at]);
  }

  /** Newest first, released and expired ones included. */
  list(): readonly LegalHold[] {
    return [...this.placed.values()].sort(newestFirst).map((hold) =>
      Object.freeze({
        ...hold,
        releasedAt: this.released.get(hold.holdId) ?? null,
        refusals: this.refusals.get(hold.holdId)?.length ?? 0,
      }),
    );
  }
}

function newestFirst(a: PlacedHold, b: PlacedHold): number {
  if (a.placedAt !== b.placedAt) return a.placedAt < b.placedAt ? 1 : -1;
  return a.holdId < b.holdId ? 1 : -1;
}
