/** Why content is restricted: GDPR Art. 18(1)(a) to (d), a statutory retention floor, or an operator's decision. */
export const RESTRICTION_BASES = [
  "gdpr_18_1_a",
  "gdpr_18_1_b",
  "gdpr_18_1_c",
  "gdpr_18_1_d",
  "retention_floor",
  "operator",
] as const;
export type RestrictionBasis = (typeof RESTRICTION_BASES)[number];

/** Why erasure is lawfully blocked (GDPR Art. 17(3), DPDP Act 2023 s. 8(7)). */
export const HOLD_CODES = ["litigation", "regulatory", "investigation", "contract"] as const;
export type HoldCode = (typeof HOLD_CODES)[number];

export interface LegalHold {
  readonly holdId: string;
  readonly subjectHash: string;
  readonly code: HoldCode;
  readonly until: string | null;
  readonly placedAt: string;
  readonly releasedAt: string | null;
  /** How many erasures it has refused, where a transaction survived to record it. */
  readonly refusals: number;
}
