import { readLookupId } from "../domain/input/ids.js";
import { readKey } from "../domain/input/strings.js";
import type { DerivedRow, MemoryRow } from "../domain/rows.js";
import type { MemoryContext } from "./context.js";

export async function getMemory(
  context: MemoryContext,
  tenantKey: string,
  memoryId: string,
): Promise<MemoryRow | null> {
  const tenant = readKey(tenantKey, "tenantKey");
  const id = readLookupId(memoryId, "memoryId");
  return id === null ? null : context.store.getMemory(tenant, id);
}

export async function getDerived(
  context: MemoryContext,
  tenantKey: string,
  derivedId: string,
): Promise<DerivedRow | null> {
  const tenant = readKey(tenantKey, "tenantKey");
  const id = readLookupId(derivedId, "derivedId");
  return id === null ? null : context.store.getDerived(tenant, id);
}
