import { ESCALATION_CODES, type EscalationCode } from "../domain/codes.js";
import { readOneOf } from "../domain/input/codes.js";
import { readFields } from "../domain/input/fields.js";
import type { ErasureReceipt } from "../domain/receipt.js";
import type { MemoryContext } from "./context.js";
import { REF_FIELDS, toErasureRef, type ErasureRef } from "./erasure-status.js";

/** Why a person has to take an erasure over. */
export interface EscalateInput extends ErasureRef {
  readonly code: EscalationCode;
}

export async function escalateErasure(context: MemoryContext, input: EscalateInput): Promise<ErasureReceipt> {
  const fields = readFields(input, [...REF_FIELDS, "code"]);
  const { tenantKey, tombstoneId } = toErasureRef(fields);
  const code = readOneOf(fields.code, "code", ESCALATION_CODES);
  return context.store.placements.escalate(tenantKey, tombstoneId, code);
}
