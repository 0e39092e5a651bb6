/** The seven kinds that are on unless `createRedactor` is told otherwise. */
export const DEFAULT_KINDS = ["aadhaar", "pan", "gstin", "ifsc", "phone_in", "email", "bank_account"] as const;

/** Kinds a host asks for by name. */
export const OPTIONAL_KINDS = [
  "upi",
  "card",
  "aadhaar_vid",
  "landline_in",
  "voter_id",
  "passport_in",
  "driving_licence_in",
  "vehicle_reg_in",
  "abha",
  "uan",
  "dob",
  "iban",
  "us_ssn",
] as const;

/** What the built-in redactors can find. */
export type RedactionKind = (typeof DEFAULT_KINDS)[number] | (typeof OPTIONAL_KINDS)[number];

interface KindRule {
  /** The word in the mask: `[NAME:****…]`. */
  readonly name: string;
  /** How many characters of the identifier the mask keeps: never more than four. */
  readonly keep: 0 | 3 | 4;
  /** Which kind wins where two claim the same characters: the lower one. */
  readonly rank: number;
}

export const KIND_RULES: Readonly<Record<RedactionKind, KindRule>> = {
  gstin: { name: "GSTIN", keep: 3, rank: 0 },
  pan: { name: "PAN", keep: 4, rank: 1 },
  ifsc: { name: "IFSC", keep: 4, rank: 2 },
  email: { name: "EMAIL", keep: 0, rank: 3 },
  upi: { name: "UPI", keep: 0, rank: 4 },
  iban: { name: "IBAN", keep: 4, rank: 5 },
  voter_id: { name: "VOTER_ID", keep: 4, rank: 6 },
  passport_in: { name: "PASSPORT", keep: 4, rank: 7 },
  driving_licence_in: { name: "LICENCE", keep: 4, rank: 8 },
  vehicle_reg_in: { name: "VEHICLE", keep: 4, rank: 9 },
  aadhaar: { name: "AADHAAR", keep: 4, rank: 10 },
  aadhaar_vid: { name: "VID", keep: 4, rank: 11 },
  card: { name: "CARD", keep: 4, rank: 12 },
  abha: { name: "ABHA", keep: 4, rank: 13 },
  uan: { name: "UAN", keep: 4, rank: 14 },
  us_ssn: { name: "SSN", keep: 4, rank: 15 },
  dob: { name: "DOB", keep: 0, rank: 16 },
  bank_account: { name: "ACCOUNT", keep: 4, rank: 17 },
  landline_in: { name: "LANDLINE", keep: 4, rank: 18 },
  phone_in: { name: "PHONE", keep: 4, rank: 19 },
};
