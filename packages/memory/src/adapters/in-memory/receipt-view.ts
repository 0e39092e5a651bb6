import type { ErasureState, NotCovered } from "../../domain/codes.js";
import type { ErasureReceipt, Tombstone } from "../../domain/receipt.js";
import { type Erasure, eventsOf, hasEvent, standings } from "./erasure.js";
import type { TenantState } from "./tenant-state.js";

/**
 * What a delete here does not reach. There is no server, log, backup or replica; the process may keep freed text
 * in its heap until it is collected, and a copy that nobody recorded is beyond any store.
 */
export const NOT_COVERED: readonly NotCovered[] = Object.freeze(["unrecorded_copies"]);

/** Where an erasure stands, computed from what was recorded of it. */
export function stateOf(erasure: Erasure): ErasureState {
  if (hasEvent(erasure, "completed")) return "complete";
  return hasEvent(erasure, "escalated") ? "escalated" : "in_progress";
}

export function receiptOf(tenant: TenantState, erasure: Erasure): ErasureReceipt {
  const { planned, ...tombstone } = erasure.tombstone;
  const state = stateOf(erasure);
  const [destroyed] = eventsOf(erasure, "destroyed");
  const [completed] = eventsOf(erasure, "completed");
  const escalated = eventsOf(erasure, "escalated").at(-1);
  const isAttested = hasEvent(erasure, "attested") || hasEvent(erasure, "closure_attested");
  const { counts: placements, outstanding } = placementsIn(tenant, erasure);
  return Object.freeze({
    ...tombstone,
    state,
    ...(completed && { closure: isAttested ? ("attested" as const) : ("confirmed" as const) }),
    owner: ownerOf(state, isAttested, destroyed !== undefined && placements.total > 0),
    ...(escalated && { escalation: Object.freeze({ code: escalated.code, at: escalated.at }) }),
    ...(destroyed && { destroyedAt: destroyed.at }),
    ...(completed && { completedAt: completed.at }),
    counts: Object.freeze({ ...(destroyed?.counts ?? planned), placements }),
    rebuildable: erasure.rebuildable,
    outstanding,
    notCovered: NOT_COVERED,
  });
}

export function tombstoneOf(tenant: TenantState, erasure: Erasure): Tombstone {
  const { planned, ...tombstone } = erasure.tombstone;
  const [destroyed] = eventsOf(erasure, "destroyed");
  const { counts: placements } = placementsIn(tenant, erasure);
  const counts = Object.freeze({ ...(destroyed?.counts ?? planned), placements });
  return Object.freeze({ ...tombstone, counts, state: stateOf(erasure) });
}

/** Who has to move next; of a complete erasure, who finished it. */
function ownerOf(state: ErasureState, isAttested: boolean, waitsForCopies: boolean): ErasureReceipt["owner"] {
  if (state === "escalated" || (state === "complete" && isAttested)) return "person";
  return waitsForCopies ? "worker" : "library";
}

function placementsIn(tenant: TenantState, erasure: Erasure) {
  let [confirmed, attested] = [0, 0];
  const outstanding: { readonly placementId: string; readonly sink: string }[] = [];
  for (const [placementId, standing] of standings(erasure)) {
    if (standing.confirmed) confirmed += 1;
    else if (standing.attested) attested += 1;
    else outstanding.push(Object.freeze({ placementId, sink: tenant.placements.get(placementId)?.sink ?? "" }));
  }
  const total = erasure.placementIds.length;
  return {
    counts: Object.freeze({ total, confirmed, attested, outstanding: outstanding.length }),
    outstanding: Object.freeze(outstanding),
  };
}
