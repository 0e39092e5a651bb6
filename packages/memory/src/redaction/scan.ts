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

/** For each unit of ASCII whether the pass stops at it. */
const STOPS: Uint8Array = Uint8Array.from(ASCII_CLASS, (unitClass, code) =>
  unitClass === DIGIT || code === AT || code === OPEN_BRACKET ? 1 : 0,
);

/** One pass over the text, from one digit, `@` or `[` to the next. */
export function scan(view: FoldedText): Scan {
  const { codes, length } = view;
  const groups: number[] = [];
  const tokens: number[] = [];
  const ats: number[] = [];
  const masks: Mask[] = [];

  let index = 0;
  while (index < length) {
    const code = codes[index] as number;
    if (code > 0x7f || STOPS[code] === 0) {
      index++;
    } else if (code === AT) {
      ats.push(index++);
    } else if (code === OPEN_BRACKET) {
      const mask = maskAt(view, index);
      if (mask !== null) masks.push(mask);
      index = mask?.end ?? index + 1;
    } else {
      index = readToken(view, index, groups, tokens);
    }
  }
  return { groups, tokens, ats, masks };
}

/** Reads the letters and digits around the first digit among them; the end of the last. */
function readToken({ codes, length }: FoldedText, firstDigit: number, groups: number[], tokens: number[]): number {
  let start = firstDigit;
  while (firstDigit - start <= LONGEST_TOKEN && start > 0 && classOf(codes[start - 1] as number) !== OTHER) start--;

  let groupStart = firstDigit;
  let digits = 0;
  let index = firstDigit;
  for (; index < length; index++) {
    const unitClass = classOf(codes[index] as number);
    if (unitClass === DIGIT) {
      if (groupStart < 0) groupStart = index;
      digits++;
    } else {
      if (groupStart >= 0) groups.push(groupStart, index);
      groupStart = -1;
      if (unitClass === OTHER) break;
    }
  }
  if (groupStart >= 0) groups.push(groupStart, index);
  const size = index - start;
  if (digits < size && size >= SHORTEST_TOKEN && size <= LONGEST_TOKEN) tokens.push(start, index);
  return index;
}

function classOf(code: number): number {
  return code > 0x7f ? OTHER : (ASCII_CLASS[code] as number);
}
