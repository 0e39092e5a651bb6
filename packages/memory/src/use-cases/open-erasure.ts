import type { ErasureReceipt } from "../domain/receipt.js";
import type { MemoryContext } from "./context.js";
import { readErasureRequest, type ForgetInput } from "./erasure-request.js";
import { retryConflicts } from "./retry-conflicts.js";

export async function openErasure(context: MemoryContext, input: ForgetInput): Promise<ErasureReceipt> {
  const request = readErasureRequest(context, input);
  return retryConflicts(() => context.store.openErasure(request));
}
