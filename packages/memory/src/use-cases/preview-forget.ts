import { readFields } from "../domain/input/fields.js";
import type { ErasurePreview } from "../domain/receipt.js";
import type { MemoryContext } from "./context.js";
import { readScope, SCOPE_FIELDS, storeScope, type ErasureScope } from "./erasure-scope.js";
import { underEveryKey } from "./under-every-key.js";

export async function previewForget(context: MemoryContext, input: ErasureScope): Promise<ErasurePreview> {
  const scope = readScope(readFields(input, SCOPE_FIELDS));
  return underEveryKey(context, scope.tenantKey, (keyed) =>
    keyed.store.previewErasure(scope.tenantKey, storeScope(keyed, scope)),
  );
}
