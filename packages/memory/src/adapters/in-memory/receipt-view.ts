import type { ErasureState } from "../../domain/codes.js";
import type { ErasureReceipt, Tombstone } from "../../domain/receipt.js";
import type { NotCovered } from "../../domain/codes.js";
import type { Erasure, ErasureEvent } from "./erasure-log.js";

/**
 * What a delete here does not reach. There is no server, log, backup or replica; the process may keep freed text
 * in its heap until it is collected, and a copy that nobody recorded is beyond any store.
 */
export const NOT_COVERED: readonly NotCovered[] = Object.freeze(["unrecorded_copies"]);

/** Where an erasure stands, computed from what was recorded of it. */
export function stateOf(erasure: Erasure): ErasureState {
  if (find(erasure, "completed")) return "complete";
  return find(erasure, "escalated") ? "escalated" : "in_progress";
}

export function receiptOf(erasure: Erasure): ErasureReceipt {
  const { planned, ...tombstone } = erasure.tombstone;
  const state = stateOf(erasure);
  const destroyed = find(erasure, "destroyed");
  const escalated = find(erasure, "escalated");
  const completed = find(erasure, "completed");
  return Object.freeze({
    ...tombstone,
    state,
    ...(completed && { closure: "confirmed" as const }),
    owner: state === "escalated" ? "person" : "library",
    ...(escalated && { escalation: Object.freeze({ code: escalated.code, at: escalated.at }) }),
    ...(destroyed && { destroyedAt: destroyed.at }),
    ...(completed && { completedAt: completed.at }),
    counts: Object.freeze({
      ...(destroyed?.counts ?? planned),
      placements: Object.freeze({ total: 0, confirmed: 0, attested: 0, outstanding: 0 }),
    }),
    rebuildable: erasure.rebuildable,
    outstanding: Object.freeze([]),
    notCovered: NOT_COVERED,
  });
}

export function tombstoneOf(erasure: Erasure): Tombstone {
  return Object.freeze({ ...erasure.tombstone, state: stateOf(erasure) });
}

function find<Type extends ErasureEvent["type"]>(erasure: Erasure, type: Type) {
  return erasure.events.find((event): event is Extract<ErasureEvent, { type: Type }> => event.type === type);
}
