import type { Candidate } from "../candidate.js";
import { isAlphanumeric, isDigit, isLetter } from "../folding/characters.js";
import type { FoldedText } from "../folding/folded-text.js";
import { isIban } from "../validators/iban.js";

const SPACE = 0x20;
const LONGEST = 34;
const GROUP = 4;

/** IBANs in one piece or in groups of four. Their check digits speak for them. */
export function findIbans(view: FoldedText, groups: readonly number[]): Candidate[] {
  const found: Candidate[] = [];
  for (let index = 0; index < groups.length; index += 2) {
    const start = (groups[index] ?? 0) - 2;
    if (!isLetter(view.at(start)) || !isLetter(view.at(start + 1)) || isAlphanumeric(view.at(start - 1))) continue;
    const candidate = inOnePiece(view, start) ?? inGroups(view, start);
    if (candidate !== null) found.push(candidate);
  }
  return found;
}

function inOnePiece(view: FoldedText, start: number): Candidate | null {
  let end = start;
  while (end - start <= LONGEST && isAlphanumeric(view.at(end))) end++;
  return isIban(view.upper(start, end)) ? { kind: "iban", start, end } : null;
}

/** Groups of four with a space between; the last may be shorter. */
function inGroups(view: FoldedText, start: number): Candidate | null {
  let text = "";
  let cursor = start;
  let best: Candidate | null = null;
  while (text.length < LONGEST) {
    let end = cursor;
    while (end - cursor <= GROUP && isAlphanumeric(view.at(end))) end++;
    const size = end - cursor;
    if (size === 0 || size > GROUP) break;
    text += view.upper(cursor, end);
    if (isIban(text)) best = { kind: "iban", start, end };
    if (size < GROUP || view.at(end) !== SPACE || !(isDigit(view.at(end + 1)) || isLetter(view.at(end + 1)))) break;
    cursor = end + 1;
  }
  return best;
}
