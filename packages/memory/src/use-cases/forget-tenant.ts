import { readFields } from "../domain/input/fields.js";
import { readLimit } from "../domain/input/numbers.js";
import { readKey } from "../domain/input/strings.js";
import type { ErasureReceipt } from "../domain/receipt.js";
import { InvalidInputError, LegalHoldError } from "../errors.js";
import type { SubjectHash } from "../ports/memory-store.js";
import type { MemoryContext } from "./context.js";
import { finishErasure } from "./finish-erasure.js";
import { newId } from "./new-id.js";
import { retryConflicts } from "./retry-conflicts.js";

/** Which tenant to erase. */
export interface ForgetTenantInput {
  readonly tenantKey: string;
  /** The tenant key once more: nobody erases a tenant by mistake. */
  readonly confirm: string;
  /** How many persons at most: 1 to 1,000, default 1,000. */
  readonly limit?: number;
}

/** What one call of `forgetTenant` did, in erasures. */
export interface ForgetTenantResult {
  /** Completed in this call. */
  readonly complete: number;
  /** Not complete yet: they wait for copies, or for a person. `erasures.list` names them. */
  readonly inProgress: number;
  /** Persons that a legal hold keeps. */
  readonly skippedHeld: number;
  /** Whether there are persons left to do: call again. */
  readonly more: boolean;
}

export async function forgetTenant(context: MemoryContext, input: ForgetTenantInput): Promise<ForgetTenantResult> {
  const fields = readFields(input, ["tenantKey", "confirm", "limit"]);
  const tenantKey = readKey(fields.tenantKey, "tenantKey");
  const limit = readLimit(fields.limit, "limit", 1000);
  if (readKey(fields.confirm, "confirm") !== tenantKey) {
    throw new InvalidInputError("confirm", "must be the tenant key once more");
  }

  const counts = { complete: 0, inProgress: 0 };
  // What an earlier call, or a crash, left open is finished first: nothing would list those persons again.
  for await (const open of openErasures(context, tenantKey)) {
    count(counts, await finishErasure(context, tenantKey, open.tombstoneId));
  }
  const found = await context.store.upkeep.subjectsWithRows(tenantKey, limit);
  let skippedHeld = found.skippedHeld;
  for (const hashes of found.subjects) {
    const receipt = await erasePerson(context, tenantKey, hashes);
    if (receipt === null) skippedHeld += 1;
    else count(counts, receipt);
  }
  return { ...counts, skippedHeld, more: found.more };
}

function count(counts: { complete: number; inProgress: number }, receipt: ErasureReceipt): void {
  if (receipt.state === "complete") counts.complete += 1;
  else counts.inProgress += 1;
}

async function* openErasures({ store }: MemoryContext, tenantKey: string): AsyncGenerator<ErasureReceipt> {
  for (const state of ["in_progress", "escalated"] as const) {
    let cursor: string | null = null;
    do {
      const page: Awaited<ReturnType<typeof store.listReceipts>> = await store.listReceipts(tenantKey, {
        state,
        olderThan: null,
        limit: 100,
        cursor,
      });
      yield* page.rows;
      cursor = page.nextCursor;
    } while (cursor !== null);
  }
}

/** `null` where a hold was placed since the persons were listed. */
async function erasePerson(
  { store, destroyChunkRows }: MemoryContext,
  tenantKey: string,
  hashes: readonly SubjectHash[],
): Promise<ErasureReceipt | null> {
  const [written] = hashes;
  if (written === undefined) throw new TypeError("the store listed a person without a hash");
  const request = {
    tenantKey,
    tombstoneId: newId(),
    target: { scope: "subject", subject: { subjectKey: null, written, known: hashes, listed: true } },
    reason: "operator",
    legalBasis: "contract_end",
    origin: "forget",
    requestedBy: { role: "operator", idHash: null },
    requestHash: null,
    previewToken: null,
  } as const;
  try {
    return await retryConflicts(() => store.forget(request, destroyChunkRows));
  } catch (error) {
    if (error instanceof LegalHoldError) return null;
    throw error;
  }
}
