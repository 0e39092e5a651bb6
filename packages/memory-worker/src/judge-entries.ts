import { isSeen, lookFor } from "./looks.js";
import type { PlacementLedger } from "./placement-ledger.js";
import { reopen } from "./recheck.js";
import type { Sink, SinkEntry } from "./sink.js";
import type { SweepFinding } from "./sweep-report.js";
import type { WorkerMemory } from "./worker-memory.js";
import type { Settings } from "./worker-options.js";

/** How entries are judged, and whom that is told. */
export interface Judging extends Pick<Settings, "memory" | "callTimeoutSeconds" | "emit"> {
  readonly repair: boolean;
  readonly ledger: PlacementLedger | undefined;
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
  notCompared: number;
  findings: SweepFinding[];
  reopened: number;
}

/**
 * Compares a page of entries with tombstones and placements.
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

  const ids = [...tagged.keys()];
  // Answers for any id that an erasure covers, a placement's too.
  const { memoryIds: forgotten } = await options.memory.isForgotten({ tenantKey, memoryIds: ids });
  const covered = new Set(forgotten);
  // Asked after that, so that an erasure opened meanwhile is in it.
  const outstanding = covered.size === 0 ? new Set<string>() : await outstandingOf(options.memory, tenantKey);
  for (const placementId of covered) {
    const copy = { tenantKey, placementId, ref: tagged.get(placementId) ?? "", kind: "swept" };
    if (outstanding.has(placementId)) {
      tally.awaiting += 1;
      // Between the list and this look a worker may have finished it.
    } else if (isSeen(await ofSink(lookFor(sink, copy, options.callTimeoutSeconds)))) {
      tally.findings.push({ code: "resurrection", placementId });
      if (!options.repair) continue;
      await reopen({ settings: options }, { tenantKey, placementId, ref: copy.ref });
      tally.reopened += 1;
      options.emit({ type: "copy_reappeared", tenantKey, placementId, sink: sink.name });
    }
  }

  const others = ids.filter((id) => !covered.has(id));
  if (options.ledger === undefined) {
    tally.notCompared += others.length;
    return;
  }
  const states = others.length === 0 ? new Map() : await options.ledger.statesOf(tenantKey, others);
  for (const id of others) if (states.get(id) !== "live") orphan(tagged.get(id) ?? "", id);
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

async function outstandingOf(memory: WorkerMemory, tenantKey: string): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  for (const state of ["in_progress", "escalated"] as const) {
    let cursor: string | undefined;
    do {
      const page = await memory.erasures.list({
        tenantKey,
        state,
        limit: 200,
        ...(cursor === undefined ? {} : { cursor }),
      });
      for (const { outstanding } of page.receipts) for (const { placementId } of outstanding) found.add(placementId);
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
  }
  return found;
}
