import type { ErasureOrigin, ErasureReason, LegalBasis, RequesterRole } from "@demystify/memory";

const BASES: Readonly<Record<string, string>> = {
  gdpr_17_1_a: "GDPR Article 17(1)(a): no longer necessary for the purpose",
  gdpr_17_1_b: "GDPR Article 17(1)(b): consent withdrawn",
  gdpr_17_1_c: "GDPR Article 17(1)(c): objection to the processing",
  gdpr_17_1_d: "GDPR Article 17(1)(d): unlawful processing",
  gdpr_17_1_e: "GDPR Article 17(1)(e): a legal obligation to erase",
  gdpr_17_1_f: "GDPR Article 17(1)(f): collected from a child by an online service",
  dpdp_8_7: "Digital Personal Data Protection Act 2023 (India), section 8(7)",
  dpdp_12: "Digital Personal Data Protection Act 2023 (India), section 12",
  ccpa_1798_105: "California Consumer Privacy Act, section 1798.105",
  contract_end: "end of a contract",
  unspecified: "not specified",
};

/** An owner may have added grounds of their own, so an unknown code stands for itself. */
export function basisInWords(code: LegalBasis): string {
  return Object.hasOwn(BASES, code) ? (BASES[code] ?? code) : code;
}

const REASONS: Readonly<Record<ErasureReason, string>> = {
  subject_request: "the person asked for it",
  retention_policy: "the retention period was over",
  operator: "a decision of the operator",
};

export function reasonInWords(code: ErasureReason): string {
  return REASONS[code];
}

const ORIGINS: Readonly<Record<ErasureOrigin, string>> = {
  forget: "asked for through the software",
  direct_delete: "deleted directly in the database, and recorded by it",
  expiry: "expired",
  correction: "corrected: an old text was replaced",
  replay: "erased again after a restore",
  late_write: "a copy was written after an earlier erasure, and erased too",
};

export function originInWords(code: ErasureOrigin): string {
  return ORIGINS[code];
}

const ROLES: Readonly<Record<RequesterRole, string>> = {
  data_principal: "the person",
  controller: "the controller",
  operator: "an operator",
  system: "an automatic rule",
  unspecified: "not specified",
};

export function roleInWords(code: RequesterRole): string {
  return ROLES[code];
}
