import { readFields } from "../domain/input/fields.js";
import { readKey } from "../domain/input/strings.js";
import type { ErasureReceipt } from "../domain/receipt.js";
import type { TombstoneRecord } from "../domain/reconciliation.js";
import { LegalHoldError } from "../errors.js";
import type { MemoryContext } from "./context.js";
import { readExported, type ExportedTombstones } from "./exported-tombstones.js";
import { finishErasure } from "./finish-erasure.js";
import { newId } from "./new-id.js";
import { retryConflicts } from "./retry-conflicts.js";

/** Erasures to repeat, after a restore brought back what they had erased. */
export interface ReplayInput {
  readonly tenantKey: string;
  readonly tombstones: ExportedTombstones;
}

/** What one call of `replay` did. */
export interface ReplayResult {
  /** Erasures opened again, each with its receipt; one may be in progress. */
  readonly replayed: number;
  /** Erasures that this store has, and nothing of them lives. */
  readonly alreadyKnown: number;
  /** Erasures that a legal hold refuses now. */
  readonly skippedHeld: number;
  readonly receipts: readonly ErasureReceipt[];
}

export async function replay(context: MemoryContext, input: ReplayInput): Promise<ReplayResult> {
  const fields = readFields(input, ["tenantKey", "tombstones"]);
  const tenantKey = readKey(fields.tenantKey, "tenantKey");

  const receipts: ErasureReceipt[] = [];
  let alreadyKnown = 0;
  let skippedHeld = 0;
  for await (const record of readExported(fields.tombstones, "tombstones", tenantKey)) {
    const receipt = await replayOne(context, tenantKey, record);
    if (receipt === "known") alreadyKnown += 1;
    else if (receipt === "held") skippedHeld += 1;
    else receipts.push(receipt);
  }
  return { replayed: receipts.length, alreadyKnown, skippedHeld, receipts };
}

async function replayOne(
  context: MemoryContext,
  tenantKey: string,
  record: TombstoneRecord,
): Promise<ErasureReceipt | "known" | "held"> {
  const tombstoneId = newId();
  try {
    const opened = await retryConflicts(() => context.store.upkeep.openReplay(tenantKey, tombstoneId, record));
    return opened === null ? "known" : await finishErasure(context, tenantKey, opened.tombstoneId);
  } catch (error) {
    if (error instanceof LegalHoldError) return "held";
    throw error;
  }
}
