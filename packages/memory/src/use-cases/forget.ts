import type { ErasureReceipt } from "../domain/receipt.js";
import { ForgetIncompleteError } from "../errors.js";
import type { MemoryContext } from "./context.js";
import { readErasureRequest, type ForgetInput } from "./erasure-request.js";
import { retryConflicts } from "./retry-conflicts.js";

export async function forget(context: MemoryContext, input: ForgetInput): Promise<ErasureReceipt> {
  const request = readErasureRequest(context, input);
  const receipt = await retryConflicts(() => context.store.forget(request, context.destroyChunkRows));
  if (receipt.state === "complete" && receipt.closure === "confirmed") return receipt;
  throw new ForgetIncompleteError(receipt);
}
