import { ClosureNotEnumerableError } from "../errors.js";
import type { MemoryContext } from "./context.js";

const MAX_REMEMBERED_TENANTS = 10_000;

/**
 * Calls with every key there is to look under. Rows from before there was a pepper are found by a plain hash, which
 * needs no secret: where the store says that a tenant has such rows, the plain hash is looked under too, and this
 * `Memory` remembers it. A secret that is really missing is for the caller to know.
 *
 * Only for calls that leave nothing behind when they throw `ClosureNotEnumerableError`, as all of the store's do.
 */
export async function underEveryKey<Answer>(
  context: MemoryContext,
  tenantKey: string,
  call: (context: MemoryContext) => Promise<Answer>,
): Promise<Answer> {
  const current = await underKnownKeys(context, tenantKey);
  try {
    return await call(current);
  } catch (error) {
    const unkeyed = error instanceof ClosureNotEnumerableError && error.missingKeyId === null;
    if (!unkeyed || context.unkeyedTenants.get(tenantKey) === true) throw error;
  }
  // They came after the tenant was looked at, or the store could not be asked before.
  rememberTenant(context, tenantKey, true);
  return call(await underKnownKeys(context, tenantKey));
}

/**
 * The context with the plain hash among its keys, where the tenant is known to need it. Asked once for each tenant:
 * a refusal would abort the host's transaction, where there is one.
 */
export async function underKnownKeys(context: MemoryContext, tenantKey: string): Promise<MemoryContext> {
  if (!context.keyring.keyed) return context;
  if (!context.unkeyedTenants.has(tenantKey)) {
    const keyIds = await context.store.upkeep.keysInUse?.(tenantKey);
    if (keyIds !== undefined) rememberTenant(context, tenantKey, keyIds.includes(null));
  }
  if (context.unkeyedTenants.get(tenantKey) !== true) return context;
  return { ...context, keyring: context.keyring.withUnkeyed() };
}

function rememberTenant({ unkeyedTenants }: MemoryContext, tenantKey: string, unkeyed: boolean): void {
  if (unkeyedTenants.size >= MAX_REMEMBERED_TENANTS) unkeyedTenants.clear();
  unkeyedTenants.set(tenantKey, unkeyed);
}
