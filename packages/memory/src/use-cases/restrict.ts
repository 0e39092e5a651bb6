import { readOneOf } from "../domain/input/codes.js";
import { readFields } from "../domain/input/fields.js";
import { RESTRICTION_BASES, type RestrictionBasis } from "../domain/restriction.js";
import type { MemoryContext } from "./context.js";
import { readScope, SCOPE_FIELDS, storeScope, type ErasureScope } from "./erasure-scope.js";
import { underEveryKey } from "./under-every-key.js";

/** What is to be kept but not used, and why. */
export type RestrictInput = ErasureScope & { readonly basis: RestrictionBasis };

export async function restrict(
  context: MemoryContext,
  input: RestrictInput,
): Promise<{ readonly restrictionId: string }> {
  const fields = readFields(input, [...SCOPE_FIELDS, "basis"]);
  const scope = readScope(fields);
  const basis = readOneOf(fields.basis, "basis", RESTRICTION_BASES);
  return underEveryKey(context, scope.tenantKey, (keyed) =>
    keyed.store.restrictions.restrict(scope.tenantKey, storeScope(keyed, scope), basis),
  );
}
