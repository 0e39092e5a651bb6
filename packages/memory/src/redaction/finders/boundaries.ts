import { lookUp } from "../context/lexicon.js";
import { wordAfter, wordBefore } from "../context/word-reader.js";
import { isAlphanumeric, isDigit, isLetter, isLower, isUpper, isWordUnit } from "../folding/characters.js";
import type { FoldedText } from "../folding/folded-text.js";

const DOT = 0x2e;
const HYPHEN = 0x2d;
const PLUS = 0x2b;
const LONGEST_TOKEN = 48;

/** Words that Hinglish runs on to a number without a space, and a few of English. */
const RUN_ON_WORDS: ReadonlySet<string> = new Set(
  `pe par per ko se ka ki ke hai h hain mera meri hi bhi aur ya and or is was call calls whatsapp wala wali number no
  please pls plz only for on at to ji bhai sir madam now ext x mob mobile phone tak me mein main`.split(/\s+/),
);

/** Whether an identifier of digits may start at `start`: it is not the tail of a token, a decimal or a longer number. */
export function mayStart(view: FoldedText, start: number): boolean {
  const before = view.at(start - 1);
  if (isLetter(before)) return isRunInWord(view, start);
  if (isDigit(before)) return false;
  switch (before) {
    case DOT:
      // ".98" and "12.98" are decimals; "no.98" and "kal.98" are not.
      return isWordUnit(view.at(start - 2)) || view.at(start - 2) === DOT;
    case PLUS:
      return false;
    case HYPHEN:
      return mayFollowHyphen(view, start);
    default:
      return true;
  }
}

/** Whether an identifier of digits may end at `end`. */
export function mayEnd(view: FoldedText, end: number): boolean {
  const after = view.at(end);
  if (isLetter(after)) return isRunOnWord(view, end);
  if (isDigit(after)) return false;
  switch (after) {
    case DOT:
      return !isDigit(view.at(end + 1));
    case HYPHEN:
      return mayPrecedeHyphen(view, end);
    default:
      return true;
  }
}

/** `mob98…`, `call98…`, `Ramesh98…`; not `txn98…`, `a55d98…`, `ghp98…`. */
function isRunInWord(view: FoldedText, start: number): boolean {
  const word = wordBefore(view, start);
  const label = word.entry?.label ?? null;
  if (label === "phone" || label === "account" || label === "aadhaar") return true;
  if (label !== null) return false;
  if (word.entry?.number === true) return true;
  return isName(view, word.start, word.end);
}

/** A capital and at least three small letters, with nothing of a token before. */
function isName(view: FoldedText, start: number, end: number): boolean {
  if (end - start < 4 || !isUpper(view.at(start)) || isAlphanumeric(view.at(start - 1)) || view.at(start - 1) === 0x5f)
    return false;
  for (let index = start + 1; index < end; index++) {
    if (!isLower(view.at(index))) return false;
  }
  return true;
}

function isRunOnWord(view: FoldedText, end: number): boolean {
  const word = wordAfter(view, end);
  const text = view.slice(word.start, word.end).toLowerCase();
  if (!isDigit(view.at(word.end))) return RUN_ON_WORDS.has(text);
  // A word between two numbers: an extension, or a label that belongs to the second.
  return text === "x" || text === "ext" || (RUN_ON_WORDS.has(text) && isRunInWord(view, word.end));
}

/** `Mob-98…` and `ramesh-98…`; not `8c9d-98…`, `SKU-98…`. Hyphens between digits alone are the groups' matter. */
function mayFollowHyphen(view: FoldedText, start: number): boolean {
  const end = start - 1;
  if (isDigit(view.at(end - 1))) {
    let digits = end;
    while (end - digits < LONGEST_TOKEN && isDigit(view.at(digits - 1))) digits--;
    return !isLetter(view.at(digits - 1)) || isRunInWord(view, digits);
  }
  if (!isLetter(view.at(end - 1))) return true;
  let word = end;
  let small = 0;
  while (end - word < LONGEST_TOKEN && isLetter(view.at(word - 1))) {
    if (isLower(view.at(--word))) small++;
  }
  if (isDigit(view.at(word - 1))) return isRunOnWord(view, word);
  const label = lookUp(view, word, end)?.label ?? null;
  if (label !== null) return label !== "reference" && label !== "weak_reference";
  // "ABC-98…" is a code; "ramesh-98…" and "M-98…" are people's notes.
  return end - word === 1 || small >= end - word - 1;
}

/** `98…-ramesh`; not `98…-8c9d`, `98…-a1`. */
function mayPrecedeHyphen(view: FoldedText, end: number): boolean {
  const first = end + 1;
  const isNext = isDigit(view.at(first)) ? isDigit : isLetter;
  let next = first;
  while (next - first < LONGEST_TOKEN && isNext(view.at(next))) next++;
  if (next === first) return true;
  if (isNext === isDigit) return !isLetter(view.at(next)) || isRunOnWord(view, next);
  return !isDigit(view.at(next)) || isRunInWord(view, next);
}
