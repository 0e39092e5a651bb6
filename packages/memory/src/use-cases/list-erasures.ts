import { ERASURE_STATES, type ErasureState } from "../domain/codes.js";
import { readOneOf } from "../domain/input/codes.js";
import { readFields } from "../domain/input/fields.js";
import { readOptionalInstant } from "../domain/input/instant.js";
import { readLimit } from "../domain/input/numbers.js";
import { readKey } from "../domain/input/strings.js";
import type { ErasureReceipt } from "../domain/receipt.js";
import type { MemoryContext } from "./context.js";
import { readCursor } from "./list-rows.js";

/** Which erasures `erasures.list` shows. */
export interface ListErasuresInput {
  readonly tenantKey: string;
  readonly state?: ErasureState;
  /** Only those opened before this instant. */
  readonly olderThan?: Date | string;
  /** 1 to 1,000. Default: 100. */
  readonly limit?: number;
  /** As the page before returned it. */
  readonly cursor?: string;
}

/** One page of receipts, newest first. `nextCursor` is `null` on the last page. */
export interface ErasurePage {
  readonly receipts: readonly ErasureReceipt[];
  readonly nextCursor: string | null;
}

const FIELD_NAMES = [
  "tenantKey",
  "state",
  "olderThan",
  "limit",
  "cursor",
] as const satisfies readonly (keyof ListErasuresInput)[];

export async function listErasures(context: MemoryContext, input: ListErasuresInput): Promise<ErasurePage> {
  const fields = readFields(input, FIELD_NAMES);
  const tenantKey = readKey(fields.tenantKey, "tenantKey");
  const page = await context.store.listReceipts(tenantKey, {
    state: fields.state === undefined ? null : readOneOf(fields.state, "state", ERASURE_STATES),
    olderThan: readOptionalInstant(fields.olderThan, "olderThan"),
    limit: readLimit(fields.limit, "limit", 100),
    cursor: readCursor(fields.cursor),
  });
  return { receipts: page.rows, nextCursor: page.nextCursor };
}
