/**
 * The closed code lists. Each one is CHECKed in the database too, so there is nowhere in the evidence to write prose.
 */

/** Why an erasure was opened. */
export const ERASURE_REASONS = ["subject_request", "retention_policy", "operator"] as const;
export type ErasureReason = (typeof ERASURE_REASONS)[number];

/** What opened the erasure. */
export const ERASURE_ORIGINS = ["forget", "direct_delete", "expiry", "correction", "replay", "late_write"] as const;
export type ErasureOrigin = (typeof ERASURE_ORIGINS)[number];

/**
 * The legal ground a caller may name: GDPR Art. 17(1)(a) to (f), India's DPDP Act 2023 s. 8(7) and s. 12,
 * CCPA s. 1798.105, the end of a contract. The database keeps them in a table that its owner may extend.
 */
export const LEGAL_BASES = [
  "gdpr_17_1_a",
  "gdpr_17_1_b",
  "gdpr_17_1_c",
  "gdpr_17_1_d",
  "gdpr_17_1_e",
  "gdpr_17_1_f",
  "dpdp_8_7",
  "dpdp_12",
  "ccpa_1798_105",
  "contract_end",
  "unspecified",
] as const;
export type LegalBasis = (typeof LEGAL_BASES)[number] | (string & {});

/** Who asked for the erasure, as a role. */
export const REQUESTER_ROLES = ["data_principal", "controller", "operator", "system", "unspecified"] as const;
export type RequesterRole = (typeof REQUESTER_ROLES)[number];

/** Where an erasure stands. */
export const ERASURE_STATES = ["in_progress", "complete", "escalated"] as const;
export type ErasureState = (typeof ERASURE_STATES)[number];

/** Why a person had to take an erasure over. */
export const ESCALATION_CODES = [
  "sink_unreachable",
  "sink_refuses",
  "sink_gone",
  "closure_unknown",
  "hold_conflict",
  "operator",
] as const;
export type EscalationCode = (typeof ESCALATION_CODES)[number];

/** What a delete in our tables does not reach. A receipt always carries at least one of these. */
export const NOT_COVERED_CODES = [
  "backups",
  "wal_archive",
  "replicas",
  "logical_sinks",
  "server_logs",
  "dead_tuples",
  "unrecorded_copies",
] as const;
export type NotCovered = (typeof NOT_COVERED_CODES)[number];

/** The two sorts of row the store holds. */
export const ROW_KINDS = ["memory", "derived"] as const;
export type RowKind = (typeof ROW_KINDS)[number];
