import type { MemoryContext } from "./context.js";
import type { Refused } from "./prepare-content.js";
import { parseMemory, writeMemories, type RememberInput, type RememberResult } from "./remember.js";
import { writeBatches } from "./write-batches.js";

export function rememberMany(
  context: MemoryContext,
  inputs: readonly RememberInput[],
): Promise<readonly (RememberResult | Refused)[]> {
  return writeBatches(
    inputs,
    (input, path) => parseMemory(context, input, path),
    (tenantKey, batch) => writeMemories(context, tenantKey, batch),
  );
}
