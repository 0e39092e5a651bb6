import type { ErasureReceipt } from "../domain/receipt.js";
import type { MemoryContext } from "./context.js";
import { retryConflicts } from "./retry-conflicts.js";

/** Takes an open erasure as far as it goes without anybody else. */
export async function finishErasure(
  { store, destroyChunkRows }: MemoryContext,
  tenantKey: string,
  tombstoneId: string,
): Promise<ErasureReceipt> {
  for (;;) {
    const step = await retryConflicts(() => store.advanceErasure(tenantKey, tombstoneId, destroyChunkRows));
    if (!step.advanced) return step.receipt;
  }
}
