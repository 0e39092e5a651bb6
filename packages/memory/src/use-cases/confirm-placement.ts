import { readCode, readOneOf } from "../domain/input/codes.js";
import { readFields } from "../domain/input/fields.js";
import { readInstant } from "../domain/input/instant.js";
import { PROOF_LEVELS, type ProofLevel } from "../domain/placement.js";
import type { ErasureReceipt } from "../domain/receipt.js";
import { ConfirmationRejectedError } from "../errors.js";
import type { ConfirmationRejection, SeenUnder } from "../ports/placement-store.js";
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
  /**
   * The lease under which it was looked for, as `outstanding` answered it. With it the confirmation is refused once that
   * lease is over or taken by another, or the copy was written anew: what was seen may not be so any more.
   */
  readonly under?: SeenUnder;
}

export async function confirmPlacement(context: MemoryContext, input: ConfirmInput): Promise<ErasureReceipt> {
  const fields = readFields(input, [...REF_FIELDS, "placementId", "proof", "by", "under"]);
  const { tenantKey, tombstoneId } = toErasureRef(fields);
  const placementId = readPlacementId(fields.placementId);
  const proof = readOneOf(fields.proof, "proof", PROOF_LEVELS);
  const by = readCode(fields.by, "by");
  const { receipt, rejected } = await context.store.placements.confirmPlacement(tenantKey, {
    tombstoneId,
    placementId,
    proof,
    by,
    under: readUnder(fields.under),
  });
  if (rejected !== null) throw rejection(rejected, placementId, proof);
  return receipt;
}

function readUnder(value: unknown): SeenUnder | null {
  if (value === undefined) return null;
  const { owner, leasedUntil, writtenAt } = readFields(value, ["owner", "leasedUntil", "writtenAt"], "under");
  return {
    owner: readCode(owner, "under.owner"),
    leasedUntil: readInstant(leasedUntil, "under.leasedUntil"),
    writtenAt: writtenAt === null ? null : readInstant(writtenAt, "under.writtenAt"),
  };
}

function rejection(rejected: ConfirmationRejection, placementId: string, proof: ProofLevel): ConfirmationRejectedError {
  switch (rejected) {
    case "proof":
      return new ConfirmationRejectedError(
        `"${proof}" is less than the sink of placement ${placementId} must prove`,
        "It is recorded as an attempt. Read back at the level that erasures.outstanding() names, then confirm that.",
      );
    case "writer":
      return new ConfirmationRejectedError(
        `placement ${placementId} may still be written`,
        "It is recorded as an attempt. Confirm once the writer has reported, or after its deadline.",
      );
    case "lease":
      return new ConfirmationRejectedError(
        `placement ${placementId} was looked for under a lease that does not hold any more`,
        "Lease it again with erasures.outstanding(), and look again if it is still outstanding.",
      );
  }
}
