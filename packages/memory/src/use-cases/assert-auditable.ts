import type { RowKind } from "../domain/codes.js";
import { readFields } from "../domain/input/fields.js";
import { readId } from "../domain/input/ids.js";
import { readKey } from "../domain/input/strings.js";
import type { ErasureReceipt } from "../domain/receipt.js";
import { ForgetIncompleteError, InvalidInputError, TombstoneOrderingError } from "../errors.js";
import type { MemoryContext } from "./context.js";

/** The row whose erasure is to be shown: exactly one of the two ids. */
export type AuditInput =
  | { readonly tenantKey: string; readonly memoryId: string; readonly derivedId?: never }
  | { readonly tenantKey: string; readonly derivedId: string; readonly memoryId?: never };

export async function assertAuditable(context: MemoryContext, input: AuditInput): Promise<ErasureReceipt> {
  const fields = readFields(input, ["tenantKey", "memoryId", "derivedId"]);
  const tenantKey = readKey(fields.tenantKey, "tenantKey");
  const { kind, id } = readRow(fields);

  const tombstoneId = await context.store.tombstoneCovering(tenantKey, kind, id);
  const receipt = tombstoneId === null ? null : await context.store.receipt(tenantKey, tombstoneId);
  if (receipt === null) throw new TombstoneOrderingError("no tombstone covers this row");
  if (receipt.state !== "complete") throw new ForgetIncompleteError(receipt);
  return receipt;
}

function readRow(fields: { readonly memoryId: unknown; readonly derivedId: unknown }): {
  readonly kind: RowKind;
  readonly id: string;
} {
  if (fields.memoryId !== undefined && fields.derivedId !== undefined) {
    throw new InvalidInputError("derivedId", "must not be given together with memoryId");
  }
  return fields.derivedId === undefined
    ? { kind: "memory", id: readId(fields.memoryId, "memoryId") }
    : { kind: "derived", id: readId(fields.derivedId, "derivedId") };
}
