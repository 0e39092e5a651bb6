import type { LegalHold } from "../domain/restriction.js";
import type { MemoryContext } from "./context.js";
import { readTenant, type TenantInput } from "./tenant-input.js";

export async function listHolds(context: MemoryContext, input: TenantInput): Promise<readonly LegalHold[]> {
  return context.store.restrictions.listHolds(readTenant(input));
}
