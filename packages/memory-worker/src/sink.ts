import type { ProofLevel } from "@demystify/memory";
import type { Copy, CopyTag } from "./copy.js";

/** What a look at one place of a sink saw. */
export type Presence = "present" | "absent";

/** What comes with every call to a sink. */
export interface SinkCall {
  /** Aborted when the call takes too long or the worker stops. A sink that can pass it on should. */
  readonly signal: AbortSignal;
}

/** One copy as a sink lists it. `placementId` is `null` where it carries no tag. */
export interface SinkEntry {
  readonly ref: string;
  readonly placementId: string | null;
}

/**
 * A place content was copied to. Each method either answers what it saw or throws; what is thrown becomes a
 * `SinkError`, so that nothing of a driver's own message travels on.
 *
 * A method that the sink cannot carry out honestly is left out: the worker claims no more than the methods that are
 * there have shown.
 */
export interface Sink {
  /** The `sink` of its placements. */
  readonly name: string;
  /** The strongest proof this sink can give. */
  readonly reaches: ProofLevel;
  /** Why not more, as a sentence for the person who reads the receipt. */
  readonly whyNotMore: string;
  /** A person finishes its copies: the worker never touches them. */
  readonly manual?: true;
  /**
   * How long after a delete a read may still be behind. Two looks, at least this far apart, must both see nothing
   * before anything is confirmed.
   */
  readonly settleSeconds?: number;

  /**
   * Removes the copy, by ref and by tag where it has both. A copy that is not there is no failure.
   * `requested`: the sink will do it later, and the read-back decides when.
   */
  destroy(copy: Copy, call: SinkCall): Promise<"requested" | "acknowledged">;
  /** Looks for the copy under its ref, at the strongest consistency there is. */
  readBackById?(copy: Copy, call: SinkCall): Promise<Presence>;
  /** Looks for every entry with the tag, by search and not by ref; answers the refs it found. */
  readBackByTag?(tag: CopyTag, call: SinkCall): Promise<readonly string[]>;
  /** Removes versions, logs and dead rows too, and answers whether anything of the copy is left in them. */
  purge?(copy: Copy, call: SinkCall): Promise<Presence>;
  /** Everything the sink holds of a tenant, tagged or not. */
  enumerate?(tenantTag: string, call: SinkCall): AsyncIterable<SinkEntry>;
  /**
   * Writes an entry without content under this tag, and answers its ref: the positive control. Only when a sink has
   * been seen to show what is there is it believed when it shows nothing.
   */
  plant?(tag: CopyTag, call: SinkCall): Promise<string>;
  /** Where a sink cannot be written to: an entry that is always there, and never erased. */
  readonly standingControl?: Copy;
}

/** The proof levels, weakest first. */
export const PROOF_ORDER: readonly ProofLevel[] = ["requested", "acknowledged", "absent", "unfindable", "purged"];

/** Whether a proof is at least as strong as another. */
export function atLeast(proof: ProofLevel, required: ProofLevel): boolean {
  return PROOF_ORDER.indexOf(proof) >= PROOF_ORDER.indexOf(required);
}
