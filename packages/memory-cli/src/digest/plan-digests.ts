import { monthlyText, quotedInWeek, summaryText, weeklyText } from "./digest-text.js";
import { monthOf, weekOf } from "./periods.js";
import type { RememberedLine } from "./remembered.js";

/** The kinds of derived row the demo makes. A `-part` carries sources that did not fit in one row. */
export type DigestKind = "summary" | "summary-part" | "weekly-digest" | "weekly-part" | "monthly-digest";

/** A row to derive from memories. */
export interface PlannedDigest {
  /** The person or the week. */
  readonly key: string;
  readonly lines: readonly RememberedLine[];
  readonly text: (lines: readonly RememberedLine[]) => string;
}

/** A row to derive from the weekly digests with these keys. */
export interface PlannedMonth {
  readonly key: string;
  readonly weeks: readonly string[];
  readonly text: string;
}

export interface DigestPlan {
  readonly summaries: readonly PlannedDigest[];
  readonly weeks: readonly PlannedDigest[];
  readonly months: readonly PlannedMonth[];
}

/** Decides what to derive: a summary for each person, a digest of each week, a digest of each month's digests. */
export function planDigests(lines: readonly RememberedLine[]): DigestPlan {
  const weeks = groupBy(lines, (line) => weekOf(line.at).key);
  return {
    summaries: [...groupBy(lines, (line) => line.subjectKey)].map(([key, group]) => ({
      key,
      lines: group,
      text: summaryText,
    })),
    weeks: [...weeks].map(([key, group]) => ({
      key,
      lines: group,
      text: (part) => weeklyText(weekOf(group[0]?.at ?? null).title, part),
    })),
    months: [...groupBy([...weeks], ([, group]) => monthOf(group[0]?.at ?? null).key)].map(([key, group]) => ({
      key,
      weeks: group.map(([week]) => week),
      text: monthlyText(
        monthOf(group[0]?.[1][0]?.at ?? null).title,
        group.map(([, week]) => ({ quoted: quotedInWeek(week) })),
      ),
    })),
  };
}

/** Groups in order of key, so that the same input gives the same plan whatever its order. */
function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return new Map([...groups].sort(([a], [b]) => (a < b ? -1 : 1)));
}
