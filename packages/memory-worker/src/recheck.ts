import { callWithin } from "./call-within.js";
import { tagOf } from "./copy.js";
import type { Recheck, Round } from "./round.js";
import { codeOf } from "./worker-memory.js";

/**
 * Looks again for copies that were confirmed gone and whose time has come: sinks have been seen to bring deleted rows
 * back. One that is found is reported to the store as written, which opens an erasure for it anew.
 *
 * A look that fails is made again in the next round.
 */
export async function recheckCopies(round: Round): Promise<void> {
  const { settings, remembered } = round;
  const due = remembered.rechecks.filter((recheck) => isDue(recheck, settings.now()));
  for (const recheck of due) {
    if (round.stopped) return;
    const done = await recheckCopy(round, recheck);
    if (!done) continue;
    const elapsed = (settings.now() - recheck.confirmedAt) / 1000;
    const remaining = recheck.remaining.filter((seconds) => seconds > elapsed);
    const others = remembered.rechecks.filter((other) => other !== recheck);
    remembered.rechecks = done === "gone" && remaining.length > 0 ? [...others, { ...recheck, remaining }] : others;
  }
}

function isDue({ confirmedAt, remaining }: Recheck, now: number): boolean {
  return remaining[0] !== undefined && now >= confirmedAt + remaining[0] * 1000;
}

async function recheckCopy(round: Round, recheck: Recheck): Promise<"gone" | "back" | false> {
  const { settings, tally } = round;
  const { tenantKey, placementId } = recheck;
  const sink = settings.sinks.get(recheck.sink);
  if (sink?.readBackByTag === undefined) return "gone";
  try {
    const refs = await callWithin(settings.callTimeoutSeconds, async (call) =>
      sink.readBackByTag?.(tagOf(recheck), call),
    );
    const ref = refs?.[0];
    if (ref === undefined) return "gone";
    await reopen(round, { tenantKey, placementId, ref });
    tally.reappeared += 1;
    settings.emit({ type: "copy_reappeared", tenantKey, placementId, sink: recheck.sink });
    return "back";
  } catch {
    return false;
  }
}

/**
 * Tells the store that a copy it took for gone is there: its erasure waits for it again, or a new one is opened.
 *
 * @throws whatever the store throws, unless it is that answer
 */
export async function reopen(
  { settings }: { readonly settings: Pick<Round["settings"], "memory"> },
  copy: { readonly tenantKey: string; readonly placementId: string; readonly ref: string },
): Promise<void> {
  try {
    await settings.memory.placements.written(copy);
  } catch (thrown) {
    if (codeOf(thrown) !== "ERR_SOURCE_FORGOTTEN") throw thrown;
  }
}
