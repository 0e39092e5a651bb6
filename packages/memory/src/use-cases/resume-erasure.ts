import type { ErasureReceipt } from "../domain/receipt.js";
import { NotFoundError } from "../errors.js";
import type { MemoryContext } from "./context.js";
import { readErasureRef, type ErasureRef } from "./erasure-status.js";
import { finishErasure } from "./finish-erasure.js";

export async function resumeErasure(context: MemoryContext, ref: ErasureRef): Promise<ErasureReceipt> {
  const { tenantKey, tombstoneId } = readErasureRef(ref);
  if ((await context.store.receipt(tenantKey, tombstoneId)) === null) throw new NotFoundError("erasure");
  return finishErasure(context, tenantKey, tombstoneId);
}
