import { readOneOf } from "../domain/input/codes.js";
import { readFields } from "../domain/input/fields.js";
import { ATTEMPT_CODES, type AttemptCode } from "../domain/placement.js";
import type { MemoryContext } from "./context.js";
import { REF_FIELDS, toErasureRef, type ErasureRef } from "./erasure-status.js";
import { readPlacementId } from "./placement-ref.js";

/** How a try to destroy a copy ended, short of a confirmation. */
export interface AttemptInput extends ErasureRef {
  readonly placementId: string;
  readonly outcome: "requested" | "acknowledged" | "failed";
  /** What went wrong. A failure without one is `other`. */
  readonly code?: AttemptCode;
}

const OUTCOMES = ["requested", "acknowledged", "failed"] as const;

export async function recordAttempt(context: MemoryContext, input: AttemptInput): Promise<void> {
  const fields = readFields(input, [...REF_FIELDS, "placementId", "outcome", "code"]);
  const { tenantKey, tombstoneId } = toErasureRef(fields);
  const placementId = readPlacementId(fields.placementId);
  const outcome = readOneOf(fields.outcome, "outcome", OUTCOMES);
  const code = fields.code === undefined ? null : readOneOf(fields.code, "code", ATTEMPT_CODES);
  await context.store.placements.recordAttempt(tenantKey, {
    tombstoneId,
    placementId,
    outcome,
    code: outcome === "failed" ? (code ?? "other") : code,
  });
}
