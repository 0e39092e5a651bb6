import { escapeAt } from "./escapes.js";
import { DROP, FOLD_TABLE, foldAstral, KEEP } from "./fold-table.js";
import { FoldedText } from "./folded-text.js";

const PERCENT = 0x25;
const AMPERSAND = 0x26;
const BACKSLASH = 0x5c;
const FIRST_MARK = 0x300;
const MARK = /^\p{M}$/u;

/** One character of the input: what it folds to (`DROP` for nothing) and how many units it takes. */
interface Step {
  readonly code: number;
  readonly width: number;
}

/**
 * Folds `text` in one pass. Marks that follow a digit are dropped (a stacked mark would split a number in two); those
 * in words stay, because Devanagari vowels are marks.
 */
export function fold(text: string): FoldedText {
  const size = text.length;
  const codes = new Uint16Array(size);
  const at: number[] = [];
  const shift: number[] = [];
  let length = 0;
  let index = 0;
  let lastShift = 0;

  while (index < size) {
    const unit = text.charCodeAt(index);
    if (unit < 0x80 && unit !== PERCENT && unit !== AMPERSAND && unit !== BACKSLASH) {
      codes[length++] = unit;
      index++;
      continue;
    }
    const step = foldAt(text, index, length > 0 ? (codes[length - 1] as number) : 0);
    if (step.code !== DROP) codes[length++] = step.code;
    index += step.width;
    if (index - length !== lastShift) {
      lastShift = index - length;
      at.push(length);
      shift.push(lastShift);
    }
  }
  return new FoldedText(codes, length, { at, shift });
}

/** Where the character that starts at `index` of `text` ends, with the marks stacked on it if it is a digit. */
export function characterEnd(text: string, index: number): number {
  const first = foldAt(text, index, 0);
  let end = index + first.width;
  while (isDigit(first.code) && end < text.length && isMark(text.charCodeAt(end))) end++;
  return end;
}

function foldAt(text: string, index: number, before: number): Step {
  const unit = text.charCodeAt(index);
  if (unit < 0x80) return escapeAt(text, index) ?? { code: unit, width: 1 };
  if (unit >= 0xd800 && unit <= 0xdbff) {
    const codePoint = text.codePointAt(index) ?? unit;
    const folded = codePoint > 0xffff ? foldAstral(codePoint) : KEEP;
    return folded === KEEP ? { code: unit, width: 1 } : { code: folded, width: 2 };
  }
  const folded = FOLD_TABLE[unit] as number;
  if (folded !== KEEP) return { code: folded, width: 1 };
  return { code: isDigit(before) && isMark(unit) ? DROP : unit, width: 1 };
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

function isMark(unit: number): boolean {
  return unit >= FIRST_MARK && MARK.test(String.fromCharCode(unit));
}
