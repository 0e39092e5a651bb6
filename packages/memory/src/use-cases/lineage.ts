import { ROW_KINDS, type RowKind } from "../domain/codes.js";
import { readOneOf } from "../domain/input/codes.js";
import { readFields } from "../domain/input/fields.js";
import { readLookupId } from "../domain/input/ids.js";
import { readKey } from "../domain/input/strings.js";
import type { Lineage } from "../domain/rows.js";
import type { MemoryContext } from "./context.js";

/** Names one row. */
export interface LineageInput {
  readonly tenantKey: string;
  readonly kind: RowKind;
  readonly id: string;
}

export async function lineage(context: MemoryContext, input: LineageInput): Promise<Lineage | null> {
  const fields = readFields(input, ["tenantKey", "kind", "id"]);
  const tenantKey = readKey(fields.tenantKey, "tenantKey");
  const kind = readOneOf(fields.kind, "kind", ROW_KINDS);
  const id = readLookupId(fields.id, "id");
  return id === null ? null : context.store.lineage(tenantKey, kind, id);
}
