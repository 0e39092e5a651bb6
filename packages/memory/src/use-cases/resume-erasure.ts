import type { ErasureReceipt } from "../domain/receipt.js";
import { NotFoundError } from "../errors.js";
import type { MemoryContext } from "./context.js";
import { readErasureRef, type ErasureRef } from "./erasure-status.js";
import { retryConflicts } from "./retry-conflicts.js";

export async function resumeErasure(context: MemoryContext, ref: ErasureRef): Promise<ErasureReceipt> {
  const { store, destroyChunkRows } = context;
  const { tenantKey, tombstoneId } = readErasureRef(ref);
  if ((await store.receipt(tenantKey, tombstoneId)) === null) throw new NotFoundError("erasure");
  for (;;) {
    const step = await retryConflicts(() => store.advanceErasure(tenantKey, tombstoneId, destroyChunkRows));
    if (!step.advanced) return step.receipt;
  }
}
