import type { Candidate } from "../candidate.js";
import { lookBack } from "../context/look-back.js";
import { isDigit } from "../folding/characters.js";
import type { FoldedText } from "../folding/folded-text.js";
import { isDayOfBirth, monthOf } from "../validators/dob.js";
import { digitsEnd, lettersEnd, standsAlone } from "./gaps.js";

const SEPARATORS: ReadonlySet<number> = new Set([0x20, 0x2d, 0x2e, 0x2f]);
const LONGEST_MONTH = 9;

/** Dates whose nearest label is one of birth: `12/03/1990`, `1990-03-12`, `12 March 1990`, `March 12, 1990`. */
export function findBirthDates(view: FoldedText, groups: readonly number[]): Candidate[] {
  const found: Candidate[] = [];
  let claimed = 0;
  for (let index = 0; index < groups.length; index += 2) {
    const start = groups[index] ?? 0;
    const end = groups[index + 1] ?? 0;
    if (start < claimed || end - start > 4) continue;
    const date = numericDate(view, start) ?? dayFirst(view, start) ?? monthFirst(view, start);
    if (date === null || !standsAlone(view, date.start, date.end)) continue;
    if (lookBack(view, date.start).label !== "dob") continue;
    found.push(date);
    claimed = date.end;
  }
  return found;
}

function numericDate(view: FoldedText, start: number): Candidate | null {
  const first = part(view, start);
  const second = first === null ? null : part(view, first.next);
  if (first === null || second === null) return null;
  const end = digitsEnd(view, second.next, 5);
  if (end === second.next || isDigit(view.at(end))) return null;
  const third = view.slice(second.next, end);
  const isYearFirst = first.text.length === 4;
  const isDate = isYearFirst
    ? isDayOfBirth(first.text, Number(second.text), Number(third))
    : isDayOfBirth(third, Number(second.text), Number(first.text)) ||
      isDayOfBirth(third, Number(first.text), Number(second.text));
  return isDate ? { kind: "dob", start, end } : null;
}

/** Digits and one separator after them. */
function part(view: FoldedText, start: number): { readonly text: string; readonly next: number } | null {
  const end = digitsEnd(view, start, 5);
  if (end === start || end - start > 4 || !SEPARATORS.has(view.at(end))) return null;
  return { text: view.slice(start, end), next: end + 1 };
}

function dayFirst(view: FoldedText, start: number): Candidate | null {
  const dayEnd = digitsEnd(view, start, 3);
  let cursor = dayEnd;
  const suffix = view.slice(cursor, cursor + 2).toLowerCase();
  if (["st", "nd", "rd", "th"].includes(suffix)) cursor += 2;
  cursor = skip(view, cursor, 2);
  const monthEnd = lettersEnd(view, cursor, LONGEST_MONTH);
  const month = monthOf(view.slice(cursor, monthEnd));
  const yearStart = skip(view, monthEnd, 2);
  const end = digitsEnd(view, yearStart, 5);
  return isDayOfBirth(view.slice(yearStart, end), month, Number(view.slice(start, dayEnd)))
    ? { kind: "dob", start, end }
    : null;
}

function monthFirst(view: FoldedText, dayStart: number): Candidate | null {
  let monthEnd = dayStart;
  while (dayStart - monthEnd < 2 && SEPARATORS.has(view.at(monthEnd - 1))) monthEnd--;
  let start = monthEnd;
  while (monthEnd - start < LONGEST_MONTH && lettersEnd(view, start - 1, 1) === start) start--;
  const month = monthOf(view.slice(start, monthEnd));
  if (month === 0) return null;
  const dayEnd = digitsEnd(view, dayStart, 3);
  const yearStart = skip(view, dayEnd, 2);
  const end = digitsEnd(view, yearStart, 5);
  return isDayOfBirth(view.slice(yearStart, end), month, Number(view.slice(dayStart, dayEnd)))
    ? { kind: "dob", start, end }
    : null;
}

function skip(view: FoldedText, position: number, most: number): number {
  let cursor = position;
  while (cursor - position < most && (SEPARATORS.has(view.at(cursor)) || view.at(cursor) === 0x2c)) cursor++;
  return cursor;
}
