import { isSeen, lookFor } from "./looks.js";
import { reopen } from "./recheck.js";
import type { Sink, SinkEntry } from "./sink.js";
import type { SweepFinding } from "./sweep-report.js";
import type { Settings } from "./worker-options.js";

/** How entries are judged, and whom that is told. */
export interface Judging extends Pick<Settings, "memory" | "callTimeoutSeconds" | "emit"> {
  readonly repair: boolean;
  readonly onOrphan?:
    ((orphan: { readonly tenantKey: string; readonly sink: string; readonly ref: string }) => void) | undefined;
}

/** The sink failed, not the store: the rest of the sweep goes on. */
export class SinkFailure extends Error {}

/** What of a sink throws, told apart from what the store throws. */
export async function ofSink<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch {
    throw new SinkFailure();
  }
}

/** What has been seen of one sink so far. */
export interface SweepTally {
  entries: number;
  awaiting: number;
  findings: SweepFinding[];
  reopened: number;
}

/**
 * Compares a page of entries, of at most 1,000, with what is on record.
 *
 * @throws SinkFailure; whatever the store throws
 */
export async function judgeEntries(
  options: Judging,
  tenantKey: string,
  sink: Sink,
  entries: readonly SinkEntry[],
  tally: SweepTally,
): Promise<void> {
  tally.entries += entries.length;
  const orphan = (ref: string, placementId: string | null) => {
    tally.findings.push({ code: "orphan", placementId });
    options.onOrphan?.({ tenantKey, sink: sink.name, ref });
  };
  const tagged = new Map<string, string>();
  for (const { ref, placementId } of entries) {
    if (placementId !== null && UUID.test(placementId)) tagged.set(placementId.toLowerCase(), ref);
    else orphan(ref, null);
  }
  if (tagged.size === 0) return;

  const statuses = await options.memory.placements.status({ tenantKey, placementIds: [...tagged.keys()] });
  // A copy that was recorded for another sink is not recorded for this one: no erasure would look here.
  const here = statuses.filter((each) => each.sink === sink.name);
  const status = new Map(here.map((each) => [each.placementId, each.status]));
  for (const [placementId, ref] of tagged) {
    switch (status.get(placementId)) {
      case "live":
        break;
      case "outstanding":
        tally.awaiting += 1;
        break;
      case "gone":
        await judgeGone(options, tenantKey, sink, { placementId, ref }, tally);
        break;
      case "abandoned":
      case undefined:
        orphan(ref, placementId);
    }
  }
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

async function judgeGone(
  options: Judging,
  tenantKey: string,
  sink: Sink,
  { placementId, ref }: { readonly placementId: string; readonly ref: string },
  tally: SweepTally,
): Promise<void> {
  // Between the list and this look a worker may have finished it.
  const copy = { tenantKey, placementId, ref, kind: "swept" };
  if (!isSeen(await ofSink(lookFor(sink, copy, options.callTimeoutSeconds)))) return;
  tally.findings.push({ code: "resurrection", placementId });
  if (!options.repair) return;
  await reopen({ settings: options }, { tenantKey, placementId, ref });
  tally.reopened += 1;
  options.emit({ type: "copy_reappeared", tenantKey, placementId, sink: sink.name });
}
