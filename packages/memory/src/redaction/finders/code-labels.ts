import { lookAhead } from "../context/look-ahead.js";
import { lookBack } from "../context/look-back.js";
import type { Label } from "../context/vocabulary.js";
import type { FoldedText } from "../folding/folded-text.js";

export const PAN_LABELS: ReadonlySet<Label> = new Set<Label>(["pan"]);
export const IFSC_LABELS: ReadonlySet<Label> = new Set<Label>(["ifsc", "account", "transfer"]);
export const GSTIN_LABELS: ReadonlySet<Label> = new Set<Label>(["gstin"]);

/** Whether the nearest label before the code, or the one tied to it after, is one of `labels`. */
export function isLabelled(view: FoldedText, start: number, end: number, labels: ReadonlySet<Label>): boolean {
  const before = lookBack(view, start).label;
  if (before !== null && labels.has(before)) return true;
  const after = lookAhead(view, end);
  return after !== null && labels.has(after.label);
}
