import { readFields } from "../domain/input/fields.js";
import { readKey } from "../domain/input/strings.js";
import type { ErasurePreview } from "../domain/receipt.js";
import type { MemoryContext } from "./context.js";
import { readScope, SCOPE_FIELDS, type ErasureScope } from "./erasure-scope.js";

export async function previewForget(context: MemoryContext, input: ErasureScope): Promise<ErasurePreview> {
  const fields = readFields(input, SCOPE_FIELDS);
  const tenantKey = readKey(fields.tenantKey, "tenantKey");
  return context.store.previewErasure(tenantKey, readScope(context, tenantKey, fields));
}
