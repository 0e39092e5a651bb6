import { readCode, readOneOf } from "../domain/input/codes.js";
import { readFields } from "../domain/input/fields.js";
import { PROOF_LEVELS, type ProofLevel } from "../domain/placement.js";
import type { ErasureReceipt } from "../domain/receipt.js";
import { ConfirmationRejectedError } from "../errors.js";
import type { MemoryContext } from "./context.js";
import { REF_FIELDS, toErasureRef, type ErasureRef } from "./erasure-status.js";
import { readPlacementId } from "./placement-ref.js";

/** Evidence that a copy is gone. */
export interface ConfirmInput extends ErasureRef {
  readonly placementId: string;
  /** What was seen: `requested` and `acknowledged` are promises, and never enough. */
  readonly proof: ProofLevel;
  /** Who looked, as a code. */
  readonly by: string;
}

export async function confirmPlacement(context: MemoryContext, input: ConfirmInput): Promise<ErasureReceipt> {
  const fields = readFields(input, [...REF_FIELDS, "placementId", "proof", "by"]);
  const { tenantKey, tombstoneId } = toErasureRef(fields);
  const placementId = readPlacementId(fields.placementId);
  const proof = readOneOf(fields.proof, "proof", PROOF_LEVELS);
  const by = readCode(fields.by, "by");
  const { receipt, rejected } = await context.store.placements.confirmPlacement(tenantKey, {
    tombstoneId,
    placementId,
    proof,
    by,
  });
  if (rejected !== null) throw rejection(rejected, placementId, proof);
  return receipt;
}

function rejection(rejected: "proof" | "writer", placementId: string, proof: ProofLevel): ConfirmationRejectedError {
  return rejected === "proof"
    ? new ConfirmationRejectedError(
        `"${proof}" is less than the sink of placement ${placementId} must prove`,
        "It is recorded as an attempt. Read back at the level that erasures.outstanding() names, then confirm that.",
      )
    : new ConfirmationRejectedError(
        `placement ${placementId} may still be written`,
        "It is recorded as an attempt. Confirm once the writer has reported, or after its deadline.",
      );
}
