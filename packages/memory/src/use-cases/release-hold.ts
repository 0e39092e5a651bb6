import { readFields } from "../domain/input/fields.js";
import { readLookupId } from "../domain/input/ids.js";
import { readKey } from "../domain/input/strings.js";
import { NotFoundError } from "../errors.js";
import type { MemoryContext } from "./context.js";

/** Names one legal hold. */
export interface HoldRef {
  readonly tenantKey: string;
  readonly holdId: string;
}

export async function releaseHold(context: MemoryContext, input: HoldRef): Promise<void> {
  const fields = readFields(input, ["tenantKey", "holdId"]);
  const tenantKey = readKey(fields.tenantKey, "tenantKey");
  const holdId = readLookupId(fields.holdId, "holdId");
  if (holdId === null) throw new NotFoundError("hold");
  await context.store.restrictions.releaseHold(tenantKey, holdId);
}
