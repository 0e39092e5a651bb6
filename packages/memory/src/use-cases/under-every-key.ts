import { ClosureNotEnumerableError } from "../errors.js";
import type { MemoryContext } from "./context.js";

const MAX_REMEMBERED_TENANTS = 10_000;

/**
 * Calls with every key there is to look under. Rows from before there was a pepper are found by a plain hash, which
 * needs no secret: where the store says that a tenant has such rows, the call is made once more with that hash too,
 * and this `Memory` remembers it. A secret that is really missing is for the caller to know.
 *
 * Only for calls that leave nothing behind when they throw `ClosureNotEnumerableError`, as all of the store's do.
 */
export async function underEveryKey<Answer>(
  context: MemoryContext,
  tenantKey: string,
  call: (context: MemoryContext) => Promise<Answer>,
): Promise<Answer> {
  const current = underKnownKeys(context, tenantKey);
  try {
    return await call(current);
  } catch (error) {
    const unkeyed = error instanceof ClosureNotEnumerableError && error.missingKeyId === null;
    if (!unkeyed || current.unkeyedTenants.has(tenantKey)) throw error;
  }
  if (context.unkeyedTenants.size >= MAX_REMEMBERED_TENANTS) context.unkeyedTenants.clear();
  context.unkeyedTenants.add(tenantKey);
  return call(underKnownKeys(context, tenantKey));
}

/** The context with the plain hash among its keys, where the tenant is known to need it. */
export function underKnownKeys(context: MemoryContext, tenantKey: string): MemoryContext {
  if (!context.unkeyedTenants.has(tenantKey)) return context;
  return { ...context, keyring: context.keyring.withUnkeyed() };
}
