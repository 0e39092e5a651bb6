import type { ErasureRef, OutstandingPlacement } from "@demystify/memory";
import type { Round } from "./round.js";

/**
 * The outstanding copies of one erasure, as long as this worker has them. The lease is renewed before it runs out, so
 * that it outlasts every look: what was seen is confirmed only under the lease that held while it was seen.
 */
export class ErasureLease {
  #copies: ReadonlyMap<string, OutstandingPlacement> = new Map();
  #renewAt = 0;

  private constructor(
    private readonly round: Round,
    private readonly erasure: ErasureRef,
  ) {}

  /** Takes what nobody else has. */
  static async take(round: Round, erasure: ErasureRef): Promise<ErasureLease> {
    const lease = new ErasureLease(round, erasure);
    await lease.#take(round.retryGivenUp);
    return lease;
  }

  /** What was taken, as it is now. */
  get copies(): readonly OutstandingPlacement[] {
    return [...this.#copies.values()];
  }

  /** The copy as it is now, if it is still this worker's; renews the lease where the rest of it is too short for a look. */
  async current(placementId: string): Promise<OutstandingPlacement | undefined> {
    if (this.round.settings.now() >= this.#renewAt) await this.#take(false);
    return this.#copies.get(placementId);
  }

  /** Gives everything back. */
  async release(): Promise<void> {
    await takeFor(this.round, this.erasure, 0);
  }

  /** Keeps everything from other workers until it is due again, though nobody is at it. */
  async keepIdle(seconds: number): Promise<void> {
    await takeFor(this.round, this.erasure, seconds, { idle: true });
  }

  async #take(takeIdle: boolean): Promise<void> {
    const { now, leaseSeconds, callTimeoutSeconds } = this.round.settings;
    // Counted from before it was asked for: the lease is never shorter than this worker thinks.
    const asked = now();
    const taken = await takeFor(this.round, this.erasure, leaseSeconds, { takeIdle });
    this.#renewAt = asked + 1000 * Math.max(0, Math.min(leaseSeconds / 2, leaseSeconds - LOOKS * callTimeoutSeconds));
    this.#copies = new Map(taken.map((copy) => [copy.placementId, copy]));
  }
}

/** Two calls to look, and one to spare. */
const LOOKS = 3;

/** Gives back what this worker has of an erasure, working on it or not. */
export async function releaseErasure(round: Round, erasure: ErasureRef): Promise<void> {
  await takeFor(round, erasure, 0);
}

function takeFor(
  { settings }: Round,
  erasure: ErasureRef,
  seconds: number,
  more: { readonly idle?: boolean; readonly takeIdle?: boolean } = {},
): Promise<readonly OutstandingPlacement[]> {
  return settings.memory.erasures.outstanding(erasure, { lease: { owner: settings.owner, seconds, ...more } });
}
