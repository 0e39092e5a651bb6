import { readFields } from "../domain/input/fields.js";
import { readLimit } from "../domain/input/numbers.js";
import { readKey } from "../domain/input/strings.js";
import { distinctTerms } from "../recall/terms.js";
import type { MemoryContext } from "./context.js";

/** How many rows to look at in one call: 1 to 1,000, default 1,000. */
export interface ReindexTermsInput {
  readonly tenantKey: string;
  readonly limit?: number;
}

/** How many rows got their terms, and whether there are more to do. */
export interface ReindexTermsResult {
  readonly updated: number;
  readonly more: boolean;
}

export async function reindexTerms(context: MemoryContext, input: ReindexTermsInput): Promise<ReindexTermsResult> {
  const fields = readFields(input, ["tenantKey", "limit"]);
  const tenantKey = readKey(fields.tenantKey, "tenantKey");
  const limit = readLimit(fields.limit, "limit", 1000);

  const found = await context.store.rowsWithoutTerms(tenantKey, limit + 1);
  const hashTerms = context.keyring.termHasher(tenantKey);
  const items = found
    .slice(0, limit)
    .map(({ kind, id, text }) => ({ kind, id, termHashes: hashTerms(distinctTerms(text)) }));
  const { updated } = items.length === 0 ? { updated: 0 } : await context.store.setTerms(tenantKey, items);
  return { updated, more: found.length > limit };
}
