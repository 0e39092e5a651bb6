import type { SinkRegistration } from "../domain/placement.js";
import type { MemoryContext } from "./context.js";
import { readTenant, type TenantInput } from "./tenant-input.js";

export async function listSinks(context: MemoryContext, input: TenantInput): Promise<readonly SinkRegistration[]> {
  return context.store.placements.listSinks(readTenant(input));
}
