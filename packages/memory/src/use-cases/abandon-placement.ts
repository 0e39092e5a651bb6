import { readFields } from "../domain/input/fields.js";
import type { Placement } from "../domain/placement.js";
import type { MemoryContext } from "./context.js";
import { readPlacementKeys, type PlacementRef } from "./placement-ref.js";

export async function abandonPlacement(
  context: MemoryContext,
  input: PlacementRef,
): Promise<{ readonly placement: Placement }> {
  const { tenantKey, placementId } = readPlacementKeys(readFields(input, ["tenantKey", "placementId"]));
  return { placement: await context.store.placements.placementAbandoned(tenantKey, placementId) };
}
