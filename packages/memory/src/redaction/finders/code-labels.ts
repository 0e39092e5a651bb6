import { lookAhead } from "../context/look-ahead.js";
import { lookBack } from "../context/look-back.js";
import type { Label } from "../context/vocabulary.js";
import { wordBefore } from "../context/word-reader.js";
import { isWordUnit } from "../folding/characters.js";
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

const BANK_WORDS_REACH = 3;

/** Whether one of the three words before the code, in its line, is a bank's name, "bank" or "branch". */
export function namesBank(view: FoldedText, start: number): boolean {
  let cursor = start;
  for (let words = 0; words < BANK_WORDS_REACH; words++) {
    let gap = 0;
    while (gap < 3 && SKIPPED.has(view.at(cursor - 1))) {
      cursor--;
      gap++;
    }
    if (!isWordUnit(view.at(cursor - 1))) return false;
    const word = wordBefore(view, cursor);
    if (word.entry?.bank === true) return true;
    cursor = word.start;
  }
  return false;
}

const SKIPPED: ReadonlySet<number> = new Set([0x20, 0x2c, 0x2d, 0x3a, 0x28]);
