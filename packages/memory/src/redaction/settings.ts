import type { RedactionKind } from "./kinds.js";

/** What one redactor looks for, resolved from its options. */
export interface Settings {
  readonly kinds: ReadonlySet<RedactionKind>;
  /** Mask any bare run of 9 to 18 digits that is nothing else. */
  readonly bareAccountNumbers: boolean;
  /** Mask a bare number even where a label directly before it says that it is an order, a reference or an amount. */
  readonly ignoreLabels: boolean;
  /** Mask the form of an IFSC whatever its first four letters are. */
  readonly anyBankCode: boolean;
  /** Mask an Aadhaar or GSTIN whose check digit is wrong if its label is written before it. */
  readonly labelledTypos: boolean;
}
