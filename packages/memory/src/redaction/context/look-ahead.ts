import { isDigit, isWordUnit } from "../folding/characters.js";
import type { FoldedText } from "../folding/folded-text.js";
import { HIDDEN } from "../folding/hidden.js";
import type { Label } from "./vocabulary.js";
import { wordAfter } from "./word-reader.js";

/** What stands after a number and is tied to it ("… is my account number"). */
export interface After {
  readonly label: Label;
  /** A word ties the two, so that it is said of this number and not merely next to it. */
  readonly said: boolean;
}

const REACH = 70;
const MOST_WORDS = 6;
const SKIPPED: ReadonlySet<number> = new Set([
  0x20, 0x09, 0x28, 0x29, 0x2d, 0x22, 0x27, 0x3a, 0x5f, 0x2a, 0x5d, 0x5b, 0x7c,
]);

/** The label that is tied to the number ending at `end`, if one is; one that introduces another number is not. */
export function lookAhead(view: FoldedText, end: number): After | null {
  const limit = Math.min(view.length, end + REACH);
  let cursor = end;
  let words = 0;
  let commas = 0;
  while (cursor < limit && words < MOST_WORDS) {
    const code = view.at(cursor);
    if (isWordUnit(code)) {
      const word = wordAfter(view, cursor);
      const label = word.entry?.label ?? null;
      if (label !== null) {
        const rest = afterLabel(view, word.end);
        return rest.introducesNumber || word.mixed ? null : { label, said: words > 0 || rest.numberWord };
      }
      if (word.entry?.tie !== true) return null;
      words++;
      cursor = word.end;
    } else if (SKIPPED.has(code)) {
      cursor++;
    } else if (code === 0x2c && commas++ === 0) {
      cursor++;
    } else {
      return null;
    }
  }
  return null;
}

/** Whether the number ending at `end` is a quantity: `%`, `/-`, or a unit that does not introduce the next number. */
export function isQuantity(view: FoldedText, end: number): boolean {
  let cursor = end;
  const code = view.at(cursor);
  if (code === 0x25) return true;
  if (code === 0x2f) return view.at(cursor + 1) === 0x2d;
  while (view.at(cursor) === 0x20 && cursor - end < 2) cursor++;
  if (!isWordUnit(view.at(cursor))) return false;
  const word = wordAfter(view, cursor);
  return word.entry?.unit === true && !afterLabel(view, word.end).introducesNumber;
}

/** What follows a label: "A/c no. XX12", "account 4567" and "ref: 9" introduce another number. */
function afterLabel(view: FoldedText, position: number): { introducesNumber: boolean; numberWord: boolean } {
  const limit = Math.min(view.length, position + 30);
  let cursor = position;
  let numberWord = false;
  let abbreviated = true;
  while (cursor < limit) {
    const code = view.at(cursor);
    if (isDigit(code) || code === HIDDEN) return { introducesNumber: true, numberWord };
    if (isWordUnit(code)) {
      const word = wordAfter(view, cursor);
      if (word.mixed) return { introducesNumber: true, numberWord };
      const { entry } = word;
      if (entry === null || (!entry.tie && entry.label === null)) break;
      numberWord ||= entry.number;
      abbreviated = entry.abbreviation;
      cursor = word.end;
    } else if (SKIPPED.has(code) || (code === 0x2e && abbreviated) || code === 0x23 || code === 0x3d || code === 0x2b) {
      cursor++;
    } else {
      break;
    }
  }
  return { introducesNumber: false, numberWord };
}
