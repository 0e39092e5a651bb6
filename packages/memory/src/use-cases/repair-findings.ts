import type { Finding, FindingCode } from "../domain/reconciliation.js";
import type { ErasureReceipt } from "../domain/receipt.js";
import { InvalidInputError, LegalHoldError } from "../errors.js";
import type { OpenErasure, StoreScope } from "../ports/memory-store.js";
import { storeSubject, type MemoryContext } from "./context.js";
import { finishErasure } from "./finish-erasure.js";
import { newId } from "./new-id.js";
import { retryConflicts } from "./retry-conflicts.js";
import { underEveryKey } from "./under-every-key.js";

/**
 * What erasing again can put right. The others are for a person: a rule that is off, evidence that is gone or does
 * not add up, a row under the wrong hash, a closure that nobody recorded.
 */
const REPAIRABLE: readonly FindingCode[] = [
  "forgotten_but_live",
  "content_reappeared",
  "source_missing",
  "source_forgotten",
  "placement_source_missing",
];

const MAX_IDS = 10_000;

/**
 * Erases again, under new tombstones, what a sweep found alive, and takes overdue erasures further. Answers how many
 * findings it put right: what a hold refuses, or what still waits for copies to be confirmed, is not among them.
 */
export async function repairFindings(
  context: MemoryContext,
  tenantKey: string,
  findings: readonly Finding[],
): Promise<number> {
  const found = findings.filter(({ code }) => REPAIRABLE.includes(code));
  let repaired = 0;

  const memoryIds = idsOf(found, "memory");
  const erasedMemories = new Set<string>();
  for (const memoryId of memoryIds) {
    const receipt = await refusedByNobody(() => eraseMemory(context, tenantKey, memoryId));
    if (receipt?.destroyedAt !== undefined) erasedMemories.add(memoryId);
  }
  repaired += found.filter(({ kind, id }) => kind === "memory" && erasedMemories.has(id)).length;

  const derivedIds = idsOf(found, "derived");
  const placementIds = idsOf(found, "placement");
  for (let start = 0; start < Math.max(derivedIds.length, placementIds.length); start += MAX_IDS) {
    const ids = {
      derivedIds: derivedIds.slice(start, start + MAX_IDS),
      placementIds: placementIds.slice(start, start + MAX_IDS),
    };
    const receipt = await refusedByNobody(() => erase(context, tenantKey, { scope: "derived", ...ids }));
    const done = new Set([
      ...(receipt?.destroyedAt === undefined ? [] : ids.derivedIds),
      ...(receipt?.state === "complete" ? ids.placementIds : []),
    ]);
    repaired += found.filter(({ kind, id }) => kind !== "memory" && done.has(id)).length;
  }

  for (const { code, id } of findings) {
    if (code !== "erasure_overdue") continue;
    const receipt = await finishErasure(context, tenantKey, id);
    if (receipt.state === "complete") repaired += 1;
  }
  return repaired;
}

function idsOf(findings: readonly Finding[], wanted: Finding["kind"]): readonly string[] {
  return [...new Set(findings.filter(({ kind }) => kind === wanted).map(({ id }) => id))];
}

// A row that several persons share needs one of them named; one that is readable says whom.
async function eraseMemory(context: MemoryContext, tenantKey: string, memoryId: string): Promise<ErasureReceipt> {
  const row = await context.store.getMemory(tenantKey, memoryId);
  const named = row !== null && row.alsoAbout.length > 0 ? row.subjectKey : null;
  return underEveryKey(context, tenantKey, (keyed) =>
    erase(keyed, tenantKey, {
      scope: "memories",
      memoryIds: [memoryId],
      subject: named === null ? null : storeSubject(keyed, tenantKey, named),
    }),
  );
}

function erase(context: MemoryContext, tenantKey: string, target: StoreScope): Promise<ErasureReceipt> {
  const request: OpenErasure = {
    tenantKey,
    tombstoneId: newId(),
    target,
    reason: "operator",
    legalBasis: "unspecified",
    origin: "forget",
    requestedBy: { role: "system", idHash: null },
    requestHash: null,
    previewToken: null,
  };
  return retryConflicts(() => context.store.forget(request, context.destroyChunkRows));
}

async function refusedByNobody(erasing: () => Promise<ErasureReceipt>): Promise<ErasureReceipt | null> {
  try {
    return await erasing();
  } catch (error) {
    if (error instanceof LegalHoldError || error instanceof InvalidInputError) return null;
    throw error;
  }
}
