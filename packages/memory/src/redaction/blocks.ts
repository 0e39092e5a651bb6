import { lookUp } from "./context/lexicon.js";
import { fold } from "./folding/fold.js";
import { nextHolding } from "./folding/holding.js";

/** A block is at least this long; texts are seldom longer than one. */
const BLOCK = 1 << 15;

/** Two words of which the first is spelled in one way only, and so is read as one. */
const TWO_WORDS = /^([A-Z]?[a-z]{2,19}) [A-Za-z]{2}/;
/** What may hold a mask, an escape, a line end of another kind or a digit of another script. */
const UNPLAIN = /["%&[\\\u0080-\uffff]/;
/** What every IFSC has, written in one piece or two. */
const IFSC_PART = /[A-Z]{4}[ -]{0,2}0/i;

/**
 * Where to cut a long text so that each part can be redacted by itself: between two lines of which neither has a say
 * about the other. A text without such lines is one block.
 */
export function blockEnds(text: string): readonly number[] {
  const ends: number[] = [];
  let start = 0;
  while (text.length - start > BLOCK) {
    const end = nextCut(text, start + BLOCK);
    if (end < 0) break;
    ends.push(end);
    start = end;
  }
  ends.push(text.length);
  return ends;
}

function nextCut(text: string, from: number): number {
  let line = text.lastIndexOf("\n", from - 1) + 1;
  let next = text.indexOf("\n", from) + 1;
  while (next > 0) {
    const nextEnd = text.indexOf("\n", next);
    if (nextEnd < 0) return -1;
    if (isBare(text, next, nextEnd) || isApart(text.slice(line, next), text.slice(next, nextEnd))) return next;
    line = next;
    next = nextEnd + 1;
  }
  return -1;
}

/** A line that holds nothing: labels reach over one line end at most, so no rule looks across it. */
function isBare(text: string, start: number, end: number): boolean {
  const holding = nextHolding(text, start);
  return holding < 0 || holding >= end;
}

/**
 * Whether `line`, which begins with a word outside the vocabulary, takes no label from the line `before` it (the walk
 * back to a label ends at such a word), and neither has an IFSC, which would speak for a number in the other.
 */
function isApart(before: string, line: string): boolean {
  const word = TWO_WORDS.exec(line)?.[1];
  if (word === undefined || lookUp(fold(word), 0, word.length) !== null) return false;
  return [before, line].every((each) => !UNPLAIN.test(each) && !IFSC_PART.test(each));
}
