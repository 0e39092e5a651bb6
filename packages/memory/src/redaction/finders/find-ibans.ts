import type { Candidate } from "../candidate.js";
import { isAlphanumeric, isLetter } from "../folding/characters.js";
import type { FoldedText } from "../folding/folded-text.js";
import { ibanLength, isIban } from "../validators/iban.js";

const SPACE = 0x20;
const GROUP = 4;

/** IBANs in one piece or in groups of four. Their check digits speak for them. */
export function findIbans(view: FoldedText, groups: readonly number[]): Candidate[] {
  const found: Candidate[] = [];
  for (let index = 0; index < groups.length; index += 2) {
    const start = (groups[index] ?? 0) - 2;
    if (!isLetter(view.at(start)) || !isLetter(view.at(start + 1)) || isAlphanumeric(view.at(start - 1))) continue;
    const length = ibanLength(view.upper(start, start + 2));
    const end = length === 0 ? -1 : endOf(view, start, length);
    if (end >= 0) found.push({ kind: "iban", start, end });
  }
  return found;
}

/** Where the IBAN of `length` characters that starts at `start` ends; -1 if it is none. */
function endOf(view: FoldedText, start: number, length: number): number {
  let text = "";
  let cursor = start;
  while (text.length < length) {
    // A space after every fourth character, or none at all.
    if (text.length > 0 && text.length % GROUP === 0 && view.at(cursor) === SPACE) cursor++;
    if (!isAlphanumeric(view.at(cursor))) return -1;
    text += view.upper(cursor, cursor + 1);
    cursor++;
  }
  return !isAlphanumeric(view.at(cursor)) && isIban(text) ? cursor : -1;
}
