import { readFields } from "../domain/input/fields.js";
import { readKey } from "../domain/input/strings.js";

/** Names a tenant. */
export interface TenantInput {
  readonly tenantKey: string;
}

export function readTenant(input: TenantInput): string {
  return readKey(readFields(input, ["tenantKey"]).tenantKey, "tenantKey");
}
