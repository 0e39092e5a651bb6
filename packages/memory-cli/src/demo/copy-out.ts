import type { Memory } from "@demystify/memory";
import type { Target } from "../proof/observe.js";
import type { ExportShare } from "./export-share.js";
import type { Remembered } from "./remember-all.js";

/** What was copied out of the database: the person's texts, and one of somebody else that has to stay. */
export interface CopiesOut {
  readonly sink: string;
  readonly own: number;
  readonly others: number;
  /** Files that hold them, counted by reading the files. */
  readonly count: () => { readonly own: number; readonly others: number };
}

export async function copyOut(
  memory: Memory,
  share: ExportShare,
  target: Target,
  remembered: readonly Remembered[],
): Promise<CopiesOut> {
  const lines = remembered.map(({ line }) => line);
  const mine = lines.filter(({ subjectKey }) => subjectKey === target.subjectKey);
  const said = new Set(mine.map(({ text }) => text));
  // Words that both wrote would not tell whose copy it is.
  const theirs = lines
    .filter(({ subjectKey, text }) => subjectKey !== target.subjectKey && !said.has(text))
    .slice(0, 1);
  const own = await share.copy(memory, target.tenantKey, mine);
  const others = await share.copy(memory, target.tenantKey, theirs);
  const theirTexts = new Set(theirs.map(({ text }) => text));
  return {
    sink: share.sink.name,
    own,
    others,
    count: () => ({ own: share.filesHolding(said), others: share.filesHolding(theirTexts) }),
  };
}
