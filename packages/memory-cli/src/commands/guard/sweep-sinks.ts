import type { Memory, Verdict } from "@demystify/memory";
import type { SinkSweep } from "@demystify/memory-worker";
import type { Sheet } from "../../render/sheet.js";
import { printable } from "../../render/printable.js";
import { amount } from "../../render/words.js";
import { describeEvent } from "../../worker/describe-event.js";
import type { Invocation } from "../command.js";

/** Where an entry is that nobody recorded. */
export interface Orphan {
  readonly sink: string;
  readonly ref: string;
}

/** What the sinks of a worker's configuration hold of one tenant. */
export interface SweptSinks {
  readonly verdict: Verdict;
  readonly sinks: readonly SinkSweep[];
  readonly orphans: readonly Orphan[];
}

/** Lists the sinks of a worker's configuration and compares them with what is on record. */
export async function sweepSinks(
  path: string,
  { console, interrupt, progress }: Invocation,
  { memory, tenantKey }: { readonly memory: Memory; readonly tenantKey: string },
  repair: boolean,
): Promise<SweptSinks> {
  const { sweep } = await import("@demystify/memory-worker");
  const { readWorkerConfig } = await import("../../worker/config.js");
  const { sinks, tuning, close } = await readWorkerConfig(path, console.env);
  const orphans: Orphan[] = [];
  try {
    const { callTimeoutSeconds } = tuning;
    const report = await sweep({
      memory,
      sinks,
      tenantKeys: [tenantKey],
      repair,
      signal: interrupt.signal,
      ...(callTimeoutSeconds === undefined ? {} : { callTimeoutSeconds }),
      onEvent: (event) => progress.note(describeEvent(event)),
      onOrphan: ({ sink, ref }) => orphans.push({ sink, ref }),
    });
    return { verdict: report.verdict, sinks: report.sinks, orphans };
  } finally {
    await close();
  }
}

/** One line a sink, and what to do about what was found. */
export function tellSinks(sheet: Sheet, { sinks, orphans }: SweptSinks, showRefs: boolean): void {
  sheet.table(
    ["sink", "verdict", "entries", "awaiting", "came back", "orphans"],
    sinks.map(({ sink, verdict, unchecked, entries, awaiting, findings }) => [
      sink,
      unchecked === undefined ? verdict : `${verdict} (${unchecked})`,
      entries,
      awaiting,
      findings.filter(({ code }) => code === "resurrection").length,
      findings.filter(({ code }) => code === "orphan").length,
    ]),
  );
  if (sinks.some(({ findings }) => findings.some(({ code }) => code === "resurrection"))) {
    sheet.text("What came back: sweep --repair opens its erasure anew, and a worker destroys it.");
  }
  if (orphans.length === 0) return;
  sheet.text(
    `${amount(orphans.length, "entry", "entries")} nobody recorded: no erasure is known to cover them, so a person has to look. ${showRefs ? "They are:" : "--show-refs shows where."}`,
  );
  if (showRefs) {
    sheet.table(
      ["sink", "where"],
      orphans.map(({ sink, ref }) => [sink, printable(ref)]),
    );
  }
}
