import { at, readArray, readFields } from "../domain/input/fields.js";
import { readId } from "../domain/input/ids.js";
import { readKey } from "../domain/input/strings.js";
import type { PlacementStanding } from "../domain/placement.js";
import type { MemoryContext } from "./context.js";

/** Which copies are asked about. */
export interface PlacementStatusInput {
  readonly tenantKey: string;
  /** Up to 1,000. */
  readonly placementIds: readonly string[];
}

const MAX_IDS = 1000;

export async function placementStatus(
  context: MemoryContext,
  input: PlacementStatusInput,
): Promise<readonly PlacementStanding[]> {
  const fields = readFields(input, ["tenantKey", "placementIds"]);
  const tenantKey = readKey(fields.tenantKey, "tenantKey");
  const elements = readArray(fields.placementIds, "placementIds", { min: 0, max: MAX_IDS });
  const placementIds = elements.map((id, index) => readId(id, at("placementIds", index)));
  return context.store.placements.placementStatus(tenantKey, [...new Set(placementIds)]);
}
