import { type Erasure, hasEvent, outstandingOf } from "./erasure.js";

/** Step 3 for whoever got here: complete if nothing is outstanding, escalated if nobody can know what is. */
export function settle(erasure: Erasure, now: string): boolean {
  if (hasEvent(erasure, "completed")) return false;
  // Who imported rows without their derivations has to say where these went; nothing here can know.
  if (!erasure.closureKnown && !hasEvent(erasure, "closure_attested")) {
    if (hasEvent(erasure, "escalated")) return false;
    erasure.events.push({ type: "escalated", at: now, code: "closure_unknown" });
    return true;
  }
  if (outstandingOf(erasure).length > 0) return false;
  erasure.events.push({ type: "completed", at: now });
  return true;
}

/** Completes an erasure whose rows are gone, if it can be. */
export function settleIfDestroyed(erasure: Erasure, now: string): void {
  if (hasEvent(erasure, "destroyed")) settle(erasure, now);
}
