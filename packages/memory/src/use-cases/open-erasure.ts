import type { ErasureReceipt } from "../domain/receipt.js";
import type { MemoryContext } from "./context.js";
import { readErasureRequest, storeRequest, type ForgetInput } from "./erasure-request.js";
import { retryConflicts } from "./retry-conflicts.js";
import { underEveryKey } from "./under-every-key.js";

export async function openErasure(context: MemoryContext, input: ForgetInput): Promise<ErasureReceipt> {
  const parsed = readErasureRequest(context, input);
  return underEveryKey(context, parsed.scope.tenantKey, (keyed) => {
    const request = storeRequest(keyed, parsed);
    return retryConflicts(() => keyed.store.openErasure(request));
  });
}
