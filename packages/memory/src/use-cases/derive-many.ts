import type { MemoryContext } from "./context.js";
import { parseDerived, writeDerived, type DeriveInput, type DeriveResult } from "./derive.js";
import type { Refused } from "./prepare-content.js";
import { writeBatches } from "./write-batches.js";

export function deriveMany(
  context: MemoryContext,
  inputs: readonly DeriveInput[],
): Promise<readonly (DeriveResult | Refused)[]> {
  return writeBatches(
    inputs,
    (input, path) => parseDerived(context, input, path),
    (tenantKey, batch) => writeDerived(context, tenantKey, batch),
  );
}
