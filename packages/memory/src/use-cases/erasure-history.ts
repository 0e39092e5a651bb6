import { readFields } from "../domain/input/fields.js";
import { readId } from "../domain/input/ids.js";
import { readLimit } from "../domain/input/numbers.js";
import { readKey, readOptionalKey } from "../domain/input/strings.js";
import type { Tombstone } from "../domain/receipt.js";
import { subjectHashes, type MemoryContext } from "./context.js";
import { underEveryKey } from "./under-every-key.js";

/** Which tombstones `erasureHistory` shows. */
export interface ErasureHistoryOptions {
  readonly subjectKey?: string;
  /** 1 to 1,000. Default: 100. */
  readonly limit?: number;
  /** Only tombstones older than this one. */
  readonly before?: string;
}

export async function erasureHistory(
  context: MemoryContext,
  tenantKey: string,
  options: ErasureHistoryOptions = {},
): Promise<readonly Tombstone[]> {
  const tenant = readKey(tenantKey, "tenantKey");
  const fields = readFields(options, ["subjectKey", "limit", "before"], "", "options");
  const subjectKey = readOptionalKey(fields.subjectKey, "subjectKey");
  const limit = readLimit(fields.limit, "limit", 100);
  const before = fields.before === undefined ? null : readId(fields.before, "before");
  return underEveryKey(context, tenant, (keyed) =>
    keyed.store.tombstones(tenant, { limit, before, subject: subjectHashes(keyed, tenant, subjectKey) }),
  );
}
