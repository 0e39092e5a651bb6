/**
 * Something in a sink that should not be there. `resurrection`: its erasure took it for gone. `orphan`: nobody recorded
 * it, or its writer said that it was never written.
 */
export interface SweepFinding {
  readonly code: "orphan" | "resurrection";
  readonly placementId: string | null;
}

/** What a sweep saw of one sink and tenant. */
export interface SinkSweep {
  readonly tenantKey: string;
  readonly sink: string;
  readonly verdict: "clean" | "residue" | "unchecked";
  /** Why it is not `clean` although nothing was found. */
  readonly unchecked?: "cannot_enumerate" | "failed" | "uncontrolled";
  readonly entries: number;
  /** Entries whose erasure is still waiting for them: known, and no finding. */
  readonly awaiting: number;
  readonly findings: readonly SweepFinding[];
  readonly reopened: number;
}

export interface SweepReport {
  readonly verdict: "clean" | "residue" | "unchecked";
  readonly sinks: readonly SinkSweep[];
}
