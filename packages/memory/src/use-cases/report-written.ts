import { readFields } from "../domain/input/fields.js";
import type { Placement } from "../domain/placement.js";
import { SourceForgottenError } from "../errors.js";
import type { MemoryContext } from "./context.js";
import { readPlacementKeys, type PlacementRef } from "./placement-ref.js";
import { readPlacementRef } from "./record-placement.js";

/** What a writer reports once it has written. */
export interface WrittenInput extends PlacementRef {
  /** Where in the sink, if that is only known now, or was removed because the copy was taken for gone. */
  readonly ref?: string;
}

export async function reportWritten(
  context: MemoryContext,
  input: WrittenInput,
): Promise<{ readonly placement: Placement }> {
  const fields = readFields(input, ["tenantKey", "placementId", "ref"]);
  const { tenantKey, placementId } = readPlacementKeys(fields);
  const ref = fields.ref === undefined ? null : readPlacementRef(fields.ref);
  const { placement, forgotten } = await context.store.placements.placementWritten(tenantKey, placementId, ref);
  if (forgotten) {
    throw new SourceForgottenError(
      [placementId],
      `placement ${placementId} was written, and its sources are forgotten`,
      "Destroy the copy: it is recorded, and its erasure waits for a confirmation. Retrying will not help.",
    );
  }
  return { placement };
}
