import { ASCII_CLASS, DIGIT, OTHER } from "./folding/characters.js";
import type { FoldedText } from "./folding/folded-text.js";
import { type Mask, maskAt } from "./mask.js";

/** Everything in a text that could be part of an identifier, by position in the folded view. */
export interface Scan {
  /** Runs of digits: start and end in turn. */
  readonly groups: readonly number[];
  /** Runs of ASCII letters and digits that have both, long enough for a code: start and end in turn. */
  readonly tokens: readonly number[];
  readonly ats: readonly number[];
  readonly masks: readonly Mask[];
}

const SHORTEST_TOKEN = 6;
const LONGEST_TOKEN = 40;
const AT = 0x40;
const OPEN_BRACKET = 0x5b;

/** One pass over the text. */
export function scan(view: FoldedText): Scan {
  const { codes, length } = view;
  const groups: number[] = [];
  const tokens: number[] = [];
  const ats: number[] = [];
  const masks: Mask[] = [];

  let index = 0;
  while (index < length) {
    const code = codes[index] as number;
    if (code > 0x7f) {
      index++;
      continue;
    }
    if (ASCII_CLASS[code] === OTHER) {
      if (code === AT) ats.push(index);
      if (code === OPEN_BRACKET) {
        const mask = maskAt(view, index);
        if (mask !== null) {
          masks.push(mask);
          index = mask.end;
          continue;
        }
      }
      index++;
      continue;
    }

    const start = index;
    let digits = 0;
    let groupStart = -1;
    for (; index < length; index++) {
      const unit = codes[index] as number;
      const unitClass = unit > 0x7f ? OTHER : ASCII_CLASS[unit];
      if (unitClass === OTHER) break;
      if (unitClass === DIGIT) {
        if (groupStart < 0) groupStart = index;
        digits++;
      } else if (groupStart >= 0) {
        groups.push(groupStart, index);
        groupStart = -1;
      }
    }
    if (groupStart >= 0) groups.push(groupStart, index);
    const size = index - start;
    if (digits > 0 && digits < size && size >= SHORTEST_TOKEN && size <= LONGEST_TOKEN) tokens.push(start, index);
  }
  return { groups, tokens, ats, masks };
}
