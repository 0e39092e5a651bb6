import { readFields } from "../domain/input/fields.js";
import { readLookupId } from "../domain/input/ids.js";
import { readKey } from "../domain/input/strings.js";
import { NotFoundError } from "../errors.js";
import type { MemoryContext } from "./context.js";

/** Names one restriction. */
export interface RestrictionRef {
  readonly tenantKey: string;
  readonly restrictionId: string;
}

export async function liftRestriction(context: MemoryContext, input: RestrictionRef): Promise<void> {
  const fields = readFields(input, ["tenantKey", "restrictionId"]);
  const tenantKey = readKey(fields.tenantKey, "tenantKey");
  const restrictionId = readLookupId(fields.restrictionId, "restrictionId");
  if (restrictionId === null) throw new NotFoundError("restriction");
  await context.store.restrictions.liftRestriction(tenantKey, restrictionId);
}
