import type { ErasureReceipt } from "../../domain/receipt.js";
import { LegalHoldError } from "../../errors.js";
import type { OpenErasure, StoreScope } from "../../ports/memory-store.js";

/** The request as `open_erasure` and `forget` read it. */
export function erasureRequest(request: OpenErasure): string {
  const { target, tombstoneId, reason, legalBasis, origin, requestedBy, requestHash, previewToken } = request;
  return JSON.stringify({
    ...storedTarget(target),
    tombstoneId,
    reason,
    legalBasis,
    origin,
    requestedBy,
    requestHash,
    previewToken,
  });
}

// Hashes that the database itself listed: no secret is needed to find them again, and none is checked.
function storedTarget(target: StoreScope): object {
  if (target.scope !== "subject" || target.subject.listed !== true) return target;
  const { written, known } = target.subject;
  return { scope: target.scope, subject: { written, replayed: known } };
}

const OPTIONAL = ["closure", "escalation", "destroyedAt", "completedAt"] as const;

/** A receipt as Postgres writes it; what is not yet known is left out instead of null. */
export function parseReceipt(answer: unknown): ErasureReceipt {
  const receipt = (typeof answer === "string" ? JSON.parse(answer) : answer) as Record<string, unknown>;
  return Object.fromEntries(
    Object.entries(receipt).filter(([key, value]) => value !== null || !OPTIONAL.some((optional) => optional === key)),
  ) as unknown as ErasureReceipt;
}

/** The answer as JSON, unless it says that a legal hold refused the erasure (and that this was recorded). */
export function refuseHeld(answer: string | null): unknown {
  const parsed: unknown = JSON.parse(answer ?? "null");
  if (typeof parsed === "object" && parsed !== null && "held" in parsed) throw new LegalHoldError();
  return parsed;
}
