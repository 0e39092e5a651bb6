import { readFields } from "../domain/input/fields.js";
import { readLookupId } from "../domain/input/ids.js";
import { readKey } from "../domain/input/strings.js";
import type { ErasureReceipt } from "../domain/receipt.js";
import { NotFoundError } from "../errors.js";
import type { MemoryContext } from "./context.js";

/** Names one erasure. */
export interface ErasureRef {
  readonly tenantKey: string;
  readonly tombstoneId: string;
}

export const REF_FIELDS = ["tenantKey", "tombstoneId"] as const satisfies readonly (keyof ErasureRef)[];

export async function erasureStatus(context: MemoryContext, ref: ErasureRef): Promise<ErasureReceipt> {
  const { tenantKey, tombstoneId } = readErasureRef(ref);
  const receipt = await context.store.receipt(tenantKey, tombstoneId);
  if (receipt === null) throw new NotFoundError("erasure");
  return receipt;
}

export function readErasureRef(ref: ErasureRef): ErasureRef {
  return toErasureRef(readFields(ref, REF_FIELDS, "", "ref"));
}

/** A malformed id is the id of no erasure. */
export function toErasureRef(fields: Readonly<Record<keyof ErasureRef, unknown>>): ErasureRef {
  const tenantKey = readKey(fields.tenantKey, "tenantKey");
  const tombstoneId = readLookupId(fields.tombstoneId, "tombstoneId");
  if (tombstoneId === null) throw new NotFoundError("erasure");
  return { tenantKey, tombstoneId };
}
