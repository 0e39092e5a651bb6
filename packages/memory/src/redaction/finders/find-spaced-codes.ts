import type { Candidate } from "../candidate.js";
import { isAlphanumeric, isDigit, isLetter } from "../folding/characters.js";
import type { FoldedText } from "../folding/folded-text.js";
import type { Settings } from "../settings.js";
import { isGstin } from "../validators/gstin.js";
import { isIfsc } from "../validators/ifsc.js";
import { isPan } from "../validators/pan.js";
import { IFSC_LABELS, isLabelled, PAN_LABELS } from "./code-labels.js";
import { afterGap, beforeGap } from "./gaps.js";

/**
 * Codes written in groups: `27 AAPFU0939F 1ZV` (its check character speaks for it), and with their label
 * `PAN ABCPD 1234 F` and `IFSC SBIN 0001234`.
 */
export function findSpacedCodes(
  view: FoldedText,
  groups: readonly number[],
  tokens: readonly number[],
  settings: Settings,
): Candidate[] {
  const found: Candidate[] = [];
  const keep = (candidate: Candidate | null): void => {
    if (candidate !== null && settings.kinds.has(candidate.kind)) found.push(candidate);
  };
  for (let index = 0; index < tokens.length; index += 2) {
    const start = tokens[index] ?? 0;
    const end = tokens[index + 1] ?? 0;
    if (end - start === 10) keep(gstinAround(view, start, end));
    if (end - start === 7) keep(ifscAround(view, start, end));
  }
  for (let index = 0; index < groups.length; index += 2) {
    const start = groups[index] ?? 0;
    const end = groups[index + 1] ?? 0;
    if (end - start === 4) keep(panAround(view, start, end));
    if (end - start === 7) keep(ifscAround(view, start, end));
  }
  return found;
}

function gstinAround(view: FoldedText, panStart: number, panEnd: number): Candidate | null {
  const stateEnd = beforeGap(view, panStart);
  if (stateEnd === panStart || !isDigit(view.at(stateEnd - 1)) || !isDigit(view.at(stateEnd - 2))) return null;
  const start = stateEnd - 2;
  if (isAlphanumeric(view.at(start - 1))) return null;

  let tail = "";
  let cursor = panEnd;
  while (tail.length < 3) {
    const next = afterGap(view, cursor);
    if ((tail === "" && next === cursor) || !isAlphanumeric(view.at(next))) return null;
    tail += view.slice(next, next + 1);
    cursor = next + 1;
  }
  if (isAlphanumeric(view.at(cursor))) return null;
  const text = view.slice(start, stateEnd) + view.slice(panStart, panEnd) + tail;
  return isGstin(text.toUpperCase()) ? { kind: "gstin", start, end: cursor } : null;
}

function panAround(view: FoldedText, digitsStart: number, digitsEnd: number): Candidate | null {
  const lettersEnd = beforeGap(view, digitsStart);
  const last = afterGap(view, digitsEnd);
  if (lettersEnd === digitsStart || last === digitsEnd || !isLetter(view.at(last)) || isAlphanumeric(view.at(last + 1)))
    return null;
  const start = lettersEnd - 5;
  if (!standsFrom(view, start, lettersEnd)) return null;
  const text = view.slice(start, lettersEnd) + view.slice(digitsStart, digitsEnd) + view.slice(last, last + 1);
  return isPan(text.toUpperCase()) && isLabelled(view, start, last + 1, PAN_LABELS)
    ? { kind: "pan", start, end: last + 1 }
    : null;
}

function ifscAround(view: FoldedText, branchStart: number, branchEnd: number): Candidate | null {
  if (view.at(branchStart) !== 0x30 || isAlphanumeric(view.at(branchEnd)) || isAlphanumeric(view.at(branchStart - 1)))
    return null;
  const bankEnd = beforeGap(view, branchStart);
  if (bankEnd === branchStart) return null;
  const start = bankEnd - 4;
  if (!standsFrom(view, start, bankEnd)) return null;
  const text = view.slice(start, bankEnd) + view.slice(branchStart, branchEnd);
  return isIfsc(text.toUpperCase()) && isLabelled(view, start, branchEnd, IFSC_LABELS)
    ? { kind: "ifsc", start, end: branchEnd }
    : null;
}

/** Whether the letters from `start` to `end` are a word of their own. */
function standsFrom(view: FoldedText, start: number, end: number): boolean {
  for (let index = start; index < end; index++) {
    if (!isLetter(view.at(index))) return false;
  }
  return !isAlphanumeric(view.at(start - 1));
}
