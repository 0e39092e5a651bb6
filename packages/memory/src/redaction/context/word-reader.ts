import { isDigit, isLower, isUpper, isWordUnit } from "../folding/characters.js";
import type { FoldedText } from "../folding/folded-text.js";
import { type Entry, lookUp } from "./lexicon.js";

/** Longer runs of letters are not looked up; no label is as long. */
const LONGEST_WORD = 24;
const SLASH = 0x2f;
const APOSTROPHE = 0x27;

export interface Word {
  /** What the vocabulary says of it, if anything. */
  readonly entry: Entry | null;
  readonly start: number;
  readonly end: number;
  /** The word is part of a token that has digits too. */
  readonly mixed: boolean;
}

/** The word that ends at `end`. `accountNumber` is two words; `a/c` and, because the vocabulary has it, `WhatsApp` are one. */
export function wordBefore(view: FoldedText, end: number): Word {
  let start = end;
  while (end - start < LONGEST_WORD && continuesBackward(view, start, end)) start--;
  if (isHump(view, start)) {
    let whole = start;
    while (end - whole < LONGEST_WORD && isWordUnit(view.at(whole - 1))) whole--;
    const word = read(view, whole, end);
    if (word.entry !== null) return word;
  }
  const isAccountShort = view.at(start - 1) === SLASH && isA(view.at(start - 2)) && isC(view.at(start));
  if (isAccountShort && !isWordUnit(view.at(start - 3)) && !isDigit(view.at(start - 3))) start -= 2;
  return read(view, start, end);
}

/** The word that starts at `start`. */
export function wordAfter(view: FoldedText, start: number): Word {
  let end = start + 1;
  while (end - start < LONGEST_WORD && continuesForward(view, start, end)) end++;
  if (isHump(view, end)) {
    let whole = end;
    while (whole - start < LONGEST_WORD && isWordUnit(view.at(whole))) whole++;
    const word = read(view, start, whole);
    if (word.entry !== null) return word;
  }
  if (end === start + 1 && isA(view.at(start)) && view.at(end) === SLASH && isC(view.at(end + 1))) {
    end += 2;
    while (end - start < LONGEST_WORD && isWordUnit(view.at(end))) end++;
  }
  return read(view, start, end);
}

function read(view: FoldedText, start: number, end: number): Word {
  return {
    entry: lookUp(view, start, end),
    start,
    end,
    mixed: isDigit(view.at(start - 1)) || isDigit(view.at(end)),
  };
}

/** Whether the capital at `index` is between small letters. */
function isHump(view: FoldedText, index: number): boolean {
  return isUpper(view.at(index)) && isLower(view.at(index - 1)) && isLower(view.at(index + 1));
}

function continuesBackward(view: FoldedText, start: number, end: number): boolean {
  const code = view.at(start - 1);
  if (code === APOSTROPHE) return start < end && isWordUnit(view.at(start - 2));
  if (!isWordUnit(code)) return false;
  return !(start < end && isLower(code) && isUpper(view.at(start)));
}

function continuesForward(view: FoldedText, start: number, end: number): boolean {
  const code = view.at(end);
  if (code === APOSTROPHE) return isWordUnit(view.at(end + 1));
  if (!isWordUnit(code)) return false;
  return !(end > start && isUpper(code) && isLower(view.at(end - 1)));
}

function isA(code: number): boolean {
  return code === 0x61 || code === 0x41;
}

function isC(code: number): boolean {
  return code === 0x63 || code === 0x43;
}
