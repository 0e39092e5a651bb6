import { readCode } from "../domain/input/codes.js";
import { readFields } from "../domain/input/fields.js";
import { readSeconds } from "../domain/input/numbers.js";
import type { OutstandingPlacement } from "../domain/placement.js";
import type { MemoryContext } from "./context.js";
import { readErasureRef, type ErasureRef } from "./erasure-status.js";

/** How a worker takes outstanding copies for itself. */
export interface OutstandingOptions {
  readonly lease?: {
    /** Who takes them, as a code. */
    readonly owner: string;
    /** For how long; 0 gives them back. */
    readonly seconds: number;
  };
}

export async function listOutstanding(
  context: MemoryContext,
  ref: ErasureRef,
  options: OutstandingOptions = {},
): Promise<readonly OutstandingPlacement[]> {
  const { tenantKey, tombstoneId } = readErasureRef(ref);
  const { lease } = readFields(options, ["lease"], "", "options");
  return context.store.placements.outstanding(tenantKey, tombstoneId, lease === undefined ? null : readLease(lease));
}

function readLease(value: unknown): { readonly owner: string; readonly seconds: number } {
  const fields = readFields(value, ["owner", "seconds"], "lease");
  return { owner: readCode(fields.owner, "lease.owner"), seconds: readSeconds(fields.seconds, "lease.seconds") };
}
