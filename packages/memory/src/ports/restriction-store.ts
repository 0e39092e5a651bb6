import type { HoldCode, LegalHold, RestrictionBasis } from "../domain/restriction.js";
import type { StoreScope, StoreSubject } from "./memory-store.js";

/** Content kept but not used (GDPR Art. 18), and content that may not be erased yet. */
export interface RestrictionStore {
  /** Hides the scope, with all that was derived from it, from every read and from derivation. Keeps the rows. */
  restrict(tenantKey: string, scope: StoreScope, basis: RestrictionBasis): Promise<{ readonly restrictionId: string }>;
  /** `NotFoundError("restriction")` if there is none, or it is lifted already. */
  liftRestriction(tenantKey: string, restrictionId: string): Promise<void>;

  /** Refuses every destruction of the person's rows until released or past `until`. */
  placeHold(
    tenantKey: string,
    subject: StoreSubject,
    code: HoldCode,
    until: string | null,
  ): Promise<{ readonly holdId: string }>;
  /** `NotFoundError("hold")` if there is none, or it is released already. */
  releaseHold(tenantKey: string, holdId: string): Promise<void>;
  /** Newest first, released and expired ones included. */
  listHolds(tenantKey: string): Promise<readonly LegalHold[]>;
}
