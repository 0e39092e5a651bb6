import type { AttemptCode, EscalationCode, ProofLevel } from "@demystify/memory";

/** Which erasure an event is about. */
export interface OfErasure {
  readonly tenantKey: string;
  readonly tombstoneId: string;
}

/** Which copy an event is about. */
export interface OfCopy extends OfErasure {
  readonly placementId: string;
  readonly sink: string;
}

/**
 * What the worker tells its host: ids, codes and counts. There is no ref and no content in any of them, so they may be
 * logged as they are.
 */
export type WorkerEvent =
  | (OfCopy & { readonly type: "copy_confirmed"; readonly proof: ProofLevel })
  | (OfCopy & {
      readonly type: "copy_failed";
      readonly code: AttemptCode;
      readonly attempts: number;
      readonly retryInSeconds: number;
    })
  /**
   * Not yet confirmed, and nothing failed: the sink works on it, a second look is due, a writer may still write, or what
   * was seen counts for nothing because the lease was lost or the copy was written anew meanwhile.
   */
  | (OfCopy & {
      readonly type: "copy_waits";
      readonly for: "sink" | "second_look" | "writer" | "lease";
      readonly retryInSeconds: number;
    })
  /** Left as it is, and told once by each process: a person confirms it, this worker has no adapter for it, or it was given up. */
  | (OfCopy & { readonly type: "copy_left"; readonly reason: "manual" | "no_adapter" | "given_up" })
  /** Gone as far as the sink can show, which is less than its registration demands: a person has to attest it. */
  | (OfCopy & { readonly type: "proof_too_weak"; readonly reached: ProofLevel; readonly required: ProofLevel })
  /** It was confirmed gone, and is there again. The erasure waits for it anew. */
  | {
      readonly type: "copy_reappeared";
      readonly tenantKey: string;
      readonly placementId: string;
      readonly sink: string;
    }
  /** The sink does not show what is known to be there, so its "absent" is not believed. */
  | { readonly type: "sink_blind"; readonly tenantKey: string; readonly sink: string; readonly code: AttemptCode }
  | (OfErasure & { readonly type: "erasure_resumed" })
  | (OfErasure & { readonly type: "erasure_completed" })
  | (OfErasure & { readonly type: "erasure_escalated"; readonly code: EscalationCode })
  | {
      readonly type: "sink_swept";
      readonly tenantKey: string;
      readonly sink: string;
      readonly verdict: "clean" | "residue" | "unchecked";
      readonly orphans: number;
      readonly resurrections: number;
      /** It could not be listed to the end. */
      readonly failed: boolean;
    }
  /** The store, or the host's list of tenants, failed. The loop goes on. */
  | { readonly type: "store_failed"; readonly tenantKey: string | null; readonly code: string };
