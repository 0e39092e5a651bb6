import { callWithin } from "./call-within.js";
import { tagOf, type Copy } from "./copy.js";
import type { Presence, Sink } from "./sink.js";

/** What both looks at a copy saw; `undefined` where the sink does not offer the look. */
export interface Looks {
  readonly byId: Presence | undefined;
  readonly byTag: Presence | undefined;
}

/**
 * Looks for a copy under its ref and by its tag.
 *
 * @throws SinkError
 */
export async function lookFor(sink: Sink, copy: Copy, seconds: number): Promise<Looks> {
  const byId = await callWithin(seconds, async (call) => sink.readBackById?.(copy, call));
  const refs = await callWithin(seconds, async (call) => sink.readBackByTag?.(tagOf(copy), call));
  return { byId, byTag: refs === undefined ? undefined : refs.length > 0 ? "present" : "absent" };
}

/** Whether either look saw it. */
export function isSeen(looks: Looks): boolean {
  return looks.byId === "present" || looks.byTag === "present";
}
