import type { RedactionKind } from "./kinds.js";

/** An identifier in the folded view: from `start` up to and without `end`. */
export interface Candidate {
  readonly kind: RedactionKind;
  readonly start: number;
  readonly end: number;
  /** An address of a kind whose numbers keep their last four digits: its mask keeps nothing. */
  readonly isAddress?: true;
}
