import type { PlacementStanding } from "../../domain/placement.js";
import type { TenantState } from "./tenant-state.js";

/** What is known of each copy, in the order of their ids; one that nobody recorded is left out. */
export function placementStatus(state: TenantState, placementIds: readonly string[]): readonly PlacementStanding[] {
  return [...new Set(placementIds)].sort().flatMap((placementId) => {
    const placement = state.placements.get(placementId);
    if (placement === undefined) return [];
    const covered = state.log.covers("placement", placementId);
    const status = placement.goneAt === null ? (covered ? "outstanding" : "live") : covered ? "gone" : "abandoned";
    return [Object.freeze({ placementId, sink: placement.sink, status } as const)];
  });
}
