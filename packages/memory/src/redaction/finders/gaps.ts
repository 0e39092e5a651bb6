import { isAlphanumeric, isDigit, isLetter } from "../folding/characters.js";
import type { FoldedText } from "../folding/folded-text.js";

const SPACE = 0x20;
const HYPHEN = 0x2d;
const WIDEST_GAP = 2;

/** Where the character before one or two of space and hyphen ends; `position` itself if there is no gap. */
export function beforeGap(view: FoldedText, position: number): number {
  let cursor = position;
  while (position - cursor < WIDEST_GAP && isGap(view.at(cursor - 1))) cursor--;
  return cursor;
}

/** Where the character after one or two of space and hyphen starts; `position` itself if there is no gap. */
export function afterGap(view: FoldedText, position: number): number {
  let cursor = position;
  while (cursor - position < WIDEST_GAP && isGap(view.at(cursor))) cursor++;
  return cursor;
}

/** Where the run of ASCII letters that starts at `start` ends. */
export function lettersEnd(view: FoldedText, start: number, most: number): number {
  let end = start;
  while (end - start < most && isLetter(view.at(end))) end++;
  return end;
}

/** Where the run of digits that starts at `start` ends. */
export function digitsEnd(view: FoldedText, start: number, most: number): number {
  let end = start;
  while (end - start < most && isDigit(view.at(end))) end++;
  return end;
}

/** Whether nothing of a token touches the characters from `start` to `end`. */
export function standsAlone(view: FoldedText, start: number, end: number): boolean {
  return !isAlphanumeric(view.at(start - 1)) && !isAlphanumeric(view.at(end));
}

function isGap(code: number): boolean {
  return code === SPACE || code === HYPHEN;
}
