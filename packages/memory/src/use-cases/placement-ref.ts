import { readLookupId } from "../domain/input/ids.js";
import { readKey } from "../domain/input/strings.js";
import { NotFoundError } from "../errors.js";

/** Names one placement. */
export interface PlacementRef {
  readonly tenantKey: string;
  readonly placementId: string;
}

export function readPlacementKeys(fields: Readonly<Record<keyof PlacementRef, unknown>>): PlacementRef {
  return { tenantKey: readKey(fields.tenantKey, "tenantKey"), placementId: readPlacementId(fields.placementId) };
}

/** A malformed id is the id of no placement. */
export function readPlacementId(value: unknown): string {
  const placementId = readLookupId(value, "placementId");
  if (placementId === null) throw new NotFoundError("placement");
  return placementId;
}
