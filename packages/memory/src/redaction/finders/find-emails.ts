import type { Candidate } from "../candidate.js";
import { isAlphanumeric, isDigit, isLetter, isApartFromLatin, isWordUnit } from "../folding/characters.js";
import type { FoldedText } from "../folding/folded-text.js";
import { LONGEST_ADDRESS, LONGEST_LABEL, LONGEST_LOCAL_PART, readDomain } from "../validators/email.js";

const DOT = 0x2e;
const HYPHEN = 0x2d;
const UNDERSCORE = 0x5f;
const COLON = 0x3a;
const SLASH = 0x2f;
const AT = 0x40;
const MOST_LABELS = 12;
/** Besides letters, marks and digits: `.` `_` `-` `+` `%` `'` `&`. The rest of RFC 5322's atext joins keys to values. */
const LOCAL_SYMBOLS: ReadonlySet<number> = new Set([DOT, UNDERSCORE, HYPHEN, 0x2b, 0x25, 0x27, 0x26]);

/** Looks both ways from each `@`. What is before one `@` is never looked at from another, so the whole is linear. */
export function findEmails(view: FoldedText, ats: readonly number[]): Candidate[] {
  const found: Candidate[] = [];
  let floor = 0;
  for (const at of ats) {
    let start = localPartStart(view, at, floor);
    if (start < 0) continue;
    const end = domainEnd(view, at + 1);
    // `_neha@example.com_` is an address in italics.
    if (view.at(start) === UNDERSCORE && view.at(end) === UNDERSCORE && start < at - 1) start++;
    if (end < 0 || end - start > LONGEST_ADDRESS) continue;
    if (isUserInfo(view, start) || isRemotePath(view, start, at, end)) continue;
    found.push({ kind: "email", start, end });
    floor = end;
  }
  return found;
}

/** Where the local part before `at`, and not before `floor`, starts; -1 if there is none or it is too long for one. */
export function localPartStart(view: FoldedText, at: number, floor: number): number {
  let start = at;
  while (start > floor && isLocal(view.at(start - 1))) start--;
  if (at - start > LONGEST_LOCAL_PART) {
    // One long token: nothing inside it is masked either, or a second pass would see a shorter one.
    view.hide(start, at);
    return -1;
  }

  // A word of another script runs into an address of ASCII letters.
  for (let index = at - 1; index > start; index--) {
    if (isApartFromLatin(view.at(index - 1)) && isAlphanumeric(view.at(index))) {
      start = index;
      break;
    }
  }
  while (start < at && !isWordUnit(view.at(start)) && !isDigit(view.at(start)) && view.at(start) !== UNDERSCORE)
    start++;
  return start < at ? start : -1;
}

function isLocal(code: number): boolean {
  return isAlphanumeric(code) || LOCAL_SYMBOLS.has(code) || (code > 0x7f && isWordUnit(code));
}

function domainEnd(view: FoldedText, start: number): number {
  const labels: string[] = [];
  const starts: number[] = [];
  let cursor = start;
  while (labels.length < MOST_LABELS) {
    let end = cursor;
    while (end - cursor <= LONGEST_LABEL && isLabelUnit(view.at(end)) && !runsOn(view, end)) end++;
    if (end === cursor || end - cursor > LONGEST_LABEL || view.at(cursor) === HYPHEN) break;
    labels.push(view.slice(cursor, end));
    starts.push(cursor);
    if (view.at(end) !== DOT) break;
    cursor = end + 1;
  }
  const domain = readDomain(labels);
  return domain === null ? -1 : (starts[domain.labels - 1] ?? 0) + domain.lastLength;
}

/** `neha@example.comहै`: a word of another script runs on. */
function runsOn(view: FoldedText, index: number): boolean {
  return isApartFromLatin(view.at(index)) && isAlphanumeric(view.at(index - 1));
}

function isLabelUnit(code: number): boolean {
  return isLetter(code) || isDigit(code) || code === HYPHEN || (code > 0x7f && isWordUnit(code));
}

/** `https://user:secret@host` and `ssh://git@host`: what is before the `@` of a URL is no address. */
function isUserInfo(view: FoldedText, start: number): boolean {
  for (let index = start - 1; index > start - 80; index--) {
    const code = view.at(index);
    if (code === SLASH) return view.at(index - 1) === SLASH && view.at(index - 2) === COLON;
    if (code <= 0x20 || code === AT || code === 0x3f || code === 0x22 || code === 0x28 || code === 0x3c) return false;
  }
  return false;
}

/** `git@host:org/repository` names a place to copy from. */
function isRemotePath(view: FoldedText, start: number, at: number, end: number): boolean {
  if (view.at(end) !== COLON) return false;
  const next = view.at(end + 1);
  if (!isLetter(next) && next !== 0x7e && next !== SLASH) return false;
  if (["git", "hg", "svn"].includes(view.slice(start, at).toLowerCase())) return true;
  for (let index = end + 1; index < end + 80; index++) {
    const code = view.at(index);
    if (code === SLASH) return true;
    if (code <= 0x20) return false;
  }
  return false;
}
