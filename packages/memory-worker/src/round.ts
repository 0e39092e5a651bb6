import type { ErasureRef } from "@demystify/memory";
import type { Settings } from "./worker-options.js";

/** What a process remembers from round to round. Losing it costs time and never an erasure. */
export class Remembered {
  /** Looks that have shown something that was there, and when (milliseconds). */
  readonly seeing = new Map<string, number>();
  /** When an erasure that stands between its steps was first met (milliseconds). */
  readonly firstSeen = new Map<string, number>();
  /** When an erasure, or a single copy, is to be tried again (milliseconds). */
  readonly due = new Map<string, number>();
  /** When a copy in a sink that settles late was first seen to be gone. */
  readonly firstGone = new Map<string, number>();
  /** Copies that were given up, so that they are not leased again and again. */
  readonly givenUp = new Set<string>();
  /** Copies of which it was told that they are left alone. */
  readonly toldLeft = new Set<string>();
  /** Erasures whose copies are kept until they are due again. */
  readonly held = new Map<string, ErasureRef>();
  /** Confirmed copies that are looked for again. */
  rechecks: Recheck[] = [];
}

/** A confirmed copy that is looked for again. Its ref is gone by then: it is looked for by tag. */
export interface Recheck {
  readonly tenantKey: string;
  readonly placementId: string;
  readonly sink: string;
  readonly confirmedAt: number;
  /** Seconds from the confirmation, each look once. */
  readonly remaining: readonly number[];
}

/** What one round did. */
export interface RunReport {
  /** Open erasures that were looked at. */
  readonly erasures: number;
  readonly confirmed: number;
  readonly failed: number;
  /** Copies that are due later: backing off, not settled, the writer is not done, or another worker has them. */
  readonly waiting: number;
  readonly completed: number;
  readonly escalated: number;
  readonly left: { readonly manual: number; readonly noAdapter: number; readonly givenUp: number };
  readonly resumed: number;
  readonly reappeared: number;
  /** Calls to the store, or to the host's list of tenants, that failed. */
  readonly errors: number;
}

/** One round: the settings, what is remembered, and what has been done so far. */
export class Round {
  readonly tally = {
    erasures: 0,
    confirmed: 0,
    failed: 0,
    waiting: 0,
    completed: 0,
    escalated: 0,
    left: { manual: 0, noAdapter: 0, givenUp: 0 },
    resumed: 0,
    reappeared: 0,
    errors: 0,
  } satisfies RunReport;

  constructor(
    readonly settings: Settings,
    readonly remembered: Remembered,
    readonly signal: AbortSignal | undefined,
    readonly retryGivenUp: boolean,
  ) {}

  get stopped(): boolean {
    return this.signal?.aborted === true;
  }

  isDue(key: string): boolean {
    return this.retryGivenUp || (this.remembered.due.get(key) ?? 0) <= this.settings.now();
  }

  setDue(key: string, inSeconds: number): void {
    this.remembered.due.set(key, this.settings.now() + inSeconds * 1000);
  }
}
