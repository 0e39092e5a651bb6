import { firstCharacters } from "../text/first-characters.js";
import { dayOf } from "./periods.js";
import type { RememberedLine } from "./remembered.js";
import { typicalLines, type Typical } from "./typical-lines.js";

const QUOTED_CHARACTERS = 200;

/** What one person wrote, in their own words. */
export function summaryText(lines: readonly RememberedLine[]): string {
  const typical = typicalLines(lines, { limit: 3, perPerson: 3 });
  return compose(`${messages(lines.length)}${span(lines)}.`, typical);
}

/** What everybody wrote in a week. */
export function weeklyText(title: string, lines: readonly RememberedLine[]): string {
  const people = new Set(lines.map((line) => line.subjectKey)).size;
  const typical = typicalLines(lines, { limit: 5, perPerson: 1 });
  return compose(`Week ${title}: ${messages(lines.length)} of ${customers(people)}.`, typical);
}

/** What everybody wrote in the weeks of a month: made of what the weekly digests quote. */
export function monthlyText(title: string, weeks: readonly { readonly quoted: readonly RememberedLine[] }[]): string {
  const typical = typicalLines(
    weeks.flatMap((week) => week.quoted),
    { limit: 5, perPerson: 1 },
  );
  const digests = `${weeks.length} weekly digest${weeks.length === 1 ? "" : "s"}`;
  return compose(`Month ${title}: from ${digests}.`, typical);
}

/** The lines a weekly digest quotes. */
export function quotedInWeek(lines: readonly RememberedLine[]): readonly RememberedLine[] {
  return typicalLines(lines, { limit: 5, perPerson: 1 }).lines;
}

function compose(opening: string, typical: Typical): string {
  const words = typical.words.length === 0 ? "" : ` Often: ${typical.words.join(", ")}.`;
  const lines = typical.lines.map((line) => `\n- ${quote(line.text)}`).join("");
  return `${opening}${words}${lines}`;
}

/** Cuts at a space, so that no character is torn apart. */
function quote(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  if (line.length <= QUOTED_CHARACTERS) return line;
  const space = line.lastIndexOf(" ", QUOTED_CHARACTERS);
  return `${space > 0 ? line.slice(0, space) : (firstCharacters(line, QUOTED_CHARACTERS / 2) ?? line)} …`;
}

function span(lines: readonly RememberedLine[]): string {
  const times = lines.flatMap((line) => (line.at === null ? [] : [line.at])).sort();
  const first = times[0];
  const last = times.at(-1);
  if (first === undefined || last === undefined) return "";
  return dayOf(first) === dayOf(last) ? ` on ${dayOf(first)}` : ` from ${dayOf(first)} to ${dayOf(last)}`;
}

function messages(count: number): string {
  return `${count} message${count === 1 ? "" : "s"}`;
}

function customers(count: number): string {
  return `${count} customer${count === 1 ? "" : "s"}`;
}
