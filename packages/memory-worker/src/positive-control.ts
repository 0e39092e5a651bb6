import { randomUUID } from "node:crypto";
import { callWithin } from "./call-within.js";
import { tagOf, type Copy } from "./copy.js";
import { isSeen, lookFor, type Looks } from "./looks.js";
import type { Sink, SinkCall } from "./sink.js";

/**
 * What the looks of a sink see of something that is known to be there: an entry planted for this and removed again,
 * or one that is always there. `undefined`: the sink offers neither.
 *
 * A place that was misspelt, is empty, or hides rows from these credentials says "absent" about everything.
 *
 * @throws SinkError where the sink fails
 */
export async function positiveControl(sink: Sink, tenantKey: string, seconds: number): Promise<Looks | undefined> {
  if (sink.standingControl !== undefined) return lookFor(sink, sink.standingControl, seconds);
  if (sink.plant === undefined) return undefined;
  const placementId = randomUUID();
  const ref = await callWithin(seconds, async (call) => sink.plant?.(tagOf({ tenantKey, placementId }), call));
  if (ref === undefined) return undefined;
  const canary = { tenantKey, placementId, ref, kind: "canary" };
  try {
    return await lookUntilSeen(sink, canary, seconds);
  } finally {
    await callWithin(seconds, (call) => sink.destroy(canary, call)).catch(() => undefined);
  }
}

/**
 * Whether the list of a sink shows an entry planted for this and removed again. `false` also where nothing can be
 * planted: an empty list then says nothing.
 *
 * @throws SinkError where the sink fails
 */
export async function listShowsPlanted(sink: Sink, tenantKey: string, seconds: number): Promise<boolean> {
  if (sink.plant === undefined) return false;
  const tag = tagOf({ tenantKey, placementId: randomUUID() });
  const ref = await callWithin(seconds, async (call) => sink.plant?.(tag, call));
  const listed = async ({ signal }: SinkCall) => {
    for await (const { placementId } of sink.enumerate?.(tag.tenantTag, { signal }) ?? []) {
      if (placementId === tag.placementId) return true;
    }
    return false;
  };
  const deadline = Date.now() + Math.min(seconds, sink.settleSeconds ?? 0) * 1000;
  try {
    while (!(await callWithin(seconds, listed))) {
      if (Date.now() >= deadline) return false;
      await pause();
    }
    return true;
  } finally {
    const canary = { tenantKey, placementId: tag.placementId, ref: ref ?? "", kind: "canary" };
    await callWithin(seconds, (call) => sink.destroy(canary, call)).catch(() => undefined);
  }
}

const PAUSE_MILLISECONDS = 200;

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, PAUSE_MILLISECONDS));
}

// Where reads are behind, what was just written is seen late: it is given the time the sink needs to settle.
async function lookUntilSeen(sink: Sink, canary: Copy, seconds: number): Promise<Looks> {
  const deadline = Date.now() + Math.min(seconds, sink.settleSeconds ?? 0) * 1000;
  for (;;) {
    const looks = await lookFor(sink, canary, seconds);
    const all = looks.byId !== "absent" && looks.byTag !== "absent" && isSeen(looks);
    if (all || Date.now() >= deadline) return looks;
    await pause();
  }
}
