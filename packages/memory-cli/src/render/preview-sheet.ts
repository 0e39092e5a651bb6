import type { ErasurePreview } from "@demystify/memory";
import type { Sheet } from "./sheet.js";
import { amount } from "./words.js";

/** A preview without its ids, as JSON. */
export function previewFields({ counts, cascadeDepth, otherSubjects, sinks, rebuildable }: ErasurePreview): object {
  return { counts, cascadeDepth, otherSubjects, sinks, rebuildable: rebuildable.length };
}

/** What an erasure would take. */
export function tellPreview(sheet: Sheet, preview: ErasurePreview): void {
  const { counts, cascadeDepth, otherSubjects, sinks, rebuildable } = preview;
  sheet.heading("This would erase");
  sheet.line(`  ${amount(counts.memories, "memory", "memories")}`);
  sheet.line(
    `  ${amount(counts.derived, "row")} derived from them${counts.derived === 0 ? "" : `, up to ${amount(cascadeDepth, "level")} away`}`,
  );
  sheet.line(`  ${amount(counts.placements, "copy", "copies")} in other systems`);
  for (const { sink, placements } of sinks) sheet.line(`    ${sink}: ${placements}`);
  if (otherSubjects > 0) {
    sheet.text(
      `${amount(otherSubjects, "other person", "other persons")} would lose a shared row; ${amount(rebuildable.length, "row")} can be derived again from what is left.`,
      "  ",
    );
  }
}
