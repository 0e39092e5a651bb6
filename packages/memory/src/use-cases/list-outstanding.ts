import { readCode } from "../domain/input/codes.js";
import { readBoolean, readFields } from "../domain/input/fields.js";
import { readSeconds } from "../domain/input/numbers.js";
import type { OutstandingPlacement } from "../domain/placement.js";
import type { PlacementLease } from "../ports/placement-store.js";
import type { MemoryContext } from "./context.js";
import { readErasureRef, type ErasureRef } from "./erasure-status.js";

/** How a worker takes outstanding copies for itself. */
export interface OutstandingOptions {
  readonly lease?: {
    /** Who takes them, as a code. */
    readonly owner: string;
    /** For how long; 0 gives them back. */
    readonly seconds: number;
    /** Nobody will work on them meanwhile: they are only kept from others until they are due again. */
    readonly idle?: boolean;
    /** Also those that another worker holds idle: for whoever was told to try at once. */
    readonly takeIdle?: boolean;
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

function readLease(value: unknown): PlacementLease {
  const fields = readFields(value, ["owner", "seconds", "idle", "takeIdle"], "lease");
  return {
    owner: readCode(fields.owner, "lease.owner"),
    seconds: readSeconds(fields.seconds, "lease.seconds"),
    idle: readBoolean(fields.idle, "lease.idle", false),
    takeIdle: readBoolean(fields.takeIdle, "lease.takeIdle", false),
  };
}
