import { readCode, readReference } from "../domain/input/codes.js";
import { readFields } from "../domain/input/fields.js";
import type { ErasureReceipt } from "../domain/receipt.js";
import { InvalidInputError } from "../errors.js";
import type { MemoryContext } from "./context.js";
import { REF_FIELDS, toErasureRef, type ErasureRef } from "./erasure-status.js";
import { readPlacementId } from "./placement-ref.js";

/** A person vouches: for one copy, or for a closure that nobody could list. */
export type AttestInput = ErasureRef & {
  /** Who vouches, as a code. */
  readonly by: string;
  /** Where that is written down, such as `CASE-1042`. */
  readonly reference: string;
} & (
    | { readonly placementId: string; readonly closure?: never }
    | { readonly closure: true; readonly placementId?: never }
  );

export async function attestErasure(context: MemoryContext, input: AttestInput): Promise<ErasureReceipt> {
  const fields = readFields(input, [...REF_FIELDS, "placementId", "closure", "by", "reference"]);
  const { tenantKey, tombstoneId } = toErasureRef(fields);
  return context.store.placements.attest(tenantKey, {
    tombstoneId,
    placementId: readWhat(fields),
    by: readCode(fields.by, "by"),
    reference: readReference(fields.reference, "reference"),
  });
}

function readWhat(fields: { readonly placementId: unknown; readonly closure: unknown }): string | null {
  if (fields.closure === undefined) {
    if (fields.placementId === undefined) {
      throw new InvalidInputError("placementId", "is required where `closure: true` is not given");
    }
    return readPlacementId(fields.placementId);
  }
  if (fields.closure !== true) throw new InvalidInputError("closure", "must be true where it is given");
  if (fields.placementId !== undefined) {
    throw new InvalidInputError("placementId", "must not be given together with closure");
  }
  return null;
}
