import { MemoryError, verifyInstall, type ErasurePreview, type ErasureReceipt, type Memory } from "@demystify/memory";
import type { Database } from "../database/database.js";
import { judge, type Check, type Evidence } from "./checks.js";
import { observe, type Observation, type Target } from "./observe.js";

/** What was known before the person was forgotten. */
export interface Claim {
  readonly target: Target;
  readonly preview: ErasurePreview;
  readonly before: Observation;
  readonly receipt: ErasureReceipt;
  /** Files outside the database that hold texts of the person, and of others, counted by reading them. */
  readonly copies: Evidence["copies"];
}

/** What the proof came to. */
export interface Proof {
  readonly checks: readonly Check[];
  readonly passed: boolean;
  readonly after: Observation;
}

/** Looks at everything again, after the erasure, and judges. */
export async function prove(database: Database, memory: Memory, claim: Claim): Promise<Proof> {
  const { target, receipt } = claim;
  const { tenantKey, subjectKey } = target;
  // The attempt comes first: whatever it might have stored, the scan would find.
  const lateDerivation = await tryToDerive(memory, target);
  const after = await observe(database, memory, target);
  const checks = judge({
    ...claim,
    after,
    lateDerivation,
    receiptAfterRestart: await memory.erasures.status({ tenantKey, tombstoneId: receipt.tombstoneId }),
    reconciliation: await memory.erasures.reconcile({ tenantKey }),
    rules: await verifyInstall(database.queryable),
    history: await memory.erasureHistory(tenantKey, { subjectKey }),
  });
  return { checks, passed: checks.every((check) => check.ok), after };
}

/** Does what a background job does that read the person's memory before it was erased. */
async function tryToDerive(memory: Memory, target: Target): Promise<string | null> {
  const sourceId = target.memoryIds[0] ?? "";
  const text = target.questions[0] ?? "";
  try {
    const { tenantKey } = target;
    await memory.derive({ tenantKey, kind: "summary", text, sources: [{ sourceKind: "memory", sourceId }] });
    return null;
  } catch (error) {
    if (error instanceof MemoryError) return error.code;
    throw error;
  }
}
