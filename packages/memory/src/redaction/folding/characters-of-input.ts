import { escapeAt } from "./escapes.js";
import { DROP, FOLD_TABLE, foldAstral, KEEP } from "./fold-table.js";
import { ROLES, SPECIAL } from "./holding.js";

const FIRST_MARK = 0x300;
const MARK = /^\p{M}$/u;

/** One character of the input: what it folds to (`DROP` for nothing) and how many units it takes. */
interface Step {
  readonly code: number;
  readonly width: number;
}

/** Where the character that starts at `index` of `text` ends, with the marks stacked on it if it is a digit. */
export function characterEnd(text: string, index: number): number {
  const unit = text.charCodeAt(index);
  const step = isAlone(unit) ? null : foldSequence(text, index);
  const code = step === null ? foldUnit(unit, 0) : step.code;
  let end = index + (step === null ? 1 : step.width);
  while (isDigit(code) && end < text.length && isMark(text.charCodeAt(end))) end++;
  return end;
}

/** Whether what the unit folds to does not depend on the units after it. */
export function isAlone(unit: number): boolean {
  return unit < 0x80 ? ROLES[unit] !== SPECIAL : unit < 0xd800 || unit > 0xdbff;
}

/**
 * What a unit that is alone folds to after a unit that folded to `before`. Marks that follow a digit are dropped: a
 * stacked mark would split a number in two. Those in words stay, because Devanagari vowels are marks.
 */
export function foldUnit(unit: number, before: number): number {
  const folded = unit < 0x80 ? KEEP : (FOLD_TABLE[unit] as number);
  if (folded !== KEEP) return folded;
  return isDigit(before) && isMark(unit) ? DROP : unit;
}

/** The character that starts with a unit that is not alone. */
export function foldSequence(text: string, index: number): Step {
  const unit = text.charCodeAt(index);
  if (unit < 0x80) return escapeAt(text, index) ?? { code: unit, width: 1 };
  const codePoint = text.codePointAt(index) ?? unit;
  const folded = codePoint > 0xffff ? foldAstral(codePoint) : KEEP;
  return folded === KEEP ? { code: unit, width: 1 } : { code: folded, width: 2 };
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

function isMark(unit: number): boolean {
  return unit >= FIRST_MARK && MARK.test(String.fromCharCode(unit));
}
