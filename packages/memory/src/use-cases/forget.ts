import type { ErasureReceipt } from "../domain/receipt.js";
import { ForgetIncompleteError } from "../errors.js";
import type { MemoryContext } from "./context.js";
import { readErasureRequest, storeRequest, type ForgetInput } from "./erasure-request.js";
import { retryConflicts } from "./retry-conflicts.js";
import { underEveryKey } from "./under-every-key.js";

export async function forget(context: MemoryContext, input: ForgetInput): Promise<ErasureReceipt> {
  const parsed = readErasureRequest(context, input);
  const receipt = await underEveryKey(context, parsed.scope.tenantKey, (keyed) => {
    const request = storeRequest(keyed, parsed);
    return retryConflicts(() => keyed.store.forget(request, keyed.destroyChunkRows));
  });
  if (receipt.state === "complete" && receipt.closure === "confirmed") return receipt;
  throw new ForgetIncompleteError(receipt);
}
