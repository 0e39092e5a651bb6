import { readFields } from "../domain/input/fields.js";
import { readLimit } from "../domain/input/numbers.js";
import { readKey } from "../domain/input/strings.js";
import type { ErasureReceipt } from "../domain/receipt.js";
import { LegalHoldError } from "../errors.js";
import type { MemoryContext } from "./context.js";
import { newId } from "./new-id.js";
import { retryConflicts } from "./retry-conflicts.js";

/** Where to remove what has expired, and how many memories at most: 1 to 1,000, default 1,000. */
export interface ExpireInput {
  readonly tenantKey: string;
  readonly limit?: number;
}

/** What one call of `expire` did. */
export interface ExpireResult {
  /** One erasure for each person; one may be in progress, where copies are still to be confirmed. */
  readonly receipts: readonly ErasureReceipt[];
  /** Expired memories that a legal hold keeps. */
  readonly skippedHeld: number;
  /** Whether there are more to do. */
  readonly more: boolean;
}

export async function expire(context: MemoryContext, input: ExpireInput): Promise<ExpireResult> {
  const fields = readFields(input, ["tenantKey", "limit"]);
  const tenantKey = readKey(fields.tenantKey, "tenantKey");
  const limit = readLimit(fields.limit, "limit", 1000);

  const found = await context.store.upkeep.expiredMemories(tenantKey, limit);
  const receipts: ErasureReceipt[] = [];
  let skippedHeld = found.skippedHeld;
  for (const memoryIds of found.groups) {
    const receipt = await eraseExpired(context, tenantKey, memoryIds);
    if (receipt === null) skippedHeld += memoryIds.length;
    else receipts.push(receipt);
  }
  return { receipts, skippedHeld, more: found.more };
}

/** `null` where a hold was placed since the rows were listed. */
async function eraseExpired(
  { store, destroyChunkRows }: MemoryContext,
  tenantKey: string,
  memoryIds: readonly string[],
): Promise<ErasureReceipt | null> {
  const request = {
    tenantKey,
    tombstoneId: newId(),
    target: { scope: "memories", memoryIds, subject: null },
    reason: "retention_policy",
    legalBasis: "unspecified",
    origin: "expiry",
    requestedBy: { role: "system", idHash: null },
    requestHash: null,
    previewToken: null,
  } as const;
  try {
    return await retryConflicts(() => store.forget(request, destroyChunkRows));
  } catch (error) {
    if (error instanceof LegalHoldError) return null;
    throw error;
  }
}
